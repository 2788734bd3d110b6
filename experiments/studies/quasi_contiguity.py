"""Quasi-contiguity: what it costs a job that a few of its tasks sit outside its subtree.

Sources: J. A. Pascual, J. Navaridas and J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009, LNCS 5798, 138-156; J. A. Pascual, doctoral thesis, UPV/EHU 2013,
Table 3.9.

Sixteen jobs of 16 tasks fill a 4-ary 4-tree. *Contiguous*: each has a subtree of two levels. *k astray*: k
tasks of every job have exchanged nodes with k tasks of another job: *one level* up, the last tasks of each of
the four jobs below one switch of the third level, as the published allocation lets tasks stray; *together*,
neighbours on one leaf switch that go to one leaf switch anywhere; or *apart*, each drawn by itself and gone
to a job of its own. *Random*: every job has nodes drawn over the whole network. The published table does not
say which tasks stray, nor how often that was drawn; its caption lets them go anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.studies.relative_bars import draw_relative
from netplace.experiments.studies.report import Report, ReportTable
from netplace.experiments.studies.statistics import spread
from netplace.experiments.studies.study import Asked, Row, Study, of_runs, published
from netplace.netsim import Config
from netplace.placement.node_lists import node_lists
from netplace.runs import resolve

__all__ = ["STUDY", "astray", "one_level_astray"]

NETWORK, JOBS, TASKS, LEAF = "tree:4,4", 16, 16, 4
ASTRAY = (1, 2, 3, 4)
LAYOUTS = ("contiguous", *(f"{count} astray" for count in ASTRAY), "random")
PARTS = {
    "one-level": ("LU", "MG", "FT"),
    "together": ("LU", "MG", "FT"),
    "apart": ("LU", "MG", "FT"),
    "others": ("BT", "SP", "CG", "IS"),
}
PRINTED = dict(
    zip(LAYOUTS, ("contiguous", "1_task", "2_task", "3_task", "4_task", "random"), strict=True)
)  # column of the published table
ALIKE = 0.10  # share by which a time relative to contiguous may differ and still be called the same


def one_level_astray(jobs: int, tasks: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the node of each task when the last ones of each job sit one level above it.

    Jobs below one switch of the level above exchange their last `count` tasks in a random ring: none comes
    home. Parameters and result are as of `astray`.
    """
    nodes = np.arange(jobs * tasks).reshape(jobs, tasks)
    for first in range(0, jobs, LEAF):
        ring = first + rng.permutation(LEAF)
        nodes[ring, tasks - count :] = np.roll(nodes[ring, tasks - count :], -1, axis=0)
    return nodes


