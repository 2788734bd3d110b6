"""Sampled against live network time: measures ``sampled.csv`` and draws ``sampled.png``.

Run with ``python docs/figures/sampled.py``; takes some minutes, and goes on where it was stopped.

Jobs are loops of many iterations, which compute between them and so communicate for 0.4 of their time, as
jobs of a log do.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from netplace.cosim import Rates, cosimulate, make_cosim_plan, placing_of, replay, sampled_again, started_jobs
from netplace.cosim.plan import CosimPlan
from netplace.netsim import Config

HERE = Path(__file__).parent
MACHINES = ("torus:8x8", "mesh:8x8", "tree:4,3")
PARTITIONS = ("contiguous", "random")
SEEDS = 5
JITTER = 500  # cycles by which starts are moved to see what a run owes to chance
JOBS = 25
SIZES = {8: 7, 16: 6, 32: 5, 64: 4}  # nodes, and how often
LASTS = (1e5, 4e5)  # cycles of a loop alone
SHARE = 0.4  # of its time in which a loop communicates
APPLICATIONS = (
    "all-to-all", "binary-tree", "butterfly", "one-to-all", "2d-mesh", "2d-torus", "2d-sweep", "waterfall",
    "3d-mesh", "3d-torus", "3d-sweep", "all-to-one", "gups", "2d-t-torus", "3d-t-torus",
)  # fmt: skip


def loops(folder: Path, seed: int, late: float) -> dict[str, Any]:
    """Write a log, its jobs submitted `late` times as far apart, and what they run; return its plan."""
    rng = np.random.default_rng(seed)
    chance = np.array([*SIZES.values()]) / sum(SIZES.values())
    nodes, last = rng.choice([*SIZES], JOBS, p=chance), rng.uniform(*LASTS, JOBS) * Config().cycle_ns * 1e-9
    submit = np.cumsum(rng.exponential((nodes * last).mean() / 64, JOBS)) * late
    log = pd.DataFrame({"number": np.arange(1, JOBS + 1), "submit": submit, "nodes": nodes, "run_time": last})
    log.to_csv(folder / "log.csv", index=False)
    classes = "".join(f'[[class]]\napplication = "{name},packets=4"\n' for name in APPLICATIONS)
    (folder / "mix.toml").write_text(f"communication = {SHARE}\n{classes}", "utf-8")
    return {"workload": str(folder / "log.csv"), "applications": str(folder / "mix.toml")}


def timed(what: Callable[[], Any]) -> tuple[Any, float]:
    """Return what comes of a call, and its CPU seconds."""
    began = time.process_time()
    found = what()
    return found, time.process_time() - began


def measured(machine: str, partition: str, seed: int, folder: Path) -> pd.DataFrame:
    """Return one row a job: its times live and sampled, and what either owes to chance."""

    def plan_of(late: float) -> CosimPlan:
        given = {
            "machine": machine,
            "partition": partition,
            "policy": "easy",
            **loops(folder, seed, late),
        }
        return make_cosim_plan(given, seed)

    plan = plan_of(1)
    rows = cosimulate(plan).outcome["jobs"]
    placing, jobs = placing_of(plan), started_jobs(plan, rows)
    rates = Rates(placing, plan.precision)
    made, cpu_sampled = timed(lambda: sampled_again(placing, jobs, rates))
    rng = np.random.default_rng(seed)
    shifted = [replace(job, start=job.start + int(rng.integers(0, JITTER))) for job in jobs]
    moved = replay(placing, sorted(shifted, key=lambda job: job.start)).cycles
    _, cpu_live = timed(lambda: replay(placing, jobs))
    # Scheduled anew: what a time that differs a little makes of the order of starts, and so of the nodes.
    shaken = {row["job"]: row["live"] for row in cosimulate(plan_of(1.001)).outcome["jobs"]}
    second = placing.config.cycle_ns * 1e-9
    number = [row["job"] for row in rows]
    return pd.DataFrame(
        {
            "machine": machine,
            "partition": partition,
            "seed": seed,
            "job": number,
            "application": [row["application"] for row in rows],
            "live": [row["live"] for row in rows],
            "moved": [moved[job] * second for job in number],
            "sampled": [(made[job].end - made[job].begin) * second for job in number],
            "shaken": [shaken[job] for job in number],
            "slowdown_live": [row["slowdown"] for row in rows],
            "slowdown_sampled": [
                (made[job].end - made[job].begin) / rates.alone(made[job].placed) for job in number
            ],
            "cpu_live": cpu_live,
            "cpu_sampled": cpu_sampled,
        }
    )


def within(group: pd.DataFrame, name: str, share: float) -> float:
    """Return the percentage of jobs whose time is so near to the live one."""
    return 100 * float((abs(group[name] / group["live"] - 1) <= share).mean())


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each machine and partition."""
    rows = []
    for (machine, partition), group in frame.groupby(["machine", "partition"], sort=False):
        slow = group[["slowdown_live", "slowdown_sampled"]].mean()
        seeds = group.drop_duplicates("seed")
        rows.append(
            {
                "machine": machine,
                "partition": partition,
                "5 %": within(group, "sampled", 0.05),
                "10 %": within(group, "sampled", 0.1),
                "moved 5 %": within(group, "moved", 0.05),
                "slowdown live": float(slow.iloc[0]),
                "sampled": float(slow.iloc[1]),
                "live anew 5 %": within(group, "shaken", 0.05),
                "CPU live": float(seeds["cpu_live"].mean()),
                "CPU sampled": float(seeds["cpu_sampled"].mean()),
            }
        )
    return pd.DataFrame(rows)


def draw(frame: pd.DataFrame) -> None:
    """Draw how far sampled times are from live ones, beside live ones whose starts were moved."""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    panels = figure.subplots(1, len(MACHINES), sharey=True)
    for axes, machine in zip(panels, MACHINES, strict=True):
        group = frame[(frame["machine"] == machine) & (frame["partition"] == "random")]
        for name, label, line in (
            ("sampled", "sampled, same nodes and starts", "-"),
            ("moved", f"live, starts moved by up to {JITTER} cycles", "-"),
            ("shaken", "live, scheduled anew 0.1 % later", "--"),
        ):
            error = np.sort(np.abs(group[name] / group["live"] - 1)) * 100
            axes.plot(error, np.arange(1, len(error) + 1) / len(error) * 100, line, label=label)
        axes.set(title=f"{machine}, random nodes", xlabel="difference from the live time (%)", xlim=(0, 30))
        axes.axvline(5, color="0.6", linewidth=0.8)
        axes.grid(alpha=0.3)
    panels[0].set(ylabel="share of the jobs (%)", ylim=(0, 101))
    panels[-1].legend(loc="lower right", fontsize=7)
    figure.savefig(HERE / "sampled.png", dpi=130)


if __name__ == "__main__":
    table = HERE / "sampled.csv"
    parts = [pd.read_csv(table)] if table.exists() else []
    known = {tuple(row) for part in parts for row in part[["machine", "partition", "seed"]].to_numpy()}
    for seed, machine, partition in itertools.product(range(SEEDS), MACHINES, PARTITIONS):
        if (machine, partition, seed) not in known:
            with tempfile.TemporaryDirectory() as folder:
                parts.append(measured(machine, partition, seed, Path(folder)))
            pd.concat(parts).to_csv(table, index=False, float_format="%.6g")
            sys.stderr.write(f"{machine} {partition} {seed}\n")
    everything = pd.concat(parts)
    sys.stdout.write(summary(everything).to_string(index=False, float_format="%.3f") + "\n")
    draw(everything)
