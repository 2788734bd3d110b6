"""The time of searches for a free box on large machines: ``docs/studies/first-fit.md``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import pandas as pd

from netplace.experiments.first_fit import searches
from netplace.experiments.first_fit.questions import Questions, mean_side, measure, of_log, questions
from netplace.experiments.first_fit.searches import PublishedVisits
from netplace.experiments.published import grid as printed_table
from netplace.experiments.shared.archive_logs import logs_of
from netplace.placement.rule import grid_of
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Axis, Curve, Figure, Panel
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes
from netplace.runs.campaign import Progress
from netplace.scheduling.partitioner.contiguous import SEARCHES
from netplace.scheduling.workload import read
from netplace.topologies import Grid, parse

LOADS = (0.1, 0.4, 0.7, 2.0)  # the last: all at once
TIMED = SEARCHES | searches.SEARCHES
NAMES = {"naive": "NFF", "zff": "ZFF", "rbs": "RBS", "iff": "IFF", "contiguous": "ours"}
MACHINES = {
    "mesh": "mesh:1024x1024",
    "torus": "torus:16x16x16x16x16",
    "mesh-4k": "mesh:64x64",
    "mesh-64k": "mesh:256x256",
    "torus-4k": "torus:8x8x4x4x4",
    "torus-64k": "torus:16x8x8x8x8",
}
LOG_MACHINES = (MACHINES["mesh-4k"], MACHINES["torus-4k"])  # of most logs of IFF table II
LOG_SEARCHES = 100_000
TORI = ("torus:1024x1024", "torus:128x128x64", "torus:32x32x32x32", "torus:16x16x16x16x16")
DETECTIONS = 200  # jobs after the machine has filled
SECONDS = 3.0  # CPU time after which a search is asked no more
_MACHINE_ROWS = {2**12: "4K nodes", 2**16: "64K nodes", 2**20: "1M nodes"}  # of IFF table I
PRINTED_LOADS = {"0.1": 0.1, "0.4": 0.4, "0.7": 0.7, "MAX": 2.0}
SMALL: dict[str, tuple[str, tuple[float, ...]]] = {
    "mesh": ("mesh:96x96", (8, 24)),
    "torus": ("torus:6x6x6x6", (2, 3)),
}
WANTED = {"mesh": 3.0, "torus": 20.0}  # how many times IFF's speed ours is to have at the highest load


def sets(part: str, quick: bool) -> tuple[Grid, tuple[float, ...]]:
    """Return the machine of a part of the study, and the longest side of each set of jobs."""
    if quick:
        text, sides = SMALL[part.partition("-")[0]]
        return grid_of(parse(text), "first fit"), sides
    grid = grid_of(parse(MACHINES[part]), "first fit")
    return grid, _published_sides(grid)


def printed_sizes(nodes: int) -> list[float]:
    """Return the mean sizes of the jobs of each set on a machine (IFF table I)."""
    row = printed_table("pascual", "IFF table I").loc[_MACHINE_ROWS[nodes]]
    return [float(row[f"Set {place}"]) for place in range(1, 6)]


def printed_times(part: str) -> pd.DataFrame:
    """Return set, search and milliseconds of the mesh or the torus (thesis table 3.7)."""
    table = printed_table("pascual", f"thesis table 3.7{'a' if part == 'mesh' else 'b'}").dropna(
        axis=1, how="all"
    )
    cells = [
        (int(str(head).split()[-1]), str(search), value) for (search, head), value in table.stack().items()
    ]
    return pd.DataFrame(cells, columns=["set", "search", "published ms"])


def _published_sides(grid: Grid) -> tuple[float, ...]:
    """Return S of each set, with which jobs have the published mean sizes."""
    sides = []
    for size in printed_sizes(grid.nodes):
        wanted = size ** (1 / grid.dims)
        low, high = 1.0, 2.0 * wanted + 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if mean_side(middle) < wanted else (low, middle)
        sides.append(round(low, 3))
    return tuple(sides)


def run(request: StudyRequest, context: StudyContext) -> Report:
    if not context.simulate and set(request.parts) != {"visits"}:
        raise ValueError("study first-fit: keeps no times, so --stored has nothing to report")
    if context.resources.dask is not None and set(request.parts) != {"visits"}:
        raise ValueError(
            "study first-fit: --dask: times are measured in this process; only --table visits takes it"
        )
    tables, figures, sentences = [], {}, []
    for part in request.parts:
        if part == "visits":
            pairs = _visits(request.quick, context)
            tables.append(ReportTable(part, STUDY.parts[part], pairs, _VISIT_DIGITS))
            sentences += _of_visits(pairs)
            continue
        if part == "logs":
            cells = _of_logs(request)
            tables.append(ReportTable(part, STUDY.parts[part], cells, _LOG_DIGITS))
            sentences += _of_iff(cells)
            continue
        cells = _measured(part, request.quick, context)
        text = sets(part, request.quick)[0].text
        # What was published is about large machines.
        theirs = printed_times(part).iloc[: 0 if request.quick or part not in WANTED else None]
        pairs = _beside(cells, theirs)
        title = f"{text}: mean CPU time per job in ms, and visits per search, by load"
        tables.append(ReportTable(part, title, pairs, _digits(pairs)))
        figures[part] = partial(_draw, cells=cells, title=f"First fit on {text}, load {LOADS[-1]:g}")
        sentences += [f"{text}: {sentence}" for sentence in _summary(part, pairs, request.quick)]
    return Report(tuple(tables), tuple(sentences), figures)


def _measured(part: str, quick: bool, context: StudyContext) -> pd.DataFrame:
    """Return a row for each set, load and search: ``ms``, ``visited``, ``questions``, ``jobs``, .."""
    grid, sides = sets(part, quick)
    names = _searches(grid)
    progress = Progress(len(sides) * len(LOADS) * len(names))
    rows = []
    for place, side in enumerate(sides, 1):
        for load in LOADS:
            put = questions(grid, side, load, 100 if quick else 2000)
            for name in names:
                labels: dict[str, str | float] = {"set": place, "S": side, "load": load}
                rows.append(labels | _cost(name, put, 0.2 if quick else SECONDS))
                progress = progress.after(None)
                context.tell(progress)
    return pd.DataFrame(rows)


def _searches(grid: Grid) -> list[str]:
    return [name for name in NAMES if name != "rbs" or (grid.dims == 2 and not grid.wraps)]


def _cost(name: str, put: Questions, seconds: float) -> dict[str, str | float]:
    """Return what questions cost a search: ``ms`` per job, ``visited``, ``questions``, ``jobs``, .."""
    cost = measure(TIMED[name](put.grid), put, seconds)
    measures = {"ms": 1e3 * cost.per_job(put), "visited": cost.visited, "questions": cost.questions}
    measures |= {"jobs": cost.placed, "occupied": put.occupied, "found": put.answered}
    return {"search": NAMES[name]} | measures


def _of_logs(request: StudyRequest) -> pd.DataFrame:
    """Return a row for each log, machine and search."""
    rows = []
    for log in logs_of(request):
        jobs = read(log.path) if log.path else log.read()
        for text in LOG_MACHINES:
            grid = grid_of(parse(text), "first fit")
            put = of_log(grid, jobs, 500 if request.quick else LOG_SEARCHES)
            labels = {"log": log.name, "size": float(jobs.nodes.mean()), "machine": text}
            seconds = 0.2 if request.quick else SECONDS
            rows += [labels | _cost(name, put, seconds) for name in _searches(grid)]
    return pd.DataFrame(rows)


def _of_iff(cells: pd.DataFrame) -> Iterator[str]:
    for (log, machine), own in cells.groupby(["log", "machine"], sort=False):
        times = own.set_index("search")["ms"]
        others = [name for name in times.index if name not in ("IFF", "ours")]
        said = ", ".join(f"{times['IFF'] / times[name]:.2f} times that of {name}" for name in others)
        yield f"{log} on {machine}: the CPU time of IFF is {said}."


def _beside(cells: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each set and search: times and visits by load, and the published time."""
    keys = ["set", "S", "search"]
    wide = cells.pivot(index=keys, columns="load", values=["ms", "visited"])
    wide.columns = [f"{value} {load:g}" for value, load in wide.columns]
    high = cells[cells["load"] == LOADS[-1]].set_index(keys)
    wide["questions"] = high["questions"]
    wide["jobs"] = high["jobs"]
    wide["occupied"] = high["occupied"]
    wide = wide.reset_index().merge(printed, on=["set", "search"], how="left")
    ours = wide[wide["search"] == "ours"].set_index("set")[f"ms {LOADS[-1]:g}"]
    wide["to ours"] = wide[f"ms {LOADS[-1]:g}"] / wide["set"].map(ours)
    order = {name: place for place, name in enumerate(NAMES.values())}
    return wide.sort_values(["set", "search"], key=lambda column: column.replace(order)).reset_index(
        drop=True
    )


