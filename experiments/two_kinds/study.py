"""Dual approximation for SWDUAL's tasks beside measurements: ``docs/studies/two-kinds.md``."""

from __future__ import annotations

import numpy as np
import pandas as pd

from netplace.experiments.published import grid
from netplace.experiments.two_kinds.simulator import (
    STEPS,
    TaskTimes,
    master_slave,
    query_times,
    search,
)
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest

PARTS = {
    "workers": "UniProt, with as many workers as measured (table 2.2)",
    "databases": "other databases and query sets (tables 2.4 and 2.5)",
    "master": "idle workers request queries from a master, compared with assignment by a search",
}
# Workers to CPUs and GPUs (section 2.5.1): GPUs first, of which there are four, and at least one CPU.
WORKERS = {count: (max(1, count - 4), min(count - 1, 4)) for count in range(2, 9)}
_QUERIES = 40
_CELLS = 19_455e9  # updates of 40 queries against UniProt, by time times speed
_SETS = {
    "": (100, 5000),
    "Heterogeneous": (4, 35213),
    "Homogeneous": (4500, 5000),
}


def task_set(cells: float, query_set: str) -> TaskTimes:
    shortest, longest = _SETS[query_set]
    cpu, gpu = (seconds * cells / _CELLS for seconds in (2367.24, 785.26))
    return query_times(_QUERIES, shortest, longest, cpu, gpu)


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables, sentences = [], []
    if "workers" in request.parts:
        lines = [
            _line({"workers": workers}, query_times(), WORKERS[workers], seconds)
            for workers, seconds in _measured().items()
        ]
        tables.append(_table("workers", lines))
        sentences.append(_sentence("table 2.2", lines))
    if "databases" in request.parts:
        lines = [
            _line(
                {"database": row.database, "queries": row.query_set, "workers": row.workers},
                task_set(row.seconds * row.gcups * 1e9, row.query_set),
                WORKERS[row.workers],
                row.seconds,
            )
            for row in _databases().itertuples(index=False)
        ]
        tables.append(_table("databases", lines))
        sentences.append(_sentence("tables 2.4 and 2.5", lines))
        sentences.append(
            "On the smaller databases SWDUAL was about half as fast a cell as on UniProt; how fast single "
            "workers are there is not published, so those rows show the loss rather than the schedule."
        )
    if "master" in request.parts:
        frame = pd.DataFrame([_shared(*measured) for measured in _measured().items()])
        digits = {name: int(name != "workers") for name in frame}
        tables.append(ReportTable("master", f"Seconds: {PARTS['master']}", frame, digits))
        longer = frame["shortest first"] / frame["assigned"]
        sentences.append(
            f"master: on demand, queries take {longer.min():.2f} to {longer.max():.2f} of the assigned "
            f"makespan shortest first, and {(frame['longest first'] / frame['assigned']).min():.2f} to "
            f"{(frame['longest first'] / frame['assigned']).max():.2f} longest first."
        )
    return Report(tuple(tables), tuple(sentences))


def _measured() -> dict[int, float]:
    """Return the printed seconds of SWDUAL by number of workers (table 2.2)."""
    row = grid("mendonca", "Table 2.2").loc["SWDUAL"].dropna()
    return {int(head.split()[0]): seconds for head, seconds in row.items()}


def _databases() -> pd.DataFrame:
    """Return the printed seconds and speeds of tables 2.4 and 2.5, by database or query set and workers."""
    rows = []
    for table in ("Table 2.4", "Table 2.5"):
        for name, row in grid("mendonca", table).iterrows():
            for workers in (2, 4, 8):
                seconds, gcups = row[f"{workers} workers, Time (s)"], row[f"{workers} workers, GCUPS"]
                database, queries = (name, "") if table == "Table 2.4" else ("Uniprot", name)
                rows.append((database, queries, workers, seconds, gcups))
    columns = ["database", "query_set", "workers", "seconds", "gcups"]
    return pd.DataFrame(rows, columns=columns).dropna()


def _shared(workers: int, measured: float) -> dict[str, object]:
    """Return the makespans of queries in both orders, and of those that the knapsack assigned."""
    tasks, (cpus, gpus) = query_times(), WORKERS[workers]
    backwards = TaskTimes(tasks.names[::-1], tasks.cpu[::-1], tasks.gpu[::-1])
    return {
        "workers": workers,
        "published": measured,
        "shortest first": master_slave(tasks, cpus, gpus).makespan,
        "longest first": master_slave(backwards, cpus, gpus).makespan,
        "assigned": search(tasks, cpus, gpus, "knapsack").assignment.makespan,
    }


def _line(
    labels: dict[str, object], tasks: TaskTimes, workers: tuple[int, int], measured: float
) -> dict[str, object]:
    cpus, gpus = workers
    makespans = {step: search(tasks, cpus, gpus, step).assignment.makespan for step in STEPS}
    busy = 1 / (cpus / tasks.cpu.sum() + gpus / tasks.gpu.sum())
    ratios = {f"{step} / published": seconds / measured for step, seconds in makespans.items()}
    return {
        **labels,
        "CPUs": cpus,
        "GPUs": gpus,
        "published": measured,
        "no loss": busy,
        **makespans,
        **ratios,
    }


def _table(part: str, lines: list[dict[str, object]]) -> ReportTable:
    frame = pd.DataFrame(lines)
    digits = dict.fromkeys(("workers", "CPUs", "GPUs"), 0)
    digits |= dict.fromkeys(("published", "no loss", *STEPS), 1)
    digits |= {f"{step} / published": 2 for step in STEPS}
    return ReportTable(part, f"Seconds: {PARTS[part]}", frame, digits)


def _sentence(where: str, lines: list[dict[str, object]]) -> str:
    parts = []
    for step in STEPS:
        ratios = np.array([line[f"{step} / published"] for line in lines], float)
        within = int((np.abs(ratios - 1) <= 0.2).sum())
        parts.append(
            f"{step} {ratios.min():.2f} to {ratios.max():.2f} of the measured seconds, "
            f"{within} of {len(lines)} within 20 %"
        )
    return (
        f"{where}: {'; '.join(parts)}. This comparison has an uncertainty of 5 to 20 %: SWDUAL's "
        "workers differ somewhat from the individual programs."
    )


STUDY = Study(
    name="two-kinds",
    title="How well does dual approximation schedule SWDUAL's tasks on CPUs and GPUs?",
    source="F. Mendonca, thesis, Université Grenoble Alpes, 2017, tables 2.2, 2.4 and 2.5",
    parts=PARTS,
    run=run,
    many=False,
)
