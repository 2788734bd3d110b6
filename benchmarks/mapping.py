"""Quality of the mapping search: QAPLIB, applications against published GRASP, and halos of known optimum.

Run as ``python -m benchmarks.mapping``. Times are processor time of one core, compiling apart; costs are
medians over seeds, with the labels of the tasks shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from apps import APPLICATIONS, application
from placement.mapping import solve_qap
from topologies import parse

__all__ = ["Row", "applications", "halos", "instances", "read_instance", "table"]

QAPLIB = Path(__file__).parent.parent / "tests" / "placement" / "qaplib"
NETWORKS = ("torus:8x8", "mesh:8x8", "torus:4x4x4")
HALOS = (("torus:8x8x8", 1.0, 0.4), ("torus:8x8x8", 10.0, 0.2), ("torus:16x16x16", 5.0, 1.0))
# Most excess over the best known cost, by seconds; 0 where it must be met.
EXACT = ("esc32e", "esc64a", "esc128", "tai64c")
GOALS = {1.0: 0.0015, 10.0: 0.001}


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    problem : str
        What was solved.
    seconds : float
        Processor time that was allowed, in seconds.
    measure : str
        What `median` is: ``"excess"`` over the best known cost, or ``"of GRASP"``, relative to what the
        published GRASP reaches.
    median, worst : float
        Over the seeds.
    goal : float or None
        What `median` should not exceed.
    """

    problem: str
    seconds: float
    measure: str
    median: float
    worst: float
    goal: float | None = None


def read_instance(path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return flows, costs and best known cost of a QAPLIB file."""
    numbers = np.array(path.read_text(encoding="utf-8").split(), np.int64)
    A, B = numbers[2:].reshape(2, numbers[0], numbers[0])
    return A, B, int(numbers[1])


def instances(seconds: float = 1.0, seeds: int = 5) -> Iterator[Row]:
    """Yield a row for each QAPLIB instance."""
    for path in sorted(QAPLIB.glob("*.dat")):
        A, B, best = read_instance(path)
        costs = _costs(A, B, seeds, seconds=seconds)
        goal = 0.0 if path.stem in EXACT else GOALS.get(seconds)
        if path.stem == "tai80a":
            goal = 0.015
        yield _row(path.stem, seconds, "excess", [cost / best - 1 for cost in costs], goal)


def applications(seconds: float = 0.1, seeds: int = 5, tasks: int = 64) -> Iterator[Row]:
    """Yield, for each network, the median over all applications, then a row for each application."""
    for network in NETWORKS:
        B = parse(network).distances()
        rows = []
        for name in APPLICATIONS:
            W = application(name, tasks).traffic().W
            grasp = float(np.median(_costs(W, B, seeds, method="grasp")))
            costs = _costs(W, B, seeds, seconds=seconds)
            rows.append(_row(f"{name} on {network}", seconds, "of GRASP", [cost / grasp for cost in costs]))
        medians = [row.median for row in rows]
        yield _row(f"{len(rows)} applications on {network}", seconds, "of GRASP", medians, 0.9)
        yield from rows


def halos(seeds: int = 5) -> Iterator[Row]:
    """Yield a row for each halo exchange on the torus that it fits."""
    for network, seconds, goal in HALOS:
        B = parse(network).distances()
        W = sparse.csr_array((B == 1).astype(np.int64))
        costs = _costs(W, B, seeds, seconds=seconds)
        best = int(W.sum())
        yield _row(f"halo on {network}", seconds, "excess", [cost / best - 1 for cost in costs], goal)


PARTS: dict[str, Callable[..., Iterator[Row]]] = {
    "applications": applications,
    "halos": halos,
    "instances": instances,
}


def table(parts: Iterable[str] = tuple(PARTS), seeds: int = 5) -> list[Row]:
    """Return all rows of the named parts, keys of `PARTS`."""
    return [row for part in parts for row in PARTS[part](seeds=seeds)]


def _costs(A: Any, B: NDArray[Any], seeds: int, **options: Any) -> list[float]:
    """Return the cost reached for each seed, with the labels of the tasks shuffled."""
    found = []
    for seed in range(seeds):
        shuffled = np.random.default_rng([seed, 1]).permutation(A.shape[0])
        found.append(solve_qap(A[shuffled][:, shuffled], B, seed=seed, **options).cost)
    return found


def _row(problem: str, seconds: float, measure: str, values: list[float], goal: float | None = None) -> Row:
    return Row(problem, seconds, measure, float(np.median(values)), max(values), goal)


def main() -> None:
    """Print the table."""
    for part in PARTS.values():
        for row in part():
            values = f"{row.median:8.4f} {row.measure} (worst {row.worst:.4f})"
            print(f"{row.problem:34}{row.seconds:5g} s  {values}{_verdict(row)}")


def _verdict(row: Row) -> str:
    if row.goal is None:
        return ""
    return f"   goal {row.goal:g}: {'met' if row.median <= row.goal else 'missed'}"


if __name__ == "__main__":
    main()
