"""What the place of a training job costs it: partitioners and orders of ranks, alone and beside other jobs.

A step of training on 128 nodes of a machine of about a thousand, whose nodes a partitioner gives it after
others have come and gone, while eight jobs of high-performance computing, placed by the same partitioner,
compute and communicate beside it. Nothing of the kind is published for machines that both share.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations

import pandas as pd

from netplace.experiments.training_placement.cells import RANKS, Cell, Scaled
from netplace.experiments.training_placement.picture import draw_steps
from netplace.experiments.training_placement.tables import by_partitioner, shares_of_spread, steps_of
from netplace.studies.report import Report, ReportTable
from netplace.studies.schedules import kept_outcomes
from netplace.studies.study import Asked, Bench, Study

__all__ = ["MACHINES", "ORDERS", "STUDY", "cells"]

# Machines, and the partitioners that are defined on them; of several that give the same boxes, one.
MACHINES = {
    "torus": (
        "torus:10x10x10",
        (
            "contiguous:round-up",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "mm",
            "mm+inc",
            "mc:cubic",
            "mc1x1",
            "curve:hilbert",
            "curve:hilbert,best-fit",
            "mbs",
            "paging:1",
            "slurm:flat",
            "non-contiguous",
            "random",
        ),
    ),
    "tree": (
        "tree:10,3",
        (
            "contiguous",
            "quasi-contiguous:20",
            "nearly-contiguous:20",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "paging:1",
            "slurm:tree",
            "non-contiguous",
            "random",
        ),
    ),
    "dragonfly": (
        "dragonfly:a=8,p=4,h=4",
        (
            "groups",
            "switches",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "slurm:tree",
            "non-contiguous",
            "random",
        ),
    ),
}
# Every order of tensor, data and pipeline ranks; of context ranks there is one, beside those of tensors.
ORDERS = tuple("-".join(order).replace("tp", "tp-cp") for order in permutations(("tp", "dp", "pp")))
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
        for draw in range(draws)
        for partitioner in (partitioners[:: len(partitioners) - 1] if asked.quick else partitioners)
        for order in (ORDERS[:: len(ORDERS) - 1] if asked.quick else ORDERS)
    ]


def conduct(asked: Asked, bench: Bench) -> Report:
    """Simulate what is missing, and report."""
    tables, summary, figures = [], [], {}
    for part in asked.parts:
        if part == "scaling":
            tables.append(_scaling(asked, bench))
            continue
        wanted = {cell.key: cell for cell in cells(part, asked)}
        kept = kept_outcomes(wanted, Cell.run, Cell.describe, bench)
        steps = steps_of((cell, kept[key]) for key, cell in wanted.items())
        tables += _tables(part, steps)
        figures[part] = partial(draw_steps, steps=steps, title=f"{PARTS[part]}: mean milliseconds of a step")
        summary.append(_said(part, steps))
    return Report(tuple(tables), tuple(summary), figures)


def _tables(part: str, steps: pd.DataFrame) -> tuple[ReportTable, ...]:
    partitioners, shares = by_partitioner(steps), shares_of_spread(steps)
    times = ("alone", "live", "live, best", "live, worst")
    ratios = tuple(shares.filter(like="least"))
    return (
        ReportTable(
            f"{part}-partitioners",
            f"{PARTS[part]}: milliseconds of a step by partitioner, means over orders and draws",
            partitioners,
            {"neighbours": 1, "distance": 2, "live / alone": 2} | dict.fromkeys(times, 0),
        ),
        ReportTable(
            f"{part}-shares",
            f"{PARTS[part]}: shares of the spread of a step's time",
            shares,
            dict.fromkeys(shares.filter(like="%"), 0) | dict.fromkeys(ratios, 2),
        ),
        ReportTable(
            part,
            f"{PARTS[part]}: milliseconds of a step, one by one",
            steps.drop(columns="machine"),
            {"draw": 0, "neighbours": 0, "distance": 2, "alone": 1, "live": 1},
        ),
    )


def _said(part: str, steps: pd.DataFrame) -> str:
    means = steps.groupby(["partitioner", "order"], sort=False)[["alone", "live"]].mean()
    (best, best_order), (worst, worst_order) = means["live"].idxmin(), means["live"].idxmax()
    ratios = by_partitioner(steps)["live / alone"]
    return (
        f"{part}: a step takes {means['live'].min():.0f} ms live with {best} and {best_order}, "
        f"{means['live'].max():.0f} with {worst} and {worst_order}; alone {means['alone'].min():.0f} to "
        f"{means['alone'].max():.0f}; sharing costs {100 * (ratios.min() - 1):.0f} to "
        f"{100 * (ratios.max() - 1):.0f} % by partitioner."
    )


def _scaling(asked: Asked, bench: Bench) -> ReportTable:
    """Return the step by the size of a phit; the smallest is the nearest to the truth."""
    wanted = {
        case.key: case
        for machine, _ in MACHINES.values()
        for case in (Scaled(machine, bytes) for bytes in (SCALES[:2] if asked.quick else SCALES))
    }
    kept = kept_outcomes(wanted, Scaled.run, Scaled.describe, bench)
    frame = pd.DataFrame([vars(case) | kept[key] for key, case in wanted.items()])
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
