"""Two outcomes of a command side by side: differences in the requests, and differences beyond chance."""

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
from netplace.report.pages import PAGES

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
        Kind of outcome, and the command that writes it.
    """

    recognises: Callable[[Path], bool]
    outcome: Callable[[Path], Outcome]
    description: str


_OUTCOMES = {
    "co-simulation": cosimulation.outcome,
    "schedule": schedule.outcome,
    "study": study.outcome,
    "run": run.outcome,
    "load": load.outcome,
    "allocation": allocation.outcome,
    "table": table.outcome,
    "store": store.outcome,
}
_RUN = "a folder of netplace run -o, or a .json file of --json"
KINDS: dict[str, OutcomeKind] = {
    name: OutcomeKind(PAGES[name].recognises, read, _RUN if name == "run" else PAGES[name].description)
    for name, read in _OUTCOMES.items()
}
# For all files that have no other kind, so it is last.
KINDS["printed"] = OutcomeKind(
    printed.recognises, printed.outcome, "output of any other command with -o or --json"
)


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
