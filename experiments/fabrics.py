"""How much interference routing and congestion control remove: ``docs/studies/fabrics.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.cosim import JobProgram
from netplace.cosim.work import iteration_program
from netplace.experiments.shared.nodes_after_others import Nodes, nodes_after_others
from netplace.netsim import Config, Network
from netplace.netsim.laps import IterationCounts
from netplace.netsim.presets import fabric_of
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes
from netplace.scheduling import make_partitioner
from netplace.scheduling.metrics.interval import half_width
from netplace.topologies import parse

MACHINE = "dragonfly:a=8,p=4,h=4"
VCS = 4  # of each class

# Kind of job, tasks, application, bytes of a message, and microseconds that every task computes before each
# iteration, on links of 25 GB/s; on others as many times as long as they are slower.
_MEASURED_JOBS = (
    ("latency", 64, "butterfly", 64, 5.0),
    ("latency", 32, "butterfly", 64, 5.0),
    ("halo", 125, "3d-torus", 16384, 10.0),
    ("halo", 64, "3d-torus", 16384, 10.0),
    ("all-to-all", 64, "all-to-all", 4096, 20.0),
    ("all-to-all", 96, "all-to-all", 4096, 30.0),
    ("butterfly", 128, "butterfly", 32768, 20.0),
    ("butterfly", 64, "butterfly", 32768, 20.0),
)
# Two jobs more, in which all tasks send to one: half as much as its link takes, or as much as they can.
MIXES = {
    "paced": (
        *_MEASURED_JOBS,
        ("incast", 128, "all-to-one", 16384, 166.0),
        ("incast", 64, "all-to-one", 16384, 83.0),
    ),
    "incast": (
        *_MEASURED_JOBS,
        ("incast", 128, "all-to-one", 65536, 0.0),
        ("incast", 64, "all-to-one", 65536, 0.0),
    ),
}
_GIGABYTES = 25.0
_WARM_UP, _MEASURED = 100.0, 240.0  # microseconds, on links of 25 GB/s
_FOREVER = 1 << 20  # iterations


@dataclass(frozen=True)
class Cell(CachedCase):
    """A mix on a fabric with a routing, classes and congestion control, placed by a partitioner; one draw."""

    study: ClassVar[str] = "fabrics"

    mix: str
    fabric: str
    routing: str
    classes: str
    control: str
    partitioner: str
    draw: int

    @property
    def config(self) -> Config:
        given = {
            "routing": self.routing,
            "vcs": VCS,
            "traffic_classes": self.classes,
            "congestion_control": self.control,
        }
        return Config(**fabric_of(self.fabric).settings | given)

    def run(self) -> dict[str, list[float]]:
        nodes = _nodes(self.partitioner, self.draw)
        there = [number for number, own in enumerate(nodes) if len(own)]
        times = np.zeros((2, len(nodes)))
        times[0, there] = [time for number in there for time in self._times(nodes, [number])]
        times[1, there] = self._times(nodes, there)
        return {"alone": times[0].tolist(), "live": times[1].tolist()}

    def _times(self, nodes: list[Nodes], numbers: Iterable[int]) -> list[float]:
        """Return the mean microseconds of an iteration of some jobs that run together."""
        config = self.config
        cycles_of_us = 1000 * _GIGABYTES / config.phit_bytes  # as many on all links
        network = Network(_machine(MACHINE), config, seed=self.draw)
        jobs = []
        for number in numbers:
            _, tasks, application, bytes, compute = MIXES[self.mix][number]
            work = JobProgram(f"{application},bytes={bytes}", tasks, compute=round(compute * cycles_of_us))
            jobs.append(network.start(iteration_program(work, config), nodes[number], times=_FOREVER))
        network.advance(round(_WARM_UP * cycles_of_us))
        before = [network.laps(job) for job in jobs]
        times = np.zeros(len(jobs))
        while not times.all():
            network.advance(network.now + round(_MEASURED * cycles_of_us))
            laps = [network.laps(job) for job in jobs]
            times = np.array([_of_an_iteration(*ends) for ends in zip(before, laps, strict=True)])
        return [float(time) * config.cycle_ns / 1000 for time in times]


def _of_an_iteration(before: IterationCounts, after: IterationCounts) -> float:
    """Return the mean cycles of iterations that ended between two looks; 0 if some task has ended none."""
    done = after.done - before.done
    return float(((after.last - before.last) / done).mean()) if done.all() else 0.0


_machine = lru_cache(parse)


@lru_cache
def _nodes(partitioner: str, draw: int) -> list[Nodes]:
    rng = np.random.default_rng([draw, 2])
    keeper = make_partitioner(partitioner, _machine(MACHINE), draw)
    return nodes_after_others(keeper, [tasks for _, tasks, *_ in MIXES["paced"]], rng)


_LINEAR_TO = 5.0  # times; more is drawn on a logarithmic axis


def draw_slowdowns(path: Path, table: pd.DataFrame, title: str) -> None:
    """Draw slowdowns with intervals; partitioners differ in color and form."""
    rows = "feature" if "feature" in table else "fabric"
    points = table.rename(columns={rows: "name", "partitioner": "series", "slowdown": "value"})
    scale = "log" if table["slowdown"].max() > _LINEAR_TO else "linear"
    panels = {str(routing): own for routing, own in points.groupby("routing", sort=False)}
    xlabel, over = "live over alone, geometric mean over jobs", "95 % intervals over draws"
    write_figure(path, dot_figure(title, panels, xlabel, whiskers=over, line=1.0, scale=scale))


KINDS = ("latency", "halo", "all-to-all", "butterfly", "incast")
_MEASURED_KINDS = KINDS[:-1]


def jobs_of(outcomes: Iterable[tuple[str, Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each job of each cell that had nodes: kind, and microseconds of an iteration."""
    rows = []
    for feature, cell, outcome in outcomes:
        for (kind, *_), alone, live in zip(MIXES[cell.mix], outcome["alone"], outcome["live"], strict=True):
            if alone > 0:
                named = {"fabric": cell.fabric, "routing": cell.routing, "feature": feature}
                placed = {"partitioner": cell.partitioner, "draw": cell.draw}
                rows.append(named | placed | {"kind": kind, "alone": alone, "live": live})
    return pd.DataFrame(rows)


