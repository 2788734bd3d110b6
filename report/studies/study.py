"""The interface of a study: runs, and a report that compares their times with published ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from netplace.inputs import check_choice, check_int
from netplace.report.studies.report import Report
from netplace.runs import Run
from netplace.runs.campaign import Progress, complete, missing
from netplace.runs.job_programs import expected_cpu_seconds
from netplace.runs.resources import Resources
from netplace.runs.store import Store


@dataclass(frozen=True)
class StudyRequest:
    """The requested part of a study."""

    parts: tuple[str, ...]  # keys of `Study.parts`
    quick: bool = False  # whether to run a small version that takes seconds instead of hours
    mappings: int | None = None  # number of mappings of each kind; None: as many as the study has by default
    partitions: int | None = None  # number of random partitions, likewise
    sim_seeds: int | None = None  # number of simulations of each placement, likewise
    logs: tuple[str, ...] = ()  # job logs; empty: the study's own
    data: str = ""  # folder with measurements by others, for studies that need them
    network: str = ""  # on which the study is made instead of those of its parts
    programs: tuple[str, ...] = ()  # instead of those of its parts

    @property
    def key(self) -> str:
        """Content hash of the request, not including the study."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the request in JSON-compatible form."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()
        }


@dataclass(frozen=True)
class StudyContext:
    """The store and the workers of a study.

    `announce` is called with the missing runs and their CPU seconds, and `tell` with the progress.
    Unless `simulate` is true, missing results are an error.
    """

    store: Store
    resources: Resources = field(default_factory=Resources)
    tell: Callable[[Progress], None] = lambda _: None
    simulate: bool = True
    announce: Callable[[str, float], None] = lambda *_: None


@dataclass(frozen=True)
class Row:
    """A run and its labels in the table of the study."""

    labels: Mapping[str, str | float]
    run: Run


@dataclass(frozen=True)
class Study:
    """A study and its properties."""

    name: str
    title: str  # one-line question
    parts: Mapping[str, str]  # descriptions of its tables, by name
    # Returns a report of a request; most studies use `of_runs`.
    run: Callable[[StudyRequest, StudyContext], Report]
    default: tuple[str, ...] = ()  # tables that are made by default; empty: all
    source: str = "none for this question"  # of the published numbers
    # Flags that it takes: mappings, partitions, sim_seeds, logs, data, programs (with network).
    options: tuple[str, ...] = ()
    many: bool = True  # whether it executes plans, which several workers or a cluster can share

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", self.default or tuple(self.parts))


def of_runs(
    rows: Callable[[StudyRequest], list[Row]], report: Callable[[StudyRequest, pd.DataFrame], Report]
) -> Callable[[StudyRequest, StudyContext], Report]:
    """Return the `Study.run` of a study that consists of runs.

    `rows` returns the runs for a request; `report` returns the report for a request and a table from
    `measured`.
    """

    def run(request: StudyRequest, context: StudyContext) -> Report:
        return report(request, measured(rows(request), context))

    return run


def make_request(
    study: Study,
    parts: Sequence[str] = (),
    quick: bool = False,
    logs: Sequence[str] = (),
    data: str = "",
    network: str = "",
    programs: Sequence[str] = (),
    **numbers: int | None,
) -> StudyRequest:
    """Return a checked request for `study`.

    Raise ValueError if there is no such part, or the study does not take one of the options.
    """
    if "all" in parts:
        parts = tuple(study.parts)
    for part in parts:
        check_choice(part, [*study.parts, "all"], f"study {study.name}: --table")
    for name, number in numbers.items():
        if number is None:
            continue
        option = "--" + name.replace("_", "-")
        if name not in study.options:
            raise ValueError(f"study {study.name}: takes no {option}, but {number} was given")
        check_int(number, option)
    if bool(network) != bool(programs) or (programs and "programs" not in study.options):
        own = f"{network or 'none'} and {', '.join(programs) or 'none'} given"
        raise ValueError(
            f"study {study.name}: --network and --program: {own}, expected "
            + ("both of them" if "programs" in study.options else "neither; td-vs-classic takes them")
        )
    if programs and parts:
        raise ValueError(
            f"study {study.name}: --table {parts[0]} given with --program, which is a table itself"
        )
    if logs and "logs" not in study.options:
        raise ValueError(f"study {study.name}: takes no --log, but {logs[0]} was given")
    if bool(data) != ("data" in study.options):
        needs = (
            "takes no --data" if data else "expected --data FOLDER, the measurements that it is set beside"
        )
        raise ValueError(f"study {study.name}: {needs}")
    chosen = tuple(part for part in study.parts if part in parts) or study.default
    return StudyRequest(
        chosen, quick, logs=tuple(logs), data=data, network=network, programs=tuple(programs), **numbers
    )


def measured(rows: Sequence[Row], context: StudyContext) -> pd.DataFrame:
    """Return the times of runs; missing runs are simulated.

    Each run has a row, in the given order: its labels, ``cycles`` (of the slowest job), ``jobs`` (a list of
    the cycles of each job) and ``outcome`` (all measurements). Raise ValueError if runs have failed, or are
    missing and may not be simulated.
    """
    runs = [row.run for row in rows]
    left = missing(runs, context.store)
    if context.simulate:
        context.announce(f"{len(left):,} runs", expected_cpu_seconds(left))
        progress = complete(runs, context.store, context.resources.simulators(), context.tell)
        if progress.lost:
            raise ValueError(f"study: {progress.lost} runs could not be simulated now: {progress.reason}")
    elif left:
        where = context.store.path
        raise ValueError(
            f"{where}: {len(left)} runs of the study are not stored; without --stored they are made"
        )
    records = []
    for row, (_, outcome, failure) in zip(rows, context.store.rows(runs), strict=True):
        if outcome is None:
            raise ValueError(f"study: the run {dict(row.labels)} failed: {failure}")
        jobs = [job["cycles"] for job in outcome["jobs"]]
        records.append({**row.labels, "cycles": outcome["cycles"], "jobs": jobs, "outcome": outcome})
    return pd.DataFrame(records)
