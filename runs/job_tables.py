"""Tables of stored results by job: one row per job of each run, and statistics over seeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from netplace.runs.spec import Run
from netplace.runs.store import Row
from netplace.runs.tables import (
    BESIDE,
    ENTRY,
    entry_of,
    over_seeds,
    run_table,
    several_versions,
    tasks_of_traces,
)

__all__ = ["JOB_ENTRY", "job_table", "job_time_table"]

JOB_ENTRY = ["job", *ENTRY, BESIDE]  # what the cycles of a job belong to


def job_table(rows: Iterable[Row]) -> pd.DataFrame:
    """Return one row per job of each run in `Store.rows`: its entry, the other jobs, and its cycles.

    The first columns are `JOB_ENTRY`: ``job``, the number of the job in the run, from 0; `ENTRY` for this job
    only; and ``beside``, the other jobs. The other columns are ``seed``, ``cycles`` from the start of the job
    until its last task ended (empty if the run has not ended), and the ``failure`` and ``key`` of the run.
    Runs are in the order of `netplace.runs.tables.run_table`, and the jobs of a run in the order of their
    placement.
    """
    taken = list(rows)
    sizes, several = tasks_of_traces(taken), several_versions(taken)
    made = []
    for run, outcome, failure in taken:
        cycles = [job["cycles"] for job in outcome["jobs"]] if outcome else [None] * len(run.jobs)
        made += [
            {**entry, "seed": run.seed, "cycles": its, "failure": failure, "key": run.key}
            for entry, its in zip(_entries(run, sizes, several), cycles, strict=True)
        ]
    frame = pd.DataFrame(made, columns=[*JOB_ENTRY, "seed", "cycles", "failure", "key"])
    kinds = {"job": "int64", "tasks": "Int64", "seed": "int64", "cycles": "Int64", "failure": "string"}
    places = {key: place for place, key in enumerate(run_table(taken)["key"])}
    return frame.astype(kinds).sort_values(
        "key", key=lambda keys: keys.map(places), kind="stable", ignore_index=True
    )


def job_time_table(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return the entries `JOB_ENTRY` of a `job_table`, in its order, with the statistics of `time_table`."""
    return over_seeds(jobs, JOB_ENTRY, sort=False)


def _entries(run: Run, sizes: Mapping[str, int], several: Collection[str]) -> list[dict[str, Any]]:
    """Return the columns `JOB_ENTRY` of each job of a run."""
    alone = [entry_of(replace(run, jobs=(job,)), sizes, several) for job in run.jobs]
    texts = [_text(entry) for entry in alone]
    return [
        {"job": place, **entry, BESIDE: " + ".join(_counted([*texts[:place], *texts[place + 1 :]]))}
        for place, entry in enumerate(alone)
    ]


def _text(entry: dict[str, Any]) -> str:
    """Return a job in one text, as in ``butterfly packets=2 (8 tasks, random)``."""
    label = f"{entry['application']} {entry['problem']}".rstrip()
    tasks = f"{entry['tasks']} tasks, " if entry["tasks"] else ""
    return f"{label} ({tasks}{entry['mapping']})"


def _counted(texts: list[str]) -> list[str]:
    """Return each text once, in front how often if that is more than once."""
    counts = {text: texts.count(text) for text in texts}
    return [text if count == 1 else f"{count}x {text}" for text, count in counts.items()]