_CELL = ["fabric", "routing", "feature", "partitioner"]


def by_draw(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean slowdown of each draw, on which the intervals rest."""
    measured = jobs[jobs["kind"].isin(_MEASURED_KINDS)]
    logs = measured.assign(slowdown=np.log(measured["live"] / measured["alone"]))
    return np.exp(logs.groupby([*_CELL, "draw"], sort=False)["slowdown"].mean()).reset_index()


_AGAINST = {"routing": "minimal", "feature": "none", "partitioner": "random"}


def paired(by_draws: pd.DataFrame) -> pd.DataFrame:
    """Return mean ratios of slowdowns of the same draw that differ in one setting, with intervals of 95 %."""
    rows = []
    for changed, base in _AGAINST.items():
        same = [name for name in (*_CELL, "draw") if name != changed]
        bases = by_draws[by_draws[changed] == base]
        pairs = by_draws[by_draws[changed] != base].merge(bases, on=same, suffixes=("", " base"))
        logs = np.log(pairs["slowdown"] / pairs["slowdown base"])
        for key, own in pairs.assign(log=logs).groupby(_CELL, sort=False):
            ratio, low, high = _interval(own["log"].to_numpy())
            row = dict(zip(_CELL, key, strict=True)) | {"against": base, "ratio": ratio, "low": low}
            rows.append(row | {"high": high, "draws": len(own)})
    return pd.DataFrame(rows)


def slowdowns(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return geometric means of live over alone and of iteration times, with intervals of 95 %."""
    frame = jobs.assign(log=np.log(jobs["live"] / jobs["alone"]))
    frame[["log alone", "log live"]] = np.log(jobs[["alone", "live"]])
    rows = []
    for key, own in frame.groupby(_CELL, sort=False):
        measured = own[own["kind"].isin(_MEASURED_KINDS)]
        middle, low, high = _interval(measured.groupby("draw")["log"].mean().to_numpy())
        row = dict(zip(_CELL, key, strict=True))
        row |= {"slowdown": middle, "low": low, "high": high}
        row |= {kind: float(np.exp(own.loc[own["kind"] == kind, "log"].mean())) for kind in KINDS}
        row |= {f"{name} us": float(np.exp(measured[f"log {name}"].mean())) for name in ("alone", "live")}
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return e to the mean, and to the ends of its interval by Student's t; of one draw all are the same."""
    mean = float(logs.mean())
    half = half_width(logs) if len(logs) > 1 else 0.0
    return float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half))


