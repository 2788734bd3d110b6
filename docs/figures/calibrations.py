"""The calibrations of co-simulations, each made again from its list of seeds.

    python docs/figures/calibrations.py [NAME ...]

The names are those of `CALIBRATIONS`; without any, all are made. A calibration has a CSV file beside this one
with a row for each value that was compared with its estimate, held or missed. It resumes after an
interruption, and prints the tables of ``docs/background/sampled-time.md``, ``verdicts.md`` and
``stall-attribution.md``.

``sampled`` and ``sampled-budget`` compare times with live ones on workloads drawn at random: machine, nodes,
programs, lengths, the share of communication and starts. Only ``sampled-budget`` has the budget of
observations, so ``sampled`` skips iterations even where that saves nothing. ``draws`` parts fifty draws of
each workload into groups, and compares the times and slowdowns of a group with those of all other draws.
``stall_attribution`` compares the charges of waiting with what a run without the charged job
saves.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from netplace.cosim import (
    JobPlacer,
    PlacedJob,
    application_work,
    cosimulate,
    cycles_alone,
    fast_forward,
    fidelities,
    make_cosim_plan,
    reasons,
    replay,
    sampled_again,
)
from netplace.cosim.fidelities import MOST_DRAWS, PILOT, enough_draws, over_draws
from netplace.cosim.placed import Started
from netplace.cosim.runner import outcome_of
from netplace.cosim.work import JobProgram, iteration_program
from netplace.netsim import Config
from netplace.report.plots import write_figure
from netplace.report.plots.figure import HELD, PALE, Curve, Figure, Panel, Rule
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
    """A workload."""

    placing: JobPlacer
    jobs: list[Started]  # in the order of their starts
    regime: dict[str, Any]  # by column


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
    placing = JobPlacer(topology, config, application_work(config))
    place, share = str(rng.choice(PLACES)), float(rng.choice(SHARES))
    names = rng.choice([SYNCHRONISED, PIPELINED, SYNCHRONISED + PIPELINED][rng.integers(3)], 3, replace=False)
    order = nodes_in(place, topology.computing, rng)
    parts: list[tuple[PlacedJob, float]] = []
    while len(order) >= 4:
        size = int(rng.choice([4, 8, 8, 16]))
        taken, order = order[:size], order[size:]
        work = JobProgram(f"{rng.choice(names)},packets={rng.choice([2, 4, 8])}", len(taken), 1)
        try:
            iteration_program(work, config)
        except ValueError:
            continue  # the application does not exist at this size
        placed = PlacedJob(Job(len(parts) + 1, 0, len(taken), 0), work, np.asarray(taken))
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


def within_budget(placing: JobPlacer, jobs: Sequence[Started], target_half_width: float) -> Estimates:
    """Return the sampled time of each job in cycles, and the stated half-width, by number."""
    made = sampled_again(placing, jobs, target_half_width)
    return {number: (time.cycles, time.half_width) for number, time in made.items()}


def by_leaps(placing: JobPlacer, jobs: Sequence[Started], target_half_width: float) -> Estimates:
    """Return the same where iterations are skipped even if that saves nothing."""
    with patch.object(fast_forward, "LOOK", 0.0):
        return within_budget(placing, jobs, target_half_width)


ESTIMATES = {"sampled": by_leaps, "sampled-budget": within_budget}


def estimated(number: int, seed: int, method: str, target_half_width: float = PRECISION) -> pd.DataFrame:
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


BY_CHANCE = ("torus:6x4", "hypercube:4", "thintree:4,2,2", "twisted:6x3+3", "hyperx:4x4,c=1")
WITHOUT = ("mesh:5x3", "torus:5x3", "mesh:3x3x2", "torus:3x3x3")  # chance: in a draw, starts alone differ
RUNS = 50
GROUPS = {"3": 3, "5": 5, "10": 10, "auto": 0}


def intervals_of_draws(number: int, seed: int) -> pd.DataFrame:
    """Return one row per number of draws and quantity: how many intervals there are, and how many hold.

    A workload is a list of jobs on a network that leaves routes to chance, or, with odd numbers, does not.
    """
    rng = np.random.default_rng([41, number])
    machine = str(rng.choice(WITHOUT if number % 2 else BY_CHANCE))
    names = [name for name in SYNCHRONISED + PIPELINED if name != "gups"]
    jobs = "".join(
        f'[[job]]\nprogram = "{rng.choice(names)},packets={rng.choice([1, 2, 4, 8, 16])}"\n'
        f"tasks = {rng.choice([4, 4, 8, 9])}\nrepeats = {round(np.exp(rng.uniform(0.7, 4)))}\n"
        f"submit = {rng.uniform(0, 5e-6):.9f}\ninterval = {rng.uniform(1e-6, 9e-6):.9f}\n"
        f"count = {rng.integers(1, 4)}\n"
        for _ in range(rng.integers(2, 5))
    )
    given = {"machine": machine, "policy": str(rng.choice(["fcfs", "easy", "sjf"])), "draws": RUNS}
    given["partition"] = str(rng.choice(["random", "non-contiguous", "paging:0"]))
    found: list[Any] = []

    def watched(jobs: Sequence[Any], live: np.ndarray[Any, Any], alone: np.ndarray[Any, Any]) -> list[Any]:
        found.append((jobs, live, alone))
        return over_draws(jobs, live, alone)

    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "jobs.toml").write_text(jobs)
        try:
            with patch.object(fidelities, "over_draws", watched):
                outcome_of(make_cosim_plan(given | {"workload": str(path)}, number + seed))
        except ValueError as error:  # an application does not exist at a size
            sys.stderr.write(f"{number}: {error}\n")
            return pd.DataFrame()
    rows = [
        {"network": "without" if number % 2 else "by chance", "draws": name, "quantity": quantity, **counted}
        for name, size in GROUPS.items()
        for quantity, counted in _held(*found[0], size).items()
    ]
    return pd.DataFrame(rows).assign(draw=number, seed=seed)


def _held(
    jobs: Sequence[Any], live: np.ndarray[Any, Any], alone: np.ndarray[Any, Any], size: int
) -> dict[str, dict[str, float]]:
    """Return, by quantity, how many intervals of groups of draws there are, hold, and their mean half-width.

    They are compared with the mean of all other draws, and widened for the chance in that.
    """
    made: dict[str, list[tuple[bool, float]]] = {"slowdown": [], "live": [], "alone": []}
    varying = [np.ptp(live / alone, axis=1) > 0, np.ptp(live, axis=1) > 0, np.ptp(alone, axis=1) > 0]
    begin = 0
    while begin + (size or MOST_DRAWS) <= RUNS:
        few = slice(begin, begin + PILOT)
        pilot = over_draws(jobs, live[:, few], alone[:, few])
        count = size or enough_draws(pilot, PILOT, PRECISION, MOST_DRAWS)
        own = np.zeros(RUNS, bool)
        own[begin : begin + count] = True
        begin += count
        times, others = live[:, ~own].mean(axis=1), alone[:, ~own].mean(axis=1)
        for row, one in enumerate(over_draws(jobs, live[:, own], alone[:, own])):
            truth = times[row] / others[row], times[row], others[row]
            stated = (
                (one.live / one.alone, one.chance),
                (one.live, one.half_width),
                (one.alone, one.alone_half_width),
            )
            for name, varies, value, (estimate, half) in zip(made, varying, truth, stated, strict=True):
                if varies[row]:
                    wide = half * (1 + count / (RUNS - count)) ** 0.5
                    made[name].append((abs(value / estimate - 1) <= wide, half))
    return {
        name: {
            "intervals": len(found),
            "held": sum(held for held, _ in found),
            "half_width": round(float(np.mean([half for _, half in found])), 4),
        }
        for name, found in made.items()
        if found
    }


WAITING = ("torus:8x8", "mesh:8x8", "tree:4,3")
GIVEN = {
    "workload": "applications", "jobs": 20, "policy": "easy", "sizes": "small", "intensity": "low",
    "repeats": "5:15", "mean_interarrival": 1e-6, "partition": "random",
}  # fmt: skip


def blamed(number: int, seed: int) -> pd.DataFrame:
    """Return one row for each job slowed by 1 % and more, and each other job that it waited for.

    `blamed` is the job's loss (live less alone), shared out in proportion to
    the charges; `saved` is the saving of the run without the other job, both in percent of the time alone.
    """
    machine = WAITING[number]
    plan = make_cosim_plan(GIVEN | {"machine": machine}, seed)
    rows = cosimulate(plan).outcome["jobs"]
    lines = []
    for row in rows:
        if row["slowdown"] < 1.01:
            continue
        neighbours = reasons(plan, rows, row["job"], suspects=len(rows)).neighbours
        charged = sum(neighbour.amount for neighbour in neighbours)
        for rank, neighbour in enumerate(sorted(neighbours, key=lambda other: -other.amount)):
            if neighbour.amount:
                lines.append(
                    {
                        "draw": number,
                        "seed": seed,
                        "machine": machine,
                        "job": row["job"],
                        "other": neighbour.job,
                        "rank": rank,
                        "others": sum(other.amount > 0 for other in neighbours),
                        "blamed": 100 * (row["slowdown"] - 1) * neighbour.amount / charged,
                        "saved": 100 * neighbour.saved,
                    }
                )
    return pd.DataFrame(lines)


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


def blame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each machine, of jobs with several others to blame."""
    rows = []
    for machine, group in frame.groupby("machine", sort=False):
        several = group[group["others"] > 1]
        ranks = np.array(
            [
                int(own.loc[own["saved"].idxmax(), "rank"])
                for _, own in several.groupby(["seed", "job"], sort=False)
            ]
        )
        rows.append(
            {
                "machine": machine,
                "pairs": len(group),
                "r": float(np.corrcoef(group["blamed"], group["saved"])[0, 1]),
                "mean error": float(abs(group["blamed"] - group["saved"]).mean()),
                "jobs with several": len(ranks),
                "most blamed saves most %": 100 * float(np.mean(ranks == 0)),
                "one of the first three does %": 100 * float(np.mean(ranks < 3)),
            }
        )
    draw_blame(frame)
    return pd.DataFrame(rows).set_index("machine")


