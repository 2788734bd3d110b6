"""Foreign workloads on which ``netplace explain`` is judged, and the judgement: removal over 20 seeds.

A case has four to eight jobs of four kinds that are in no workload model: incasts, bursts, open senders and
rings, as traces of an iteration, on random nodes. The job that is asked about is the one that others slow
most in its co-simulation. There is no case if that is by less than 2 %, or if two jobs share a node in turn.

Run with ``python docs/figures/blame.py``, which writes the table of ``docs/background/stall-attribution.md``;
takes two minutes of CPU time.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from marks import fill_in, table
from numpy.typing import NDArray

from netplace.cosim import CosimPlan, cosimulate, make_cosim_plan, placing_of, reasons, started_jobs
from netplace.cosim.explanation import VERDICTS
from netplace.cosim.placed import Started
from netplace.netsim import Network

MACHINES = (
    "torus:8x8", "torus:4x4x4", "mesh:8x8", "tree:4,3", "thintree:4,2,3", "dragonfly:a=4,p=2,h=2"
)  # fmt: skip
PAGE = Path(__file__).parent.parent / "background" / "stall-attribution.md"
CASES = range(1000, 1100)
SEEDS = 20  # of the judgement
LEAST = 1.02  # slowdown of the job that is asked about

Line = tuple[int, str, int, int, int]  # task, operation, peer, bytes or cycles, request
Rng = np.random.Generator


def _incast(rng: Rng, tasks: int) -> list[Line]:
    """Return an iteration in which all tasks send to one."""
    size, gap = 64 << int(rng.integers(5)), int(rng.integers(50, 1500))
    lines: list[Line] = [(task, "compute", -1, gap, -1) for task in range(tasks)]
    lines += [(task, "send", 0, size, -1) for task in range(1, tasks)]
    return lines + [(0, "recv", task, size, -1) for task in range(1, tasks)]


def _burst(rng: Rng, tasks: int) -> list[Line]:
    """Return an iteration in which tasks compute for long, and then send several messages at once."""
    size, gap = 256 << int(rng.integers(4)), int(rng.integers(2000, 6000))
    count, shift = int(rng.integers(2, 6)), int(rng.integers(1, tasks))
    lines: list[Line] = [(task, "compute", -1, gap, -1) for task in range(tasks)]
    lines += [(task, "isend", (task + shift) % tasks, size, n) for task in range(tasks) for n in range(count)]
    lines += [(task, "recv", (task - shift) % tasks, size, -1) for task in range(tasks)] * count
    return lines + [(task, "wait", -1, 0, n) for task in range(tasks) for n in range(count)]


def _open_sender(rng: Rng, tasks: int) -> list[Line]:
    """Return an iteration in which half of the tasks send at their own pace to the other half."""
    size, gap, half = 64 << int(rng.integers(4)), int(rng.integers(30, 400)), tasks // 2
    lines: list[Line] = [(task, "compute", -1, gap, -1) for task in range(half)]
    lines += [(task, "send", task + half, size, -1) for task in range(half)]
    return lines + [(task + half, "recv", task, size, -1) for task in range(half)]


def _ring(rng: Rng, tasks: int) -> list[Line]:
    """Return an iteration in which each task sends to the next and waits for the one before."""
    size, gap = 64 << int(rng.integers(6)), int(rng.integers(0, 800))
    lines: list[Line] = [(task, "compute", -1, gap, -1) for task in range(tasks)]
    lines += [(task, "isend", (task + 1) % tasks, size, 0) for task in range(tasks)]
    lines += [(task, "recv", (task - 1) % tasks, size, -1) for task in range(tasks)]
    return lines + [(task, "wait", -1, 0, 0) for task in range(tasks)]


KINDS: dict[str, Callable[[Rng, int], list[Line]]] = {
    "incast": _incast,
    "burst": _burst,
    "open-sender": _open_sender,
    "ring": _ring,
}


def case(seed: int, folder: Path) -> CosimPlan:
    """Write the jobs of a case into a folder, and return its plan."""
    rng = np.random.default_rng([60, seed])
    tables = []
    for number in range(int(rng.integers(4, 9))):
        kind, tasks = list(KINDS)[int(rng.integers(len(KINDS)))], 2 * int(rng.integers(2, 6))
        lines = KINDS[kind](rng, tasks)
        path = folder / f"{kind}-{number}.trace"
        path.write_text("".join(f"{t} {op} {peer} {n} 0 0 {req} 0\n" for t, op, peer, n, req in lines))
        iteration = sum(line[3] for line in lines if line[1] == "compute") / tasks + 300  # cycles, about
        repeats = max(3, round(int(rng.integers(4000, 16000)) / iteration))
        submit = int(rng.integers(0, 3000)) * 3.2e-9
        tables.append(f'[[job]]\nprogram = "{path}"\nrepeats = {repeats}\nsubmit = {submit:.9f}\n')
    (folder / "jobs.toml").write_text("\n".join(tables))
    given = {"machine": MACHINES[seed % len(MACHINES)], "workload": str(folder / "jobs.toml")}
    return make_cosim_plan(given | {"partition": "random"}, seed=seed)


def asked(rows: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the job of a co-simulation that is asked about; None if there is no case."""
    slowest = max(rows, key=lambda row: row["slowdown"])
    held = [node for row in rows for node in row["nodes"]]
    return int(slowest["job"]) if slowest["slowdown"] >= LEAST and len(held) == len({*held}) else None


