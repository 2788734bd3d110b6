"""How often a comparison of equal contestants is called clear, and which differences it finds.

    python docs/figures/verdicts.py [--pairs 200] [--first-seed 1]

Every row is a kind of pair: series of known correlation, schedules and co-simulations of the same jobs that
differ in a seed alone, and studies of seeds. The tables go to ``verdicts.csv`` and ``verdicts_seeds.csv``
beside this file.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import signal

from netplace.cosim import job_rows_of, make_cosim_plan
from netplace.cosim.job_row import ended
from netplace.cosim.runner import outcome_of
from netplace.runs.plan import make_plan
from netplace.runs.schedules import run_schedule
from netplace.scheduling.metrics import judged, paired
from netplace.scheduling.metrics.comparison import draws_needed

Pair = tuple[list[float], list[float], str]  # with the unit
_DIFFERENCES = (0.02, 0.05, 0.1)
_SEEDS, _PILOT = 10, 6  # of a study of seeds, and of the pilot from which one is planned


def series(rng: np.random.Generator, size: int, alike: float) -> Pair:
    """Return two series of equal means whose differences are autoregressive."""
    gaps = signal.lfilter([1], [1, -alike], rng.normal(0, 1, size + 500))[500:]
    base = rng.normal(100, 5, size)
    return base.tolist(), (base + gaps).tolist(), "batches"


def schedules(folder: Path, jobs: int, load: float) -> Callable[[int], Pair]:
    """Return pairs of schedules of the same jobs on random nodes, whose run times grow with their spread."""

    def pair(seed: int) -> Pair:
        rng = np.random.default_rng([7, seed])
        nodes = 2 ** rng.integers(0, 6, jobs)
        run = rng.lognormal(6, 1, jobs)
        submit = np.cumsum(rng.exponential(float((nodes * run).mean()) / (64 * load), jobs))
        log = folder / f"log-{seed}.csv"
        pd.DataFrame(
            {"number": np.arange(1, jobs + 1), "submit": submit, "nodes": nodes, "run_time": run}
        ).to_csv(log, index=False)
        same = {"machine": "torus:8x8", "workload": str(log), "policy": "easy"}
        found = []
        for draw in (1, 2):
            plan = make_plan({**same, "partition": "random", "times": "spread:0.3"}, 1000 * seed + draw)
            found.append(list(run_schedule(plan).figures.batches["turnaround"]))
        log.unlink()
        return found[0], found[1], "batches"

    return pair


def cosimulations(measure: str, jobs: int) -> Callable[[int], Pair]:
    """Return pairs of co-simulations of the same jobs on random nodes that differ in their seed."""

    def pair(seed: int) -> Pair:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "jobs.csv"
            rng = np.random.default_rng([11, seed])
            kinds = rng.choice(["butterfly", "2d-mesh", "2d-torus"], jobs)
            frame = pd.DataFrame({"number": np.arange(1, jobs + 1)})
            frame["submit"] = np.cumsum(rng.exponential(2e-5, jobs))
            frame["nodes"], frame["run_time"] = rng.choice([4, 16], jobs), 0.0
            frame["program"] = [f"{kind},bytes=256" for kind in kinds]
            frame.to_csv(log, index=False)
            columns = []
            for draw in (1, 2):
                same = {"machine": "torus:8x8", "workload": str(log), "policy": "easy", "partition": "random"}
                plan = make_cosim_plan(same, 1000 * seed + draw)
                rows = {row.job: (row, times) for row, times in ended(job_rows_of(outcome_of(plan)))}
                columns.append(
                    {
                        job: getattr(times, measure, None) or row.turnaround
                        for job, (row, times) in rows.items()
                    }
                )
            common = sorted(columns[0].keys() & columns[1].keys())
            return [columns[0][job] for job in common], [columns[1][job] for job in common], "jobs"

    return pair


def studies(rng: np.random.Generator, spread: float) -> Pair:
    """Return the means of ten seeds of two equal contestants; the pairs differ by a share of the mean."""
    base = rng.lognormal(0, 0.3, _SEEDS)
    return base.tolist(), (base + rng.normal(0, spread, _SEEDS)).tolist(), "seeds"


def rows(pairs: int, first: int) -> Iterator[dict[str, object]]:
    """Yield a row for each kind of pair."""
    seeds = range(first, first + pairs)
    with tempfile.TemporaryDirectory() as folder:
        kinds: dict[str, Callable[[int], Pair]] = {
            f"{size} values, correlation {alike:g}": lambda seed, size=size, alike=alike: series(
                np.random.default_rng([seed, size]), size, alike
            )
            for size in (20, 200, 2000)
            for alike in (0.0, 0.5, 0.9)
        }
        kinds |= {
            f"schedules, {jobs} jobs, load {load:g}": schedules(Path(folder), jobs, load)
            for jobs, load in ((300, 0.6), (300, 0.9))
        }
        kinds["co-simulations, 30 jobs, slowdown"] = cosimulations("slowdown", 30)
        kinds["studies of 10 seeds, spread 5 %"] = lambda seed: studies(
            np.random.default_rng([seed, 3]), 0.05
        )
        for name, make in kinds.items():
            row = {"pairs of": name, **shares([make(seed) for seed in seeds])}
            sys.stderr.write(f"{row}\n")
            yield row


def shares(pairs: list[Pair]) -> dict[str, float]:
    """Return how often pairs have an interval and are clear, as they are and with a difference added."""
    made = {"pairs": float(len(pairs))}
    found = [paired(*pair) for pair in pairs]
    made["interval"] = float(np.mean([not math.isnan(one.half_width) for one in found]))
    made["clear"] = float(np.mean([judged([one])[0].clear for one in found]))
    for difference in _DIFFERENCES:
        shifted = [
            paired(one, np.asarray(other) + difference * np.mean(one), unit) for one, other, unit in pairs
        ]
        made[f"{100 * difference:g} %"] = float(np.mean([judged([one])[0].clear for one in shifted]))
    return made


def needed(pairs: int, first: int) -> Iterator[dict[str, object]]:
    """Yield how often studies of the size that ``plan-study`` tells for a power of 0.8 show a difference."""
    for spread in (0.03, 0.1):
        for difference in _DIFFERENCES:
            shown, seeds = 0, []
            for seed in range(first, first + pairs):
                rng = np.random.default_rng([seed, 5])
                pilot = float(rng.normal(0, spread, _PILOT).std(ddof=1))
                seeds.append(draws_needed(pilot, difference, pilot=_PILOT))
                base = rng.lognormal(0, 0.3, seeds[-1])
                base /= base.mean()
                shown += judged([paired(base, base + rng.normal(difference, spread, seeds[-1]))])[0].clear
            yield {
                "spread %": 100 * spread,
                "difference %": 100 * difference,
                "seeds": int(np.median(seeds)),
                "shown": shown / pairs,
            }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1)
    given = parser.parse_args()
    for name, found in (
        ("verdicts", rows(given.pairs, given.first_seed)),
        ("verdicts_seeds", needed(10 * given.pairs, given.first_seed)),
    ):
        frame = pd.DataFrame(found)
        frame.to_csv(Path(__file__).with_name(f"{name}.csv"), index=False)
        sys.stdout.write(frame.to_string(index=False) + "\n")
