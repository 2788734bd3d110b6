"""What the place of a training job costs it: partitioners and orders of ranks, alone and beside other jobs.

A step of training on 128 nodes of a machine of about a thousand, whose nodes a partitioner gives it after
others have come and gone, while eight jobs of high-performance computing, placed by the same partitioner,
compute and communicate beside it. Nothing of the kind is published for machines that both share.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from netplace.experiments.training_placement.cells import RANKS, Cell, Scaled
from netplace.experiments.training_placement.picture import draw_steps
from netplace.studies.report import Report, ReportTable
from netplace.studies.schedules import kept_outcomes
from netplace.studies.study import Asked, Bench, Study

__all__ = ["STUDY", "cells"]

MACHINES = {
    "torus": ("torus:10x10x10", ("contiguous:round-up", "curve:hilbert", "random")),
    "tree": ("tree:10,3", ("nearly-contiguous:20", "slurm:tree", "random")),
    "dragonfly": ("dragonfly:a=8,p=4,h=4", ("pss:levels", "slurm:tree", "random")),
}
ORDERS = ("tp-cp-dp-pp", "tp-cp-pp-dp", "pp-cp-dp-tp")
DRAWS = 2
SCALES = (131072, 65536, 32768, 16384, 8192)  # bytes of a phit
PARTS = {
    **{name: f"a job of {RANKS} ranks on {machine}" for name, (machine, _) in MACHINES.items()},
    "scaling": "the same step with bytes and clock scaled more and less",
}


def cells(part: str, asked: Asked) -> list[Cell]:
    """Return the cells of a machine."""
    machine, partitioners = MACHINES[part]
    draws = asked.partitions or (1 if asked.quick else DRAWS)
    return [
        Cell(machine, partitioner, order, draw)
        for partitioner in (partitioners[::2] if asked.quick else partitioners)
        for order in (ORDERS[::2] if asked.quick else ORDERS)
        for draw in range(draws)
    ]


def conduct(asked: Asked, bench: Bench) -> Report:
    """Simulate what is missing, and report."""
    tables, summary, figures = [], [], {}
    for part in asked.parts:
        if part == "scaling":
            tables.append(_scaling(asked, bench))
            continue
        wanted = {cell.key: cell for cell in cells(part, asked)}
        found = kept_outcomes(wanted, Cell.carry_out, Cell.describe, bench)
        steps = _steps([(cell, found[key]) for key, cell in wanted.items()])
        title = f"{PARTS[part]}: milliseconds of a step, means over draws, and most less least of them"
        tables.append(ReportTable(part, title, steps, _DIGITS))
        figures[part] = partial(draw_steps, steps=steps, title=PARTS[part])
        summary.append(_said(part, steps))
    return Report(tuple(tables), tuple(summary), figures)


_DIGITS = {"neighbours": 1, "distance": 2, "live / alone": 2} | dict.fromkeys(
    ("alone", "alone, spread", "live", "live, spread"), 1
)


def _steps(outcomes: list[tuple[Cell, dict[str, Any]]]) -> pd.DataFrame:
    """Return a row for each partitioner and order."""
    frame = pd.DataFrame([vars(cell) | found for cell, found in outcomes])
    rows = []
    for (partitioner, order), own in frame.groupby(["partitioner", "order"], sort=False):
        alone, live = own["alone"].to_numpy(), own["live"].to_numpy()
        rows.append(
            {
                "partitioner": partitioner,
                "order": order,
                "neighbours": own["neighbours"].mean(),
                "distance": own["distance"].mean(),
                "alone": alone.mean(),
                "alone, spread": np.ptp(alone),
                "live": live.mean(),
                "live, spread": np.ptp(live),
                "live / alone": float(stats.gmean(live / alone)),
            }
        )
    return pd.DataFrame(rows)


def _said(part: str, steps: pd.DataFrame) -> str:
    best, worst = (steps.loc[place] for place in (steps["live"].idxmin(), steps["live"].idxmax()))
    return (
        f"{part}: a step takes {best['live']:.0f} ms live with {best['partitioner']} and {best['order']}, "
        f"{worst['live']:.0f} with {worst['partitioner']} and {worst['order']}; alone "
        f"{steps['alone'].min():.0f} to {steps['alone'].max():.0f}; sharing costs "
        f"{100 * (steps['live / alone'].min() - 1):.0f} to {100 * (steps['live / alone'].max() - 1):.0f} %."
    )


def _scaling(asked: Asked, bench: Bench) -> ReportTable:
    """Return the step by the size of a phit; the smallest is the nearest to the truth."""
    wanted = {
        case.key: case
        for machine, _ in MACHINES.values()
        for case in (Scaled(machine, bytes) for bytes in (SCALES[:2] if asked.quick else SCALES))
    }
    found = kept_outcomes(wanted, Scaled.carry_out, Scaled.describe, bench)
    frame = pd.DataFrame([vars(case) | found[key] for key, case in wanted.items()])
    finest = frame.groupby("machine")["alone"].transform("last")
    frame["more than finest %"] = 100 * (frame["alone"] / finest - 1)
    frame = frame.rename(columns={"phit_bytes": "bytes of a phit"})
    digits = {"bytes of a phit": 0, "packets": 0, "alone": 2, "more than finest %": 1}
    title = "A step on the first nodes, alone: milliseconds by the bytes of a phit, 16 of which are a packet"
    return ReportTable("scaling", title, frame, digits)


STUDY = Study(
    name="training-placement",
    title="What do partitioner and rank order cost a training job, alone and beside an HPC mix?",
    source="this project; nothing of the kind is published",
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
    options=("partitions",),
)
