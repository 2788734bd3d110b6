"""What partition and mapping cost, alone and together: ``docs/studies/placement-effects.md``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.published import grid
from netplace.experiments.shared.relative_bars import draw_relative, times_of
from netplace.netsim import Config
from netplace.placement import map_tasks, partition
from netplace.placement.rule import node_lists
from netplace.report.studies import Report, ReportTable, Row, Study, StudyRequest, of_runs
from netplace.runs import resolve
from netplace.topologies import parse

TASKS = 64
PUBLISHED = ("LU", "MG", "FT")
NPB = ("BT", "LU", "SP", "CG", "MG", "FT", "IS")
KERNELS: dict[str, dict[str, Any]] = {
    "tree": {"app": "binary-tree"},
    "butterfly": {"app": "butterfly"},
    "2D mesh": {"app": "2d-mesh"},
    "3D mesh": {"app": "3d-mesh"},
    "2D front": {"app": "2d-sweep"},
    "3D front": {"app": "3d-sweep"},
    "waterfall": {"app": "waterfall", "bytes": 256, "rounds": 286},
}
ON_TORI = ("row", "column", "quadrant", "random")
ON_TREES = ("consecutive", "shuffle", "random")


@dataclass(frozen=True)
class Part:
    """One table of the study; `quick` are the applications of the quick version."""

    network: str
    jobs: int = 1
    applications: tuple[str, ...] = (*NPB, *KERNELS)
    quick: tuple[str, ...] = ("LU",)
    quadrant: str = ""

    @property
    def placements(self) -> tuple[str, ...]:
        if self.quadrant:
            return ("row", "random")
        return ON_TREES if self.network.startswith("tree") else ON_TORI

    @property
    def title(self) -> str:
        kind, _, sides = self.network.partition(":")
        where = f"{'an' if sides == '8x8' else 'a'} {sides} torus"
        if kind == "tree":
            where = "a {}-ary {}-tree".format(*sides.split(","))
        number = "one instance" if self.jobs == 1 else f"{self.jobs} instances"
        if self.quadrant:
            where = f"one 8x8 quadrant of {where}"
        return f"{number} on {where}"


# Printed are times of one instance in "a quadrant of 8x8": with the links that close rings, or without.
ALONE = ("torus-1", "in-quadrant")
_SEVERAL = ("LU", "MG", "FT", "tree", "2D front")
PARTS = {
    "torus-1": Part("torus:8x8", quick=_SEVERAL),
    "torus-4": Part("torus:16x16", 4),
    "torus-16": Part("torus:32x32", 16, PUBLISHED),
    "in-quadrant": Part("torus:32x32", 1, PUBLISHED, quadrant="boxes:8x8@0,0"),
    "torus-16-others": Part(
        "torus:32x32", 16, tuple(app for app in (*NPB, *KERNELS) if app not in PUBLISHED), ("IS",)
    ),
    "tree-1": Part("tree:4,3", quick=_SEVERAL),
    "tree-4": Part("tree:4,4", 4),
    "tree-16": Part("tree:4,5", 16),
}


@lru_cache(maxsize=64)
def places(network: str, jobs: int, placement: str) -> tuple[str, str]:
    name, _, number = placement.partition(":")
    if name == "random":
        return f"random:{number}", "random"
    if name == "quadrant" and jobs == 1:
        quarters = partition("quadrants", parse(network), [TASKS // 4] * 4)
        return node_lists([np.concatenate(quarters)]), "consecutive"
    if name == "shuffle":
        order = map_tasks("shuffle", parse(network), jobs * TASKS)
        return node_lists(order.reshape(jobs, TASKS)), "consecutive"
    rules = {"row": "bands", "column": "columns", "quadrant": "quadrants", "consecutive": "whole"}
    return rules[name], "consecutive"


def rows(request: StudyRequest) -> list[Row]:
    """Return the runs: the first random placement before the second."""
    runs = [row for name in request.parts for row in _rows_of(name, request)]
    return sorted(runs, key=lambda row: int(row.labels["number"]))


def _rows_of(name: str, request: StudyRequest) -> Iterator[Row]:
    part = PARTS[name]
    tree = part.network.startswith("tree")
    many = request.partitions or (2 if request.quick else 5)
    for app in part.quick if request.quick else part.applications:
        for placement in part.placements:
            for number in range(many if placement == "random" else 1):
                if part.quadrant:
                    area, mapping = part.quadrant, "random" if placement == "random" else "consecutive"
                else:
                    area, mapping = places(part.network, part.jobs, f"{placement}:{number}")
                run = resolve(
                    part.network,
                    [_job(app, "W" if request.quick else "A") | {"mapping": mapping}] * part.jobs,
                    partition=area,
                    config=Config(vcs=1) if tree else Config(),
                    seed=number,
                )
                yield Row({"table": name, "app": app, "placement": placement, "number": number}, run)


def _job(app: str, problem_class: str) -> dict[str, Any]:
    if app in KERNELS:
        return {"tasks": TASKS, "bytes": 64 * 1024} | KERNELS[app]
    # One iteration: the others repeat its messages.
    return {"app": app.lower(), "class": problem_class, "tasks": TASKS, "iterations": 1}


def report(request: StudyRequest, runs: pd.DataFrame) -> Report:
    """Return a table for each part, times relative to the best placement beside the published."""
    printed = grid("pascual", "thesis table 3.1", PRINTED)
    tables, figures, sentences = [], {}, []
    for name in request.parts:
        compared = printed if name == "torus-16" else printed.iloc[:0]
        if name in ALONE and not request.quick:
            compared = grid("pascual", "thesis table 3.2", PRINTED_ALONE)
        cells = _cells(runs[runs["table"] == name], compared)
        title = PARTS[name].title
        tables += [
            ReportTable(name, f"{title}: time / best placement", _wide(cells), _WIDE_DIGITS),
            ReportTable(f"{name}-times", f"{title}: times in 10,000 cycles", cells, _DIGITS),
        ]
        sentences.append(f"{name}: {_summary(cells)}")
        figures[name] = partial(_draw, cells=cells, title=title)
    return Report(tuple(tables), tuple(sentences), figures)


PRINTED = {
    "Non-contiguous: Random": "random",
    "Contiguous: Column-order": "column",
    "Contiguous: Row-order": "row",
    "Contiguous: Quadrant/Row-order": "quadrant",
}
PRINTED_ALONE = {"Mapping: Random": "random", "Mapping: Row-order": "row"}
_DIGITS = {"mean": 2, "std": 2, "runs": 0, "to best": 2, "published": 1, "difference": 2}
_WIDE_DIGITS = dict.fromkeys((*ON_TORI, *ON_TREES, *(f"published {name}" for name in ON_TORI)), 2)


def _cells(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    cells = times_of(runs, "placement")
    cells["to best"] = cells["mean"] / cells.groupby("app")["mean"].transform("min")
    cells["published"] = [
        float(printed.loc[app, placement]) if app in printed.index and placement in printed else np.nan
        for app, placement in zip(cells["app"], cells["placement"], strict=True)
    ]
    return cells.assign(difference=cells["to best"] - cells["published"])


def _wide(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each application and a column for each placement, ours and then the published."""
    names, apps = list(dict.fromkeys(cells["placement"])), list(dict.fromkeys(cells["app"]))
    ours = cells.pivot(index="app", columns="placement", values="to best").loc[apps, names]
    ours["best"] = ours[names].idxmin(axis=1)
    if cells["published"].notna().any():
        theirs = cells.pivot(index="app", columns="placement", values="published").loc[apps, names]
        ours = ours.join(theirs.dropna(axis=1, how="all").add_prefix("published "))
    return ours.reset_index()


def _summary(cells: pd.DataFrame) -> str:
    """Return a sentence on the winners and the effect of chance."""
    table = cells.pivot(index="app", columns="placement", values="to best")
    wins = table.idxmin(axis=1).value_counts()
    worst = table.max(axis=1)
    return (
        f"best placement: {', '.join(f'{name} for {count}' for name, count in wins.items())} of {len(table)} "
        f"applications; random costs {table['random'].median():.2f} times the best (median), the worst "
        f"placement up to {worst.max():.2f} ({worst.idxmax()})."
    )


_draw = partial(
    draw_relative, series="placement", value="to best", published="published", base="best placement"
)

STUDY = Study(
    name="placement-effects",
    title="Run time by partition and mapping, on tori and trees",
    source=(
        "Navaridas, Pascual and Miguel-Alonso, PDP 2009, 55-61; "
        "Pascual, thesis, UPV/EHU 2013, Tables 3.1 and 3.2"
    ),
    parts={
        name: part.title + (f": {', '.join(PUBLISHED)}" if name == "torus-16" else "")
        for name, part in PARTS.items()
    },
    default=("torus-1", "torus-16", "in-quadrant", "tree-1"),
    run=of_runs(rows, report),
    options=("partitions",),
)