def _digits(pairs: pd.DataFrame) -> dict[str, int]:
    named = {"set": 0, "S": 0, "questions": 0, "jobs": 0, "occupied": 2, "published ms": 2, "to ours": 1}
    return named | {
        name: 4 if name.startswith("ms") else 0 for name in pairs if name.startswith(("ms ", "visited "))
    }


def _summary(part: str, compared: pd.DataFrame, quick: bool) -> list[str]:
    """Return sentences on our speed beside IFF's, and on what was published."""
    time = f"ms {LOADS[-1]:g}"
    ratios = compared.loc[compared["search"] == "IFF", "to ours"]
    sentences = [
        f"at load {LOADS[-1]:g}, our search is {ratios.min():.1f} to {ratios.max():.1f} times as fast as IFF"
    ]
    if quick or part not in WANTED:
        return [f"{sentences[0]}; no times are printed for this machine."]
    reached = "met" if ratios.min() >= WANTED[part] else "missed"
    sentences[0] += f"; the goal, {WANTED[part]:g} times, is {reached}."
    known = compared[compared["published ms"].notna()]
    for name, own in known.groupby("search"):
        share = own[time] / own["published ms"]
        sentences.append(f"{name} takes {share.min():.2g} to {share.max():.2g} of its published time.")
    pairs = known.pivot(index="set", columns="search", values=[time, "published ms"]).dropna()
    for other in set(known["search"]) - {"IFF"}:
        theirs = pairs["published ms", other] > pairs["published ms", "IFF"]
        agreed = int((theirs == (pairs[time, other] > pairs[time, "IFF"])).sum())
        sentences.append(
            f"which of {other} and IFF is faster: as published on {agreed} of {len(pairs)} sets."
        )
    return sentences


