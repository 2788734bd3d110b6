"""Sampled times, or those by mixes, against live ones on workloads drawn at random.

Run with ``python docs/figures/sampled.py [DRAWS] [FIRST] [SEEDS] [sampled|mixes] [PRECISION]``. It measures
``sampled.csv`` or ``mixes.csv`` (for a precision other than 0.02, a separate table), takes some seconds per
draw, resumes after an interruption, and prints the tables of ``docs/background/sampled-time.md`` and
``mixes.md``. Draws from 8000 on are of long jobs. Machine, nodes, programs, lengths, the share of
communication and starts are drawn; each draw is run with several seeds.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.cosim import Placed, Placing, application_work, cycles_alone, replay, sampled_again
from netplace.cosim.mixes import MixesExecution, Progress, half_width
from netplace.cosim.rates import Rates
from netplace.cosim.replay import Started
from netplace.cosim.work import Work, body_of
from netplace.netsim import Config
from netplace.scheduling import Job
from netplace.scheduling.metrics.interval import quantile
from netplace.topologies import parse

FOLDER = Path(__file__).parent
PRECISION = 0.02
MACHINES = {
    "torus:8x8": "torus",
    "torus:4x4x4": "torus",
    "mesh:6x6": "mesh",
    "mesh:4x4": "mesh",
    "tree:4,2": "`tree:4,2`",
    "tree:4,3": "`tree:4,3`",
    "dragonfly:a=4,p=2,h=2": "dragonfly",
    "hypercube:5": "hypercube",
}
PLACES = ("boxes", "scattered", "random")
SYNCHRONISED = ("all-to-all", "2d-torus", "2d-mesh", "2d-t-torus", "3d-torus", "butterfly", "2d-shift")
PIPELINED = ("all-to-one", "one-to-all", "binary-tree", "waterfall", "2d-sweep", "3d-sweep", "gups")
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.0)
ITERATIONS = (4, 10_000)
CYCLES = (5e3, 3e5)  # of a job alone
LONG, LONG_CYCLES = 8000, (1e6, 4e6)  # draws from this number on are of long jobs


@dataclass(frozen=True)
class Drawn:
    """A workload.

    Attributes
    ----------
    placing : Placing
        Machine and settings.
    jobs : list of Started
        Jobs in the order of their starts.
    regime : dict
        Values of the regime, by column.
    """

    placing: Placing
    jobs: list[Started]
    regime: dict[str, Any]


def nodes_in(place: str, nodes: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return the nodes of a machine in the order in which jobs get them."""
    if place == "random":
        return rng.permutation(nodes)
    return nodes if place == "boxes" else nodes.reshape(-1, 4).T.ravel()


def drawn(number: int) -> Drawn:
    """Return a workload by its number."""
    rng = np.random.default_rng([number, 28])
    machine = [*MACHINES][number % len(MACHINES)]
    config = Config()
    topology = parse(machine)
    placing = Placing(topology, config, application_work(config))
    place, share = str(rng.choice(PLACES)), float(rng.choice(SHARES))
    names = rng.choice([SYNCHRONISED, PIPELINED, SYNCHRONISED + PIPELINED][rng.integers(3)], 3, replace=False)
    order = nodes_in(place, topology.computing, rng)
    parts: list[tuple[Placed, float]] = []
    while len(order) >= 4:
        size = int(rng.choice([4, 8, 8, 16]))
        taken, order = order[:size], order[size:]
        work = Work(f"{rng.choice(names)},packets={rng.choice([2, 4, 8])}", len(taken), 1)
        try:
            body_of(work, config)
        except ValueError:
            continue  # the application does not exist at this size
        placed = Placed(Job(len(parts) + 1, 0, len(taken), 0), work, np.asarray(taken))
        few = replace(placed, work=replace(work, iterations=8))
        speaking = cycles_alone(placing, few) / 8
        compute = round(speaking * (1 - share) / share)
        parts.append((replace(placed, work=replace(work, compute=compute)), speaking + compute))
    median = float(np.median([period for _, period in parts]))
    iterations = float(np.exp(rng.uniform(*np.log(ITERATIONS))))
    last = float(np.clip(iterations * median, *(CYCLES if number < LONG else LONG_CYCLES)))
    apart = 0.5 * last if rng.random() < 0.5 else 2000.0
    jobs = []
    for placed, period in parts:
        times = max(ITERATIONS[0], round(last * rng.uniform(0.4, 1.3) / period))
        work = replace(placed.work, iterations=times)
        jobs.append(Started(replace(placed, work=work), int(rng.uniform(0, apart))))
    regime = {"draw": number, "machine": machine, "nodes": place, "share": share}
    return Drawn(placing, sorted(jobs, key=lambda job: job.start), regime)


