"""Two outcomes of a command side by side: what differs in what was asked, and what differs beyond chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from netplace.report.comparison.compare import BETTER, WORSE, Comparison, Difference, compare
from netplace.report.comparison.kinds import (
    allocation,
    cosimulation,
    load,
    printed,
    run,
    schedule,
    store,
    study,
    table,
)
from netplace.report.comparison.outcome import Entry, Outcome, Result, Sample
from netplace.report.files.provenance import results_in

__all__ = [
    "BETTER",
    "KINDS",
    "WORSE",
    "Comparison",
    "Difference",
    "Entry",
    "Outcome",
    "OutcomeKind",
    "Result",
    "Sample",
    "compare",
    "read_outcome",
]


@dataclass(frozen=True)
class OutcomeKind:
    """A kind of outcome that can be compared with another of its kind.

    Attributes
    ----------
    recognises : callable
        Takes a path and returns whether it is of this kind.
    outcome : callable
        Takes the path and returns the `Outcome`.
    description : str
        What it is, and which command writes it.
    """

    recognises: Callable[[Path], bool]
    outcome: Callable[[Path], Outcome]
    description: str


KINDS: dict[str, OutcomeKind] = {
    "co-simulation": OutcomeKind(
        cosimulation.recognises, cosimulation.outcome, "a folder of netplace cosim -o"
    ),
    "schedule": OutcomeKind(schedule.recognises, schedule.outcome, "a folder of netplace schedule -o"),
    "study": OutcomeKind(study.recognises, study.outcome, "a folder of netplace study"),
    "run": OutcomeKind(run.recognises, run.outcome, "a folder of netplace run -o, or a .json file of --json"),
    "load": OutcomeKind(load.recognises, load.outcome, "output of netplace load --json, in a .json file"),
    "allocation": OutcomeKind(
        allocation.recognises, allocation.outcome, "output of netplace allocate --json"
    ),
    "table": OutcomeKind(table.recognises, table.outcome, "a table of netplace table --csv or --parquet"),
    "store": OutcomeKind(
        store.recognises, store.outcome, "a store (.sqlite), or a sweep file with its store"
    ),
    # What no other kind is made of: it stands last.
    "printed": OutcomeKind(
        printed.recognises, printed.outcome, "output of any other command with -o or --json"
    ),
}


def read_outcome(path: Path) -> Outcome:
    """Return the outcome of any command in a file or folder."""
    if not path.exists():
        raise ValueError(f"{path}: does not exist, expected an outcome of netplace")
    results = results_in(path)
    for kind in KINDS.values():
        if kind.recognises(results):
            return replace(kind.outcome(results), name=str(path))
    known = "; ".join(kind.description for kind in KINDS.values())
    raise ValueError(f"{path}: is not an outcome that netplace can compare, expected one of: {known}")
