"""What a study is: runs, and a report that sets what they took beside what was published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from netplace.checks import check_choice, check_int
from netplace.runs import Run
from netplace.runs.campaign import Progress, complete, missing
from netplace.runs.resources import Resources
from netplace.runs.store import Store
from netplace.studies.report import Report

__all__ = ["Asked", "Bench", "Row", "Study", "ask", "measured", "of_runs"]


@dataclass(frozen=True)
class Asked:
    """How much of a study is wanted.

    Attributes
    ----------
    parts : tuple of str
        Keys of its `parts`.
    quick : bool
        Whether a small version is wanted, of seconds instead of hours.
    mappings, partitions, sim_seeds : int or None
        How many mappings of each kind, random partitions and simulations of each placement; None: as many as
        the study has by itself.
    logs : tuple of str
        Logs of jobs that the study is to read, as the user gave them; none: those it takes by itself.
    """

    parts: tuple[str, ...]
    quick: bool = False
    mappings: int | None = None
    partitions: int | None = None
    sim_seeds: int | None = None
    logs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bench:
    """Where a study is carried out.

    Attributes
    ----------
    store : Store
        Where results are, and come.
    resources : Resources
        Who carries out what is missing.
    tell : callable
        Called with the `Progress` of what is carried out.
    simulate : bool
        Whether what is missing is simulated; if not, it is an error.
    """

    store: Store
    resources: Resources = field(default_factory=Resources)
    tell: Callable[[Progress], None] = lambda _: None
    simulate: bool = True


@dataclass(frozen=True)
class Row:
    """A run, and what it is in the study: columns of the study's table."""

    labels: Mapping[str, str | int]
    run: Run


@dataclass(frozen=True)
class Study:
    """A study under a name.

    Attributes
    ----------
    name, title, source : str
        What it is called, what it asks in one line, and where the published numbers are from.
    parts : mapping of str to str
        Its tables, and what each is.
    usual : tuple of str
        Those that are made unless others are asked for.
    conduct : callable
        Carries out what is missing of what is asked for, and reports. Most studies: `of_runs`.
    options : tuple of str
        Which of ``"mappings"``, ``"partitions"``, ``"sim_seeds"`` and ``"logs"`` it takes.
    many : bool
        Whether it carries out plans, so that workers and a cluster have something to do.
    """

    name: str
    title: str
    source: str
    parts: Mapping[str, str]
    usual: tuple[str, ...]
    conduct: Callable[[Asked, Bench], Report]
    options: tuple[str, ...] = ()
    many: bool = True


def of_runs(
    rows: Callable[[Asked], list[Row]], report: Callable[[Asked, pd.DataFrame], Report]
) -> Callable[[Asked, Bench], Report]:
    """Return the `Study.conduct` of a study that reports on runs alone.

    Parameters
    ----------
    rows : callable
        Returns the runs of what is asked for.
    report : callable
        Takes what is asked for, and a table as `measured` returns.
    """

    def conduct(asked: Asked, bench: Bench) -> Report:
        return report(asked, measured(rows(asked), bench))

    return conduct


def ask(
    study: Study,
    parts: Sequence[str] = (),
    quick: bool = False,
    logs: Sequence[str] = (),
    **numbers: int | None,
) -> Asked:
    """Return what is asked of `study`, checked.

    Raises
    ------
    ValueError
        If there is no such part, or the study does not take one of the numbers.
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
    if logs and "logs" not in study.options:
        raise ValueError(f"study {study.name}: takes no --log, but {logs[0]} was given")
    chosen = tuple(part for part in study.parts if part in parts) or study.usual
    return Asked(parts=chosen, quick=quick, logs=tuple(logs), **numbers)


def measured(rows: Sequence[Row], bench: Bench) -> pd.DataFrame:
    """Return what runs took, simulating what is missing.

    Returns
    -------
    DataFrame
        A row for each run, in their order: its labels, ``cycles`` (of the slowest job), ``jobs`` (list of the
        cycles of each job) and ``outcome`` (all that was measured).

    Raises
    ------
    ValueError
        If runs are missing and are not to be simulated, or have failed.
    """
    runs = [row.run for row in rows]
    if bench.simulate:
        progress = complete(runs, bench.store, bench.resources.simulators(), bench.tell)
        if progress.lost:
            raise ValueError(f"study: {progress.lost} runs could not be simulated now: {progress.reason}")
    elif left := missing(runs, bench.store):
        where = bench.store.path
        raise ValueError(
            f"{where}: {len(left)} runs of the study are not there; without --stored they are made"
        )
    records = []
    for row, (_, outcome, failure) in zip(rows, bench.store.rows(runs), strict=True):
        if outcome is None:
            raise ValueError(f"study: the run {dict(row.labels)} failed: {failure}")
        jobs = [job["cycles"] for job in outcome["jobs"]]
        records.append({**row.labels, "cycles": outcome["cycles"], "jobs": jobs, "outcome": outcome})
    return pd.DataFrame(records)