def timed(what: Callable[[], Any]) -> tuple[Any, float]:
    """Return what comes of a call, and its CPU seconds."""
    began = time.process_time()
    result = what()
    return result, time.process_time() - began


Estimates = Mapping[int, tuple[float, float]]


def by_leaps(placing: Placing, jobs: Sequence[Started], target_half_width: float) -> Estimates:
    """Return the sampled time of each job in cycles, and the stated half-width, by number."""
    made = sampled_again(placing, jobs, target_half_width)
    return {number: (time.cycles, time.half_width) for number, time in made.items()}


def by_mixes(placing: Placing, jobs: Sequence[Started], target_half_width: float) -> Estimates:
    """Return the time of each job by mixes in cycles, and the stated half-width, by number."""
    rates = Rates(placing, target_half_width)
    ended: list[Progress] = []
    execution = MixesExecution(placing, rates, lambda job: np.inf, ended.append)
    second = placing.config.cycle_ns * 1e-9
    for job in jobs:
        while execution.next_end(job.start * second):
            pass
        execution.begin_placed(job.number, job.placed, job.start * second)
    while execution.next_end(np.inf):
        pass
    made = {}
    for done in ended:
        made[done.placed.job.number] = done.end - done.begin, half_width(done, rates.loops)
    return made


ESTIMATES = {"sampled": by_leaps, "mixes": by_mixes}


def measured(number: int, seed: int, method: str, target_half_width: float) -> pd.DataFrame:
    """Return one row per job: its live time, its estimate by a method, and the stated half-width."""
    draw = drawn(number)
    placing = replace(draw.placing, seed=1000 * number + seed)
    rng = np.random.default_rng([number, seed, 29])
    # Where nothing is left to chance a seed changes nothing: starts are moved by up to 200 cycles.
    jobs = [replace(job, start=job.start + int(rng.integers(0, 200))) for job in draw.jobs]
    jobs.sort(key=lambda job: job.start)
    live, cpu_live = timed(lambda: replay(placing, jobs).cycles)
    cpu_alone = np.nan  # of which one seed tells enough
    if seed == 0:
        _, cpu_alone = timed(lambda: [cycles_alone(placing, job.placed) for job in jobs])
    made, cpu = timed(lambda: ESTIMATES[method](placing, jobs, target_half_width))
    rows = [
        draw.regime
        | {
            "seed": seed,
            "job": job.number,
            "application": job.placed.work.application,
            "iterations": job.placed.work.iterations,
            "live": live[job.number],
            "estimate": made[job.number][0],
            "half_width": made[job.number][1],
            "cpu_live": cpu_live + 2 * cpu_alone,
            "cpu_estimate": cpu,
        }
        for job in jobs
    ]
    return pd.DataFrame(rows)


def coverage(frame: pd.DataFrame, by: str | pd.Series[Any] | None = None) -> pd.DataFrame:
    """Return how often live times are within 5 %, and within the stated interval."""
    error = (frame["live"] / frame["estimate"] - 1).abs()
    estimated = (frame["half_width"] > 0) | (error > 1e-5)
    columns = {
        "jobs": 1.0,
        "within 5 % (%)": 100.0 * (error <= 0.05),
        "worst (%)": 100 * error,
        "beyond 15 %, not marked": 1.0 * ((error > 0.15) & (frame["half_width"] <= 0.1)),
        "counted (%)": 100.0 * ~estimated,
        "covered (%)": (100.0 * (error <= frame["half_width"])).where(estimated),
        "+- (%)": frame["draw"],
        "half-width, median (%)": (100 * frame["half_width"]).where(estimated),
    }
    how: dict[str, Any] = {
        "jobs": "sum",
        "worst (%)": "max",
        "beyond 15 %, not marked": "sum",
        "half-width, median (%)": "median",
    }
    table = pd.DataFrame(columns)
    how["+- (%)"] = lambda draws: doubt(draws, table["covered (%)"])
    groups = table.groupby(np.zeros(len(frame)) if by is None else by, sort=by is not None)
    return pd.concat([groups[name].agg(how.get(name, "mean")) for name in columns], axis=1)


