"""How strict a partitioner should be: ``docs/studies/pareto.md``."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.shared.shared_cases import (
    SATURATED,
    Made,
    Shared,
    carried_out,
    frame_of,
    size_of,
)
from netplace.report.plots import write_figure
from netplace.report.plots.points import trade_off_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.scheduling.metrics.interval import half_width

MACHINES = {"tree": "tree:4,3", "torus": "torus:8x8"}
STRICT = {
    "tree": (
        *(f"quasi-contiguous:{percent}" for percent in (0, 5, 10, 20, 30, 50, 75, 100)),
        "non-contiguous",
        "random",
    ),
    "torus": (
        "contiguous:cubic",
        "contiguous",
        "curve:hilbert,best-fit",
        "curve:hilbert,minimum-span",
        "curve:row,minimum-span",
        "paging:1",
        "mc",
        "mm",
        "non-contiguous",
        "random",
    ),
}
CLASSES = "mixed"
POLICY = "easy"
LOADS = (0.8, SATURATED)
PARTS = {
    "tree": "percentages of nodes outside the subtree, on tree:4,3",
    "torus": "allocators on torus:8x8",
}


def cases(request: StudyRequest) -> list[Shared]:
    size = size_of(request)
    return [
        Shared(MACHINES[part], CLASSES, load, POLICY, partition, seed)
        for part in request.parts
        for load, partition, seed in itertools.product(
            LOADS[-1:] if request.quick else LOADS,
            STRICT[part][::3] if request.quick else STRICT[part],
            range(size.seeds),
        )
    ]


def run(request: StudyRequest, context: StudyContext) -> Report:
    frame = _frame(carried_out(cases(request), request, context))
    digits = {"wait µs": 1, "± wait": 1, "slowdown": 3, "± slowdown": 3, "turnaround µs": 1}
    tables, sentences, figures = [], [], {}
    for part in request.parts:
        own = frame[frame["machine"] == MACHINES[part]].drop(columns="machine")
        tables.append(ReportTable(part, f"{MACHINES[part]}: means over seeds", own, digits))
        figures[part] = partial(draw, cells=own, machine=MACHINES[part])
        for load, group in own.groupby("load", sort=False):
            best = group.loc[group["turnaround µs"].idxmin(), "partition"]
            on = ", ".join(group[group["front"] == "*"]["partition"])
            sentences.append(f"{MACHINES[part]}, load {load}: on the front {on}; least turnaround {best}.")
    return Report(tuple(tables), tuple(sentences), figures)


def front(wait: NDArray[np.float64], slowdown: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points no other beats in both: less of one, and no more of the other.

    Examples
    --------
    >>> front(np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 1.0])).tolist()
    [True, False, True]
    """
    no_more = (wait[None, :] <= wait[:, None]) & (slowdown[None, :] <= slowdown[:, None])
    less = (wait[None, :] < wait[:, None]) | (slowdown[None, :] < slowdown[:, None])
    return np.logical_not((no_more & less).any(axis=1))


def with_front(frame: pd.DataFrame, by: list[str], wait: str, other: str) -> pd.DataFrame:
    """Return the table with a column that marks what none of its group beats."""
    marked = frame.assign(front="")
    for _, group in frame.groupby(by, sort=False):
        best = front(group[wait].to_numpy(), group[other].to_numpy())
        marked.loc[group.index[best], "front"] = "*"
    return marked


def _frame(made: Made) -> pd.DataFrame:
    frame = frame_of(made).rename(columns={"wait": "wait µs", "turnaround": "turnaround µs"})
    groups = frame.groupby(["machine", "load", "partition"], sort=False)
    half = groups[["wait µs", "slowdown"]].agg(half_width)
    frame = groups[["wait µs", "slowdown", "turnaround µs"]].mean()
    frame.insert(1, "± wait", half["wait µs"])
    frame.insert(3, "± slowdown", half["slowdown"])
    return with_front(frame.reset_index(), ["machine", "load"], "wait µs", "slowdown")


def draw(path: Path, cells: pd.DataFrame, machine: str) -> None:
    """Draw waiting against slowdown due to sharing, a panel for each load, with what none beats in both."""
    partitions = list(cells["partition"].unique())
    panels = {}
    for load, own in cells.groupby("load", sort=False):
        # Partitioners that do the same are one point with all their names.
        same = own.groupby(["wait µs", "slowdown"], sort=False)
        point = same.first().reset_index()
        panels[f"load {load}"] = pd.DataFrame(
            {
                "name": [_names(group["partition"].tolist()) for _, group in same],
                "look": point["partition"].map(partitions.index),  # one look in all pictures
                "x": point["wait µs"],
                "y": 100 * (point["slowdown"] - 1),
                "half_x": point["± wait"],
                "half": 100 * point["± slowdown"],
                "front": point["front"],
            }
        )
    # Most contestants lie within some per cent, random nodes far above: a scale that shows both.
    axes = "mean wait (µs)", "mean slowdown due to sharing (%)"
    write_figure(path, trade_off_figure(f"{machine}, EASY", panels, *axes, y_scale="symlog"))


def _names(partitions: list[str]) -> str:
    """Return the names of partitioners, those that differ in a number alone with all their numbers."""
    numbers: dict[str, list[str]] = {}
    for text in partitions:
        name, _, number = text.partition(":")
        numbers.setdefault(name if number.isdecimal() else text, []).append(number)
    return ", ".join(
        f"{name}:{numbers[name][0]}..{numbers[name][-1]}"
        if len(numbers[name]) > 1
        else (f"{name}:{numbers[name][0]}" if name not in partitions else name)
        for name in numbers
    )


STUDY = Study(
    name="pareto",
    title="How strict should an allocator be? Waiting time against slowdown",
    source="none for this question; strictness as in J. A. Pascual and others, 2009",
    parts=PARTS,
    run=run,
)