ROUTINGS = ("minimal", "ugal-l")
DRAWS = 4
BASE = "slingshot-11"  # without its congestion control
NETWORKS = ("infiniband-ndr", "slingshot-11", "omnipath", "bluegene-q", "tofu-d")  # without end points
# Notifications and timers take a fifth of the times that are published for DCQCN, as these runs are short.
_DCQCN = "dcqcn=1,ack=1000,every=7800,timer=8600,step=0.001"
FEATURES = {  # name: traffic classes, congestion control
    "none": ("", ""),
    "classes": ("bytes=1024", ""),
    "window of 8": ("", "window=8,ack=1000"),
    "window of 2": ("", "window=2,ack=1000"),
    "DCQCN": ("", _DCQCN),
    "classes, window of 2": ("bytes=1024", "window=2,ack=1000"),
}
PARTITIONERS = {
    "paced": ("switches", "random"),
    "incast": ("switches", "non-contiguous", "random"),
    "fabrics": ("switches", "random"),
}
PARTS = {
    "paced": f"features of {BASE}; incast jobs send half of what a link can carry",
    "incast": f"features of {BASE}; incast jobs send at full speed",
    "fabrics": "fabrics by name, each with its own features",
}


def cells(part: str, request: StudyRequest) -> list[tuple[str, Cell]]:
    draws = range(1, 1 + (request.partitions or (1 if request.quick else DRAWS)))
    if part == "fabrics":
        tried = [
            (name, name, "", str(fabric_of(name).settings.get("congestion_control", ""))) for name in NETWORKS
        ]
    else:
        tried = [(name, BASE, classes, control) for name, (classes, control) in FEATURES.items()]
    mix = "paced" if part == "fabrics" else part
    return [
        (name, Cell(mix, fabric, routing, classes, control, partitioner, draw))
        for draw in draws
        for name, fabric, classes, control in (tried[::4] if request.quick else tried)
        for routing in (ROUTINGS[:1] if request.quick else ROUTINGS)
        for partitioner in PARTITIONERS[part]
    ]


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables: list[ReportTable] = []
    summary, figures, values = [], {}, {}
    for part in request.parts:
        named = cells(part, request)
        kept = case_outcomes([cell for _, cell in named], context)
        jobs = jobs_of((name, *own) for (name, _), own in zip(named, kept, strict=True))
        draws = by_draw(jobs)
        values[f"values_{part}"] = _plain(draws)
        table = _plain(slowdowns(jobs))
        tables += [_table(part, table), _pairs(part, _plain(paired(draws)))]
        figures[part] = partial(draw_slowdowns, table=table, title=PARTS[part])
        summary.append(_said(part, table))
    return Report(tuple(tables), tuple(summary), figures, values)


def _table(part: str, table: pd.DataFrame) -> ReportTable:
    digits = dict.fromkeys(("slowdown", "low", "high", *KINDS), 2) | {"alone us": 1, "live us": 1}
    return ReportTable(part, f"{PARTS[part]}: slowdown due to sharing, live relative to alone", table, digits)


def _pairs(part: str, table: pd.DataFrame) -> ReportTable:
    title = f"{PARTS[part]}: slowdown relative to that of the same draw with one setting changed"
    return ReportTable(
        f"{part}-pairs", title, table, dict.fromkeys(("ratio", "low", "high"), 3) | {"draws": 0}
    )


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    same = "fabric" if table["fabric"].nunique() == 1 else "feature"
    return table.drop(columns=same)


def _said(part: str, table: pd.DataFrame) -> str:
    most, minimum = table.loc[table["slowdown"].idxmax()], table.loc[table["slowdown"].idxmin()]
    return f"{part}: sharing slows jobs down most with {_named(most)} and least with {_named(minimum)}."


def _named(row: pd.Series) -> str:
    tried = row["feature"] if "feature" in row else row["fabric"]
    size = f"{row['slowdown']:.2f} times, 95 % interval {row['low']:.2f} to {row['high']:.2f}"
    return f"{tried} with {row['routing']} and {row['partitioner']} ({size})"


STUDY = Study(
    name="fabrics",
    title="How much interference do adaptive routing, classes and congestion control remove?",
    parts=PARTS,
    run=run,
    options=("partitions",),
)