def doubt(draws: pd.Series[Any], covered: pd.Series[Any]) -> float:
    """Return the half-width of the interval (0.95) of a coverage; jobs of a draw count as one."""
    known = covered[draws.index].dropna()
    off = (known - known.mean()).groupby(draws).sum()
    if len(off) < 2 or not off.any():
        return np.nan  # where all are covered their spread says nothing
    variance = (off**2).sum() * len(off) / (len(off) - 1)
    return float(quantile(len(off)) * np.sqrt(variance) / len(known))


def regimes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table of coverage, a row a regime."""
    kind = frame["application"].str.partition(",")[0]
    length = pd.cut(
        frame["iterations"], [0, 100, 1000, 1_000_000], labels=["4 to 100 iterations", "101 to 1,000", "more"]
    )
    share = pd.cut(
        frame["share"], [0, 0.1, 0.5, 1], labels=["communication up to 0.1", "0.2 to 0.5", "0.7 to 1"]
    )
    program = kind.isin(PIPELINED).map({True: "pipelined programs", False: "synchronized programs"})
    by = [None, frame["machine"].map(MACHINES), frame["nodes"], share, length, program]
    coverages = pd.concat([coverage(frame, column) for column in by])
    return coverages.rename(index={0.0: "all"})


def markdown(table: pd.DataFrame) -> str:
    """Return a table in the format of the documents."""
    lines = ["| | " + " | ".join(table.columns) + " |", "|---" * (1 + len(table.columns)) + "|"]
    for name, row in table.iterrows():
        values = (f"{value:,.0f}" if value > 100 else f"{value:.3g}" for value in row)
        lines.append(f"| {name} | " + " | ".join(values).replace("nan", "") + " |")
    return "\n".join(lines)


def cost(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the CPU time of estimates over that of live runs, by the median iterations of their jobs."""
    runs = (
        frame[frame["seed"] == 0]
        .groupby(["draw", "seed"])
        .agg(
            iterations=("iterations", "median"),
            live=("cpu_live", "first"),
            estimate=("cpu_estimate", "first"),
        )
    )
    length = pd.cut(runs["iterations"], [0, 100, 1000, 1_000_000], labels=["4-100", "101-1,000", "more"])
    sums = runs.groupby(length, observed=True)[["live", "estimate"]].sum()
    return sums.assign(share=sums["estimate"] / sums["live"])


def main(
    draws: int = 96,
    first: int = 7800,
    seeds: int = 3,
    method: str = "sampled",
    target_half_width: float | str = PRECISION,
) -> None:
    """Measure what is not there yet, and print the tables."""
    other = "" if float(target_half_width) == PRECISION else f"-{target_half_width}"
    table = FOLDER / f"{method}{other}.csv"
    parts = [pd.read_csv(table)] if table.exists() else []
    known = {tuple(row) for part in parts for row in part[["draw", "seed"]].to_numpy().tolist()}
    for seed, number in itertools.product(range(seeds), range(first, first + draws)):
        if (number, seed) not in known:
            parts.append(measured(number, seed, method, float(target_half_width)))
            pd.concat(parts).to_csv(table, index=False, float_format="%.6g")
            sys.stderr.write(f"{number} {seed}\n")
    frame = pd.concat(parts, ignore_index=True)
    frame = frame[frame["draw"].between(first, first + draws - 1) & (frame["seed"] < seeds)]
    sys.stdout.write(f"{markdown(regimes(frame))}\n")
    sys.stdout.write(f"\n{cost(frame).to_string(float_format='%.2f')}\n")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]), *sys.argv[4:])