@dataclass(frozen=True)
class Detection(CachedCase):
    """Searches of IFF for boxes with sides drawn between 1 and `side`, on a machine at a load."""

    study: ClassVar[str] = "first-fit, visits"
    revision: ClassVar[int] = 3
    network: str
    load: float
    side: float
    searches: int

    def run(self) -> dict[str, float]:
        """Return the mean nodes that are visited and updated, counted as published, and the share held."""
        grid = grid_of(parse(self.network), "first fit")
        asked = questions(grid, self.side, self.load, self.searches)
        cost = measure(PublishedVisits(grid), asked)
        updated = {"updated to take": cost.taken, "updated to release": cost.released}
        return {"found": cost.answered, "failed": cost.failed, "occupied": asked.occupied} | updated


def _visits(quick: bool, context: StudyContext) -> pd.DataFrame:
    """Return the nodes that IFF visits in a detection, beside the printed, and those that it updates."""
    theirs = printed_table("pascual", "IFF table III")
    wanted = {}
    for text in ("torus:96x96", "torus:6x6x6x6") if quick else TORI:
        sides = (2.0, 3.0) if quick else _published_sides(grid_of(parse(text), "first fit"))
        for load, value in PRINTED_LOADS.items():
            for place, side in enumerate(sides, 1):
                wanted[text, load, place] = Detection(text, value, side, 100 if quick else DETECTIONS)
    rows = []
    made = case_outcomes(wanted.values(), context)
    for (text, load, place), (case, outcome) in zip(wanted, made, strict=True):
        row = {"network": text, "load": load, "set": place, "S": case.side}
        for search in ("found", "failed"):
            row |= {search: outcome[search]}
            head = f"Set {place} {'Successful' if search == 'found' else 'Failed'}"
            at = f"{text.removeprefix('torus:')}, load {load}"
            row |= {f"printed {search}": theirs.at[at, head] if at in theirs.index else None}
        rows.append(row | {name: outcome[name] for name in _FIGURE_9})
    return pd.DataFrame(rows).astype({"printed found": float, "printed failed": float})


_LOG_DIGITS = {"size": 2, "ms": 4, "visited": 0, "questions": 0, "jobs": 0, "occupied": 2, "found": 2}
_FIGURE_9 = {"occupied": 2, "updated to take": 0, "updated to release": 0}
_VISIT_DIGITS = dict.fromkeys(("set", "found", "printed found", "failed", "printed failed"), 0) | {"S": 2}
_VISIT_DIGITS |= _FIGURE_9


def _of_visits(pairs: pd.DataFrame) -> list[str]:
    sentences = []
    for search in ("found", "failed"):
        known = pairs[pairs[f"printed {search}"].notna() & (pairs[f"printed {search}"] > 0)]
        if known.empty:
            continue
        share = known[search] / known[f"printed {search}"]
        near = int(share.between(0.5, 2).sum())
        sentences.append(
            f"visits, {search}: {near} of {len(known)} printed cells within a factor of two; ours are "
            f"{share.median():.2f} of the printed (median)."
        )
    return sentences


def _draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    high = cells[cells["load"] == LOADS[-1]].pivot(index="S", columns="search", values="ms")
    names = [name for name in NAMES.values() if name in high]
    marks = [
        Curve(label=name, colour=place, x=high.index.to_list(), y=high[name].to_list(), mark="osD^v"[place])
        for place, name in enumerate(names)
    ]
    sides = [float(f"{side:.3g}") for side in high.index]
    x = Axis(label="largest side of jobs (nodes), five sets", scale="log", ticks=sides, grid=True)
    panel = Panel(marks=marks, x=x, y=Axis(label="CPU time of a job (ms)", scale="log", grid=True))
    write_figure(path, Figure(title=title, panels=[panel], height=3.0, narrow=True))


STUDY = Study(
    name="first-fit",
    title="How long searches for a free box take on machines with a million nodes",
    source="Pascual, Miguel-Alonso and Lozano, EHU-KAT-IK-06-12; Pascual, thesis, UPV/EHU 2013, Table 3.7",
    parts={name: f"{text}: NFF, ZFF, IFF, ours, and RBS on a mesh" for name, text in MACHINES.items()}
    | {
        "visits": "nodes that IFF visits and updates, tori of two to five dimensions and a million nodes",
        "logs": "jobs of logs on a mesh and a torus of 4,096 nodes: mean CPU time per job in ms, visits",
    },
    default=("mesh", "torus", "visits"),
    run=run,
    options=("logs",),
)