def saved_by_removal(plan: CosimPlan, jobs: Sequence[Started], job: int) -> dict[int, NDArray[np.int64]]:
    """Return the cycles that a job saves without each other job, shape (seeds,).

    A seed is one of the network, and of starts that are later by less than 300 cycles each.
    """
    placing = placing_of(plan)
    saved: dict[int, list[int]] = {}
    for seed in range(SEEDS):
        rng = np.random.default_rng([61, plan.jobs.seed, seed])
        chance = int(rng.integers(1 << 31))
        starts = {one.number: one.start + int(rng.integers(300)) for one in jobs}

        def cycles(left_out: int, chance: int = chance, starts: Mapping[int, int] = starts) -> int:
            network = Network(placing.machine, placing.config, seed=chance)
            numbers = {
                one.number: network.start(
                    placing.loop(one.placed),
                    one.placed.nodes,
                    at=starts[one.number],
                    times=one.placed.work.iterations,
                )
                for one in jobs
                if one.number != left_out
            }
            while numbers[job] not in network.advance():
                pass
            return network.job(numbers[job]).end - starts[job]

        together = cycles(-1)
        for one in jobs:
            if one.number != job:
                saved.setdefault(one.number, []).append(together - cycles(one.number))
    return {number: np.array(values) for number, values in saved.items()}


def judgement() -> str:
    """Ask in all cases, and return a table of how often each verdict was said, and was right."""
    said, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for seed in CASES:
        with tempfile.TemporaryDirectory() as folder:
            plan = case(seed, Path(folder))
            rows = cosimulate(plan).outcome["jobs"]
            if (job := asked(rows)) is None:
                continue
            found = reasons(plan, rows, job)
            saved = saved_by_removal(plan, started_jobs(plan, rows), job)
        order = sorted(saved, key=lambda other: -saved[other].mean())
        place = order.index(found.neighbours[0].job) if found.neighbours else len(order)
        key = plan.jobs.machine, found.verdict
        said[key] += 1
        right[key] += place < (3 if found.verdict == "among the first three" else 1)
        print(seed, *key, place, flush=True)  # noqa: T201
    rows = [
        [f"`{machine}`", *(f"{right[machine, verdict]} of {said[machine, verdict]}" for verdict in VERDICTS)]
        for machine in MACHINES
    ]
    return table(["machine", *VERDICTS], rows)


if __name__ == "__main__":
    fill_in(PAGE, {"judgement": judgement})
