"""What a few tasks outside the subtree of a job cost: ``docs/studies/quasi-contiguity.md``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.published import grid
from netplace.experiments.shared.relative_bars import draw_relative, times_of
from netplace.experiments.shared.statistics import constant
from netplace.netsim import Config
from netplace.placement.rule import node_lists
from netplace.report.studies import Report, ReportTable, Row, Study, StudyRequest, of_runs
from netplace.runs import resolve

# Nodes of jobs that have exchanged a few tasks: which tasks stray, how far, and with which jobs.
#
# J. A. Pascual's thesis (UPV/EHU 2013), Table 3.9, has jobs with 1 to 4 tasks outside their subtree. Which
# ones, where they are and how often that was drawn is not told there; each `Reading` is one answer.

_LEAF = 4  # tasks below a leaf switch, and jobs below a switch of the third level
STRAYS = {
    "last": "the last tasks of each job",
    "leaf": "the first tasks of a drawn leaf switch of each job",
    "drawn": "tasks drawn, job by job",
    "first fit": "the last tasks, on the first nodes of the next subtree, whose job has moved on as far",
}
REACHES = {"one level": "with one of the four jobs below one switch", "anywhere": "with any job"}
EXCHANGES = {
    "together": "all stray tasks of a job go to one other job, in a random ring of jobs",
    "each": "each goes by itself, in a ring of its own",
}


@dataclass(frozen=True)
class Reading:
    """What the published table may mean."""

    # Keys of `STRAYS`, `REACHES` and `EXCHANGES`.
    strays: str
    reach: str
    exchange: str

    def __str__(self) -> str:
        return f"{self.strays}, {self.reach}, {self.exchange}"


FIRST_FIT = Reading("first fit", "one level", "together")  # what the paper's algorithm does on a full machine
READINGS = tuple(itertools.starmap(Reading, itertools.product(("last", "leaf", "drawn"), REACHES, EXCHANGES)))


def exchanged(
    jobs: int, tasks: int, count: int, reading: Reading, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the node of each task, shape (jobs, tasks), when jobs have exchanged `count` tasks each.

    Tasks outside have the nodes of those of the next job in a ring: none comes home.
    """
    nodes = np.arange(jobs * tasks).reshape(jobs, tasks)
    if reading == FIRST_FIT:
        return np.roll(nodes.reshape(-1, _LEAF * tasks), -count, axis=1).reshape(jobs, tasks)
    chosen = _chosen(jobs, tasks, count, reading.strays, rng)
    width = _LEAF if reading.reach == "one level" else jobs
    parts = [chosen] if reading.exchange == "together" else list(chosen.T[:, :, None])
    for first in range(0, jobs, width):
        for part in parts:
            ring = (first + rng.permutation(width))[:, None]
            there = part[ring[:, 0]]
            nodes[ring, there] = np.roll(nodes[ring, there], -1, axis=0)
    return nodes