def draw_blame(frame: pd.DataFrame) -> None:
    """Draw what is saved over what was blamed, a panel for each machine."""
    panels = []
    for machine in WAITING:
        own = frame[frame["machine"] == machine]
        most = float(max(own["blamed"].max(), own["saved"].max()))
        marks = [
            Rule(at=0.0, lying=True, colour=PALE),
            Curve(x=[0, most], y=[0, most], mark="", width=0.8, colour=HELD),
            Curve(x=own["blamed"].to_numpy(), y=own["saved"].to_numpy(), line="", size=3.0, alpha=0.6),
        ]
        panels.append(Panel(marks=marks, title=machine))
    axes = {"x": "blamed (% of the time alone)", "y": "saved without that job (%)"}
    figure = Figure(title="What is blamed and what is saved", panels=panels, columns=3, height=2.6, **axes)
    write_figure(FOLDER / "stall_attribution.png", figure)


def intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Return how often intervals over draws hold, by kind of network, quantity and number of draws."""
    rows = {}
    for (network, quantity, draws), group in frame.groupby(["network", "quantity", "draws"]):
        share = group["held"].sum() / group["intervals"].sum()
        off = group["held"] - share * group["intervals"]
        half = quantile(len(off)) * np.sqrt((off**2).sum()) / group["intervals"].sum()
        rows[f"{network}, {quantity}, {draws}"] = {
            "workloads": len(group),
            "intervals": group["intervals"].sum(),
            "correct (%)": 100 * share,
            "+- (%)": 100 * half,
            "half-width, median (%)": 100 * group["half_width"].median(),
        }
    return pd.DataFrame(rows).T


@dataclass(frozen=True)
class Calibration:
    """The measurement of each draw and seed, and its tables; draws of a range are shown together."""

    measured: Callable[[int, int], pd.DataFrame]
    draws: tuple[tuple[range, int], ...]  # numbers of draws, and how many seeds each has
    tables: tuple[Callable[[pd.DataFrame], pd.DataFrame], ...]


TIMES = regimes, cost
CALIBRATIONS = {
    "sampled": Calibration(
        partial(estimated, method="sampled"), ((range(7800, 7896), 3), (range(8700, 8748), 2)), TIMES
    ),
    "sampled-budget": Calibration(
        partial(estimated, method="sampled-budget"), ((range(7400, 7470), 1),), (regimes,)
    ),
    "draws": Calibration(intervals_of_draws, ((range(5000, 5900), 1),), (intervals,)),
    "stall_attribution": Calibration(blamed, ((range(len(WAITING)), 3),), (blame,)),
}


def make(name: str) -> None:
    """Measure what is not there yet, and print the tables."""
    calibration, path = CALIBRATIONS[name], FOLDER / f"{name}.csv"
    parts = [pd.read_csv(path)] if path.exists() else []
    known = {tuple(row) for part in parts for row in part[["draw", "seed"]].to_numpy().tolist()}
    for numbers, seeds in calibration.draws:
        for seed, number in itertools.product(range(seeds), numbers):
            if (number, seed) not in known:
                parts.append(calibration.measured(number, seed))
                parts[-1].to_csv(path, index=False, float_format="%.6g", mode="a", header=not path.exists())
                sys.stderr.write(f"{name} {number} {seed}\n")
        frame = pd.concat(parts, ignore_index=True)
        frame = frame[frame["draw"].isin(numbers) & (frame["seed"] < seeds)]
        for table in calibration.tables:
            sys.stdout.write(f"{name}\n{markdown(table(frame))}\n")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or CALIBRATIONS:
        make(wanted)