def astray(jobs: int, tasks: int, count: int, apart: bool, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the node of each task when jobs on consecutive nodes have exchanged some of them.

    Parameters
    ----------
    jobs, tasks : int
        How many jobs, and tasks of each.
    count : int
        How many tasks of each job sit on a node of another job.
    apart : bool
        Whether each of them is drawn by itself and exchanged by itself; if not, they are the first ones of a
        drawn leaf switch, and go together.
    rng : numpy.random.Generator
        Where draws come from.

    Returns
    -------
    ndarray of int64, shape (jobs, tasks)
        Tasks astray have the nodes of those of the next job in a random ring of all jobs: none comes home.
    """
    nodes = np.arange(jobs * tasks).reshape(jobs, tasks)
    if apart:
        for task in np.array([rng.permutation(tasks)[:count] for _ in range(jobs)]).T:
            ring = rng.permutation(jobs)
            nodes[ring, task[ring]] = np.roll(nodes[ring, task[ring]], -1)
        return nodes
    chosen = LEAF * rng.integers(tasks // LEAF, size=jobs)[:, None] + np.arange(count)
    ring = rng.permutation(jobs)[:, None]
    nodes[ring, chosen[ring[:, 0]]] = np.roll(nodes[ring, chosen[ring[:, 0]]], -1, axis=0)
    return nodes


def rows(asked: Asked) -> list[Row]:
    """Return the runs: the first layout of every kind before the second."""
    found = [row for part in asked.parts for app in _apps(part, asked) for row in _rows_of(part, app, asked)]
    return sorted(found, key=lambda row: int(row.labels["number"]))


def _apps(part: str, asked: Asked) -> tuple[str, ...]:
    return PARTS[part][:1] if asked.quick else PARTS[part]


def _rows_of(part: str, app: str, asked: Asked) -> Iterator[Row]:
    # An iteration alone takes as long as any other: the first stands for twenty in the quick version.
    job = {"trace": f"{app}.W.16"} | ({"iterations": "1:1"} if asked.quick else {})
    for layout in LAYOUTS:
        for number in range(1 if layout == "contiguous" else _layouts(asked)):
            for simulation in range(asked.sim_seeds or 1):
                run = resolve(
                    NETWORK,
                    [job] * JOBS,
                    partition=_partition(layout, number, part),
                    config=Config(vcs=1),  # literature's k-ary n-trees have plain switches
                    seed=number,
                    network_seed=number + 1_000_000 * simulation,
                )
                yield Row({"table": part, "app": app, "layout": layout, "number": number}, run)


def _layouts(asked: Asked) -> int:
    return asked.partitions or (2 if asked.quick else 5)


def _partition(layout: str, number: int, part: str) -> str:
    if layout == "contiguous":
        return "whole"
    if layout == "random":
        return f"random:{number}"
    count = int(layout.split()[0])
    rng = np.random.default_rng([number, count])
    if part == "one-level":
        return node_lists(one_level_astray(JOBS, TASKS, count, rng))
    return node_lists(astray(JOBS, TASKS, count, part == "apart", rng))


def report(asked: Asked, runs: pd.DataFrame) -> Report:
    """Return a table for each part, ours beside the published, and how far they agree."""
    printed = published("quasi_contiguous_4ary4tree_16_tasks.csv").set_index("app")
    tables, figures, told = [], {}, tuple[str, ...]()
    for name in asked.parts:
        found = _cells(runs[runs["table"] == name], printed)
        title = f"{STUDY.parts[name]}; time of the slowest of {JOBS} jobs, in 10,000 cycles"
        tables.append(ReportTable(name, title, found, _DIGITS))
        figures[name] = partial(_draw, cells=found, title=STUDY.parts[name])
        told += tuple(f"{name}: {sentence}" for sentence in _summary(found))
    return Report(tuple(tables), told, figures)


_DIGITS = {
    "mean": 2,
    "std": 2,
    "runs": 0,
    "to contiguous": 2,
    "least": 2,
    "most": 2,
    "published": 2,
    "difference": 2,
}


def _cells(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each application and layout: ours and the published, relative to contiguous."""
    found = []
    for app, group in runs.groupby("app", sort=False):
        base = float(group.loc[group["layout"] == "contiguous", "cycles"].mean())
        for layout, own in group.groupby("layout", sort=False):
            mean, deviation = spread((own["cycles"] / 1e4).tolist())
            relative = own["cycles"] / base
            theirs = float(printed.loc[app, PRINTED[str(layout)]]) if app in printed.index else np.nan
            found.append(
                {
                    "app": app,
                    "layout": layout,
                    "mean": mean,
                    "std": deviation if len(own) > 1 else np.nan,
                    "runs": len(own),
                    "to contiguous": float(relative.mean()),
                    "least": float(relative.min()),
                    "most": float(relative.max()),
                    "published": theirs,
                    "difference": float(relative.mean()) - theirs,
                }
            )
    return pd.DataFrame(found)


def _summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on what straying costs, and how far that agrees with what was published."""
    table = cells.pivot(index="app", columns="layout", values="to contiguous")
    few = table[[f"{count} astray" for count in ASTRAY]].to_numpy() - 1
    far = table["random"].to_numpy() - 1
    told = [
        f"1 to 4 tasks astray add {few.min():.0%} to {few.max():.0%} to the contiguous time (means of an "
        f"application's layouts), random nodes {far.min():.0%} to {far.max():.0%}."
    ]
    beside = cells[cells["published"].notna() & (cells["layout"] != "contiguous")]
    if beside.empty:
        return [*told, "Nothing is published for these applications."]
    off = beside["to contiguous"] / beside["published"] - 1
    differ = [
        f"{row['app']} {row['layout']} {row['to contiguous']:.2f} (published {row['published']:.2f})"
        for _, row in beside[off.abs() > ALIKE].iterrows()
    ]
    same = f"{len(beside) - len(differ)} of {len(beside)} relative times within {ALIKE:.0%} of the published"
    told.append(f"{same}; not {', '.join(differ)}." if differ else f"{same}.")
    told.append(f"Mean absolute difference of the relative times: {beside['difference'].abs().mean():.2f}.")
    return told


_draw = partial(
    draw_relative, series="layout", value="to contiguous", published="published", base="contiguous"
)

STUDY = Study(
    name="quasi-contiguity",
    title="What a few tasks outside the job's subtree cost",
    source="Pascual, Navaridas and Miguel-Alonso, JSSPP 2009; Pascual, thesis, UPV/EHU 2013, Table 3.9",
    parts={
        "one-level": "tasks astray one level up, as published: LU, MG and FT of class W",
        "together": "tasks astray on one leaf switch: LU, MG and FT of class W",
        "apart": "tasks astray one by one: LU, MG and FT of class W",
        "others": "tasks astray on one leaf switch: BT, SP, CG and IS of class W",
    },
    usual=("one-level", "together"),
    conduct=of_runs(rows, report),
    options=("partitions", "sim_seeds"),
)