def _chosen(jobs: int, tasks: int, count: int, strays: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the tasks of each job that stray, shape (jobs, count)."""
    if strays == "last":
        return np.tile(np.arange(tasks - count, tasks), (jobs, 1))
    if strays == "leaf":
        return _LEAF * rng.integers(tasks // _LEAF, size=jobs)[:, None] + np.arange(count)
    return np.array([rng.permutation(tasks)[:count] for _ in range(jobs)])


_OUTSIDE = (1, 2, 3, 4)
_LAYOUTS = ("contiguous", *(f"{count} outside" for count in _OUTSIDE), "random")
PRINTED = {  # head of the printed column: layout
    "Contiguous 0-task": "contiguous",
    **{f"Quasi-contiguous {count}-task": f"{count} outside" for count in _OUTSIDE},
    "Non-contiguous 16-task (Random)": "random",
}
ALIKE = 0.10  # share by which a time relative to contiguous may differ and still be called the same


def _report_of(runs: pd.DataFrame, titles: dict[str, str]) -> Report:
    printed = grid("pascual", "thesis table 3.9", PRINTED)
    tables, figures, sentences = list[ReportTable](), {}, tuple[str, ...]()
    for name, title in titles.items():
        own = runs[runs["table"] == name]
        if len(own[["reading", "program"]].drop_duplicates()) > 1:
            counted, times = _by_reading(own, printed)
            tables.append(ReportTable(name, f"{title}; printed cells within {ALIKE:.0%}", counted, _DIGITS))
            tables.append(ReportTable(f"{name}-times", "time relative to contiguous", times, _DIGITS))
            sentences += (_best(name, counted),)
            continue
        cells = _cells(own, printed)
        tables.append(
            ReportTable(name, f"{title}; time of the slowest job, in 10,000 cycles", cells, _DIGITS)
        )
        figures[name] = partial(_draw, cells=cells, title=title)
        sentences += tuple(f"{name}: {sentence}" for sentence in _summary(cells))
    return Report(tuple(tables), sentences, figures)


def _by_reading(runs: pd.DataFrame, printed: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how many printed cells each reading meets, and its times relative to contiguous."""
    counted, times = [], []
    for (program, reading), own in runs.groupby(["program", "reading"], sort=False):
        same = {"program": program, "reading": reading}
        cells = _cells(own, printed)
        compared = cells[cells["published"].notna() & (cells["layout"] != "contiguous")]
        met = (compared["to contiguous"] / compared["published"] - 1).abs() <= ALIKE
        by_app = {f"met {app}": int(met[compared["app"] == app].sum()) for app in compared["app"].unique()}
        off = float(compared["difference"].abs().mean())
        counted.append(same | by_app | {"met": int(met.sum()), "of": len(compared), "mean difference": off})
        for app, mine in cells.groupby("app", sort=False):
            relative = mine.set_index("layout")["to contiguous"]
            times.append(same | {"app": app} | {name: float(relative[name]) for name in _LAYOUTS[1:]})
    return pd.DataFrame(counted), pd.DataFrame(times)


def _best(part: str, counted: pd.DataFrame) -> str:
    first = counted.sort_values(["met", "mean difference"], ascending=[False, True]).iloc[0]
    minimum, maximum = counted["met"].min(), counted["met"].max()
    return (
        f"{part}: {minimum} to {maximum} of {first['of']} cells are met; most, and of these with least mean "
        f"absolute difference ({first['mean difference']:.2f}), by {first['program']}: {first['reading']}."
    )


_TIMES = ("mean", "std", "to contiguous", "least", "most", "published", "difference", "mean difference")
_DIGITS = dict.fromkeys((*_TIMES, *_LAYOUTS[1:]), 2) | {"runs": 0, "met": 0, "of": 0}


def _cells(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    cells = times_of(runs, "layout")
    base = cells[cells["layout"] == "contiguous"].set_index("app")["mean"]
    relative = runs.assign(relative=runs["cycles"] / (1e4 * runs["app"].map(base)))
    spreads = relative.groupby(["app", "layout"], sort=False)["relative"].agg(["mean", "min", "max"])
    cells[["to contiguous", "least", "most"]] = spreads.to_numpy()
    cells["published"] = [
        float(printed.loc[app, layout]) if app in printed.index else np.nan
        for app, layout in zip(cells["app"], cells["layout"], strict=True)
    ]
    return cells.assign(difference=cells["to contiguous"] - cells["published"])


def _summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on the cost of nodes outside the subtree, and the agreement with published values."""
    table = cells.pivot(index="app", columns="layout", values="to contiguous")
    few = table[[f"{count} outside" for count in _OUTSIDE]].to_numpy() - 1
    far = table["random"].to_numpy() - 1
    sentences = [
        f"1 to 4 tasks outside the subtree add {few.min():.0%} to {few.max():.0%} to the contiguous time "
        f"(means of an application's layouts), random nodes {far.min():.0%} to {far.max():.0%}."
    ]
    compared = cells[cells["published"].notna() & (cells["layout"] != "contiguous")]
    if compared.empty:
        return [*sentences, "No published values for these applications were available."]
    off = compared["to contiguous"] / compared["published"] - 1
    differ = [
        f"{row['app']} {row['layout']} {row['to contiguous']:.2f} (published {row['published']:.2f})"
        for _, row in compared[off.abs() > ALIKE].iterrows()
    ]
    value, met = constant(compared["published"] * (1 - ALIKE), compared["published"] * (1 + ALIKE))
    same = (
        f"{len(compared) - len(differ)} of {len(compared)} times within {ALIKE:.0%} of the published "
        f"(every one {value:.2f}: {met})"
    )
    sentences.append(f"{same}; not {', '.join(differ)}." if differ else f"{same}.")
    sentences.append(
        f"Mean absolute difference of the relative times: {compared['difference'].abs().mean():.2f}."
    )
    return sentences


_draw = partial(
    draw_relative, series="layout", value="to contiguous", published="published", base="contiguous"
)
NETWORK, JOBS, TASKS = "tree:4,4", 16, 16
_PRINTED = ("LU", "MG", "FT")
_TOGETHER = Reading("leaf", "anywhere", "together")
_ONE_LEVEL = Reading("last", "one level", "together")
_ONE_LEAF = Reading("leaf", "one level", "together")
APPS = {
    "others": ("BT", "SP", "CG", "IS"),
    "readings": ("LU", "MG"),
    "readings-ft": ("FT",),  # takes three times as long
}
OF_PART = {
    "one-level": (_ONE_LEVEL,),
    "together": (_TOGETHER,),
    "apart": (Reading("drawn", "anywhere", "each"),),
    "others": (_TOGETHER,),
    "one-leaf": (_ONE_LEAF,),
    "first-fit": (FIRST_FIT,),
    "readings": READINGS,
    "readings-ft": READINGS,
    "programs": (_ONE_LEVEL, _ONE_LEAF, _TOGETHER),
}
# Class and origin of the programs; of generated ones a few iterations.
RECORDED = "W recorded"
PROGRAMS = {RECORDED: "", "W generated": "W", "A generated": "A"}
_ITERATIONS = "1:2"


def rows(request: StudyRequest) -> list[Row]:
    """Return the runs: the first layout of every kind before the second."""
    runs = [
        row
        for part in request.parts
        for program in (PROGRAMS if part == "programs" else (RECORDED,))
        for reading in (OF_PART[part][:2] if request.quick else OF_PART[part])
        for app in (_apps(part)[:1] if request.quick else _apps(part))
        for row in _rows_of(part, program, reading, app, request)
    ]
    return sorted(runs, key=lambda row: int(row.labels["number"]))


def _apps(part: str) -> tuple[str, ...]:
    return APPS.get(part, _PRINTED)


def _rows_of(part: str, program: str, reading: Reading, app: str, request: StudyRequest) -> Iterator[Row]:
    job = _job(program, app, request.quick)
    labels = {"table": part, "program": program, "reading": str(reading), "app": app}
    for layout in _LAYOUTS:
        for number in range(1 if layout == "contiguous" else _layouts(part, request)):
            for simulation in range(request.sim_seeds or 1):
                run = resolve(
                    NETWORK,
                    [job] * JOBS,
                    partition=_partition(layout, number, reading),
                    config=Config(vcs=1),  # literature's k-ary n-trees have plain switches
                    seed=number,
                    network_seed=number + 1_000_000 * simulation,
                )
                yield Row({**labels, "layout": layout, "number": number}, run)


def _job(program: str, app: str, quick: bool) -> dict[str, str | int]:
    # An iteration alone takes as long as any other: the first stands for twenty in the quick version.
    job: dict[str, str | int] = {"trace": f"{app}.W.16"}
    if program != RECORDED:
        job = {"app": app.lower(), "class": PROGRAMS[program], "tasks": TASKS, "iterations": _ITERATIONS}
    if quick:
        job["iterations"] = "1:1"
    return job


def _layouts(part: str, request: StudyRequest) -> int:
    if part == "first-fit":
        return 1  # nothing is drawn but the random nodes
    return request.partitions or (
        2 if request.quick or part in ("readings", "readings-ft", "programs") else 5
    )


def _partition(layout: str, number: int, reading: Reading) -> str:
    if layout == "contiguous":
        return "whole"
    if layout == "random":
        return f"random:{number}"
    count = int(layout.split()[0])
    return node_lists(exchanged(JOBS, TASKS, count, reading, np.random.default_rng([number, count])))


def report(request: StudyRequest, runs: pd.DataFrame) -> Report:
    return _report_of(runs, {part: STUDY.parts[part] for part in request.parts})


STUDY = Study(
    name="quasi-contiguity",
    title="How much slower do jobs run with a few tasks outside their subtree?",
    source="Pascual, Navaridas and Miguel-Alonso, JSSPP 2009; Pascual, thesis, UPV/EHU 2013, Table 3.9",
    parts={
        "one-level": "tasks outside the subtree one level up, as published: LU, MG and FT of class W",
        "together": "tasks outside the subtree on one leaf switch: LU, MG and FT of class W",
        "apart": "tasks outside the subtree one by one: LU, MG and FT of class W",
        "one-leaf": "tasks outside the subtree on one leaf switch, one level up: LU, MG and FT of class W",
        "first-fit": "tasks outside the subtree placed by the published algorithm: LU, MG, FT of class W",
        "readings": "which tasks stray, how far, and with which jobs: LU and MG of class W",
        "readings-ft": "the same with FT",
        "programs": "three readings with recorded and generated programs of classes W and A",
        "others": "tasks outside the subtree on one leaf switch: BT, SP, CG and IS of class W",
    },
    default=("one-level", "together"),
    run=of_runs(rows, report),
    options=("partitions", "sim_seeds"),
)
