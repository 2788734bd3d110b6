"""How well charges predict the savings of a job: ``stall_attribution.csv`` and ``stall_attribution.png``.

Run with ``python docs/figures/stall_attribution.py``; takes some minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.cosim import cosimulate, make_cosim_plan, reasons
from netplace.report.plots import write_figure
from netplace.report.plots.figure import HELD, PALE, Curve, Figure, Panel, Rule

HERE = Path(__file__).parent
MACHINES = ("torus:8x8", "mesh:8x8", "tree:4,3")
SEEDS = 3
GIVEN = {
    "workload": "applications", "jobs": 20, "policy": "easy", "sizes": "small", "intensity": "low",
    "repeats": "5:15", "mean_interarrival": 1e-6, "partition": "random",
}  # fmt: skip


def measured(machine: str, seed: int) -> pd.DataFrame:
    """Return one row for each job slowed by 1 % and more, and each other job that it waited for.

    `blamed` is the job's loss (live less alone), shared out in proportion to
    the charges; `saved` is the saving of the run without the other job, both in percent of the time alone.
    """
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
                        "machine": machine,
                        "seed": seed,
                        "job": row["job"],
                        "other": neighbour.job,
                        "rank": rank,
                        "others": sum(other.amount > 0 for other in neighbours),
                        "blamed": 100 * (row["slowdown"] - 1) * neighbour.amount / charged,
                        "saved": 100 * neighbour.saved,
                    }
                )
    return pd.DataFrame(lines)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
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
    return pd.DataFrame(rows)


def draw(frame: pd.DataFrame) -> None:
    """Draw what is saved over what was blamed, a panel for each machine."""
    panels = []
    for machine in MACHINES:
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
    write_figure(HERE / "stall_attribution.png", figure)


if __name__ == "__main__":
    parts = []
    for machine in MACHINES:
        for seed in range(SEEDS):
            parts.append(measured(machine, seed))
            sys.stderr.write(f"{machine} {seed}\n")
    everything = pd.concat(parts)
    everything.to_csv(HERE / "stall_attribution.csv", index=False, float_format="%.6g")
    sys.stdout.write(summary(everything).to_string(index=False, float_format="%.3f") + "\n")
    draw(everything)
