"""Sampled against live network time: measures ``sampled.csv`` and draws ``sampled.png``.

Run with ``python docs/figures/sampled.py``; takes some minutes.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from netplace.cosim import cosimulate, make_cosim_plan, placing_of, replay, started_jobs

HERE = Path(__file__).parent
MACHINES = ("torus:8x8", "mesh:8x8", "tree:4,3")
PARTITIONS = ("contiguous", "random")
SEEDS = 3
JITTER = 500  # cycles by which starts are moved to see what a run owes to chance


def measured(machine: str, partition: str, seed: int) -> pd.DataFrame:
    """Return one row a job: its times live, sampled, and live once more with starts moved a little."""
    given = {
        "machine": machine, "partition": partition, "workload": "applications", "jobs": 25, "policy": "easy",
        "sizes": "small", "intensity": "low", "repeats": "20:40", "mean_gap": 2e-6,
    }  # fmt: skip
    plans = {kind: make_cosim_plan(given | {"network_time": kind}, seed) for kind in ("live", "sampled")}
    found, took = {}, {}
    for kind, plan in plans.items():
        began = time.process_time()
        found[kind] = cosimulate(plan).outcome["jobs"]
        took[kind] = time.process_time() - began
    rng = np.random.default_rng(seed)
    placing = placing_of(plans["live"])
    jobs = [
        replace(job, start=job.start + int(rng.integers(0, JITTER)))
        for job in started_jobs(plans["live"], found["live"])
    ]
    again = replay(placing, sorted(jobs, key=lambda job: job.start)).cycles
    second = placing.config.cycle_ns * 1e-9
    return pd.DataFrame(
        {
            "machine": machine,
            "partition": partition,
            "seed": seed,
            "job": [row["job"] for row in found["live"]],
            "live": [row["live"] for row in found["live"]],
            "moved": [again[row["job"]] * second for row in found["live"]],
            "sampled": [row["live"] for row in found["sampled"]],
            "slowdown_live": [row["slowdown"] for row in found["live"]],
            "slowdown_sampled": [row["slowdown"] for row in found["sampled"]],
            "cpu_live": took["live"],
            "cpu_sampled": took["sampled"],
        }
    )


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each machine and partition."""
    rows = []
    for (machine, partition), group in frame.groupby(["machine", "partition"], sort=False):
        ratio, moved = group["sampled"] / group["live"], group["moved"] / group["live"]
        slow = group[["slowdown_live", "slowdown_sampled"]].mean()
        seeds = group.drop_duplicates("seed")
        rows.append(
            {
                "machine": machine,
                "partition": partition,
                "within 5 %": 100 * float((abs(ratio - 1) <= 0.05).mean()),
                "within 10 %": 100 * float((abs(ratio - 1) <= 0.1).mean()),
                "median": float(ratio.median()),
                "moved, within 5 %": 100 * float((abs(moved - 1) <= 0.05).mean()),
                "slowdown live": float(slow.iloc[0]),
                "slowdown sampled": float(slow.iloc[1]),
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
        for name, label in (
            ("sampled", "sampled"),
            ("moved", f"live, starts moved by up to {JITTER} cycles"),
        ):
            error = np.sort(np.abs(group[name] / group["live"] - 1)) * 100
            axes.plot(error, np.arange(1, len(error) + 1) / len(error) * 100, label=label)
        axes.set(title=f"{machine}, random nodes", xlabel="difference from the live time (%)", xlim=(0, 50))
        axes.axvline(5, color="0.6", linewidth=0.8)
        axes.grid(alpha=0.3)
    panels[0].set(ylabel="share of the jobs (%)", ylim=(0, 101))
    panels[-1].legend(loc="lower right", fontsize=8)
    figure.savefig(HERE / "sampled.png", dpi=130)


if __name__ == "__main__":
    parts = []
    for seed in range(SEEDS):
        for machine in MACHINES:
            for partition in PARTITIONS:
                parts.append(measured(machine, partition, seed))
                sys.stderr.write(f"{machine} {partition} {seed}\n")
        everything = pd.concat(parts)
        everything.to_csv(HERE / "sampled.csv", index=False, float_format="%.6g")
    sys.stdout.write(summary(everything).to_string(index=False, float_format="%.3f") + "\n")
    draw(everything)
