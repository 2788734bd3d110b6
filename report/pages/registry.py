"""One page that anybody opens: an outcome of any command as an HTML file of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from netplace.checks.writing import write_atomically
from netplace.cosim.serialization import FILE as COSIM
from netplace.report.files.advice import FILE as ADVICE
from netplace.report.files.provenance import provenance_of, results_in
from netplace.report.pages.html import Page, render
from netplace.report.pages.kinds import (
    advice,
    allocation,
    changes,
    cosimulation,
    explanation,
    load,
    mapping,
    metrics,
    networks,
    printed,
    rules,
    run,
    schedule,
    store,
    study,
    table,
)
from netplace.report.pages.kinds.outcome import Outcome
from netplace.report.pages.kinds.saved import details_of, holds, saved_object
from netplace.runs.schedule_folder import FIGURES, ROWS

__all__ = ["PAGES", "PageKind", "page_of", "read_outcome", "render", "write_page"]


@dataclass(frozen=True)
class PageKind:
    """A kind of outcome that can be made a page."""

    recognises: Callable[[Path], bool]
    page: Callable[[Path], Page]
    description: str  # of the outcome, and the command that writes it
    # Returns what is compared with another of its kind; None: it is compared like any other command's output.
    outcome: Callable[[Path], Outcome] | None = None


def _has(*files: str) -> Callable[[Path], bool]:
    """Return what recognises folders with these files."""
    return lambda path: path.is_dir() and all((path / file).is_file() for file in files)


def _ends(*endings: str) -> Callable[[Path], bool]:
    return lambda path: path.is_file() and path.suffix.lower() in endings


def _holds(what: str, *keys: str) -> Callable[[Path], bool]:
    """Return what recognises files that a command printed, by their kind or by these keys."""
    return lambda path: holds(path, what, keys)


def _of_object(key: str, page: Callable[[dict[str, Any]], Page]) -> Callable[[Path], Page]:
    """Return what makes the page of an object in a file; where it cannot, `key` is said to be damaged."""

    def page_of_file(path: Path) -> Page:
        with details_of(path, key):
            return page(saved_object(path))

    return page_of_file


PAGES: dict[str, PageKind] = {
    "advice": PageKind(_has(ADVICE), advice.page, "a folder of netplace advise -o"),
    "rules": PageKind(_has(rules.FILE), rules.page, "a folder of netplace advise --log -o"),
    "co-simulation": PageKind(
        _has(COSIM), cosimulation.page, "a folder of netplace cosim -o", cosimulation.outcome
    ),
    "schedule": PageKind(
        _has(FIGURES, ROWS), schedule.page, "a folder of netplace schedule -o", schedule.outcome
    ),
    "study": PageKind(_has(study.REPORT), study.page, "a folder of netplace study", study.outcome),
    "run": PageKind(
        lambda path: holds(run.file_of(path), "run", ("cycles", "jobs", "network", "packet_delay")),
        run.page,
        "a folder of netplace run -o, or output of netplace run --json, in a .json file",
        run.outcome,
    ),
    "load": PageKind(
        _holds("load", "points", "traffic"),
        load.page,
        "output of netplace load --json, in a .json file",
        load.outcome,
    ),
    "allocation": PageKind(
        lambda path: any(
            holds(path, "allocation", ("machine", "request", own)) for own in ("offers", "placed")
        ),
        allocation.page,
        "output of netplace allocate --json",
        allocation.outcome,
    ),
    "mapping": PageKind(
        _holds("mapping", "mapping", "criterion", "consecutive", "nodes"),
        _of_object("mapping", mapping.page),
        "output of netplace map --json",
    ),
    "metrics": PageKind(
        _holds("metrics", "title", "rows", "spread"),
        _of_object("rows", metrics.page),
        "output of netplace metrics --json",
    ),
    "networks": PageKind(
        _holds("networks", "networks"),
        _of_object("networks", networks.page),
        "output of netplace check network --json for several networks",
    ),
    "explanation": PageKind(
        _holds("explanation", "job", "own", "neighbours", "links"),
        _of_object("neighbours", explanation.page),
        "output of netplace explain --json",
    ),
    "changes": PageKind(
        changes.recognises, _of_object("jobs", changes.page), "output of netplace whatif --json"
    ),
    "table": PageKind(
        _ends(".csv", ".parquet"), table.page, "a table of netplace table --csv or --parquet", table.outcome
    ),
    "store": PageKind(
        store.recognises, store.page, "a store (.sqlite), or a sweep file with its store", store.outcome
    ),
    # What no other kind is made of: it stands last.
    "printed": PageKind(
        printed.recognises, printed.page, "output of any other command with -o or --json", printed.outcome
    ),
}

_NO_COMMAND = "the command that made this outcome, which only a folder of -o contains"


def page_of(path: str | Path) -> Page:
    """Return the page of an outcome, a file or a folder."""
    path = Path(path)
    kind, results = _kind_of(path, list(PAGES.values()), "report")
    page, made = kind.page(results), provenance_of(path)
    if made is None or dict(page.asked).get("command"):
        return page
    # Of a folder, or a file in one, that keeps the command that made it.
    command = shlex.join(["netplace", made.command, *made.arguments])
    return replace(page, asked=[("command", command), *page.asked])


def read_outcome(path: Path) -> Outcome:
    """Return the outcome of any command in a file or folder, to be compared."""
    kind, results = _kind_of(path, [kind for kind in PAGES.values() if kind.outcome], "compare")
    assert kind.outcome is not None
    return replace(kind.outcome(results), name=str(path))


def _kind_of(path: Path, kinds: list[PageKind], doing: str) -> tuple[PageKind, Path]:
    """Return the kind of an outcome, and the file or folder of its results."""
    if not path.exists():
        raise ValueError(f"{path}: does not exist, expected an outcome of netplace")
    results = results_in(path)
    for kind in kinds:
        if kind.recognises(results):
            return kind, results
    known = "; ".join(kind.description for kind in kinds)
    raise ValueError(f"{path}: is not an outcome that netplace can {doing}, expected one of: {known}")


def write_page(path: Path, page: Page, command: str = "") -> int:
    """Write a page atomically, with the command that makes it again, and return its size in bytes."""
    if command:
        asked = [pair for pair in page.asked if pair[0] != "command"]
        page = replace(page, asked=[("command", command), *asked])
    elif not dict(page.asked).get("command"):
        page = replace(page, missing=[*page.missing, _NO_COMMAND])
    text = render(page)
    write_atomically(path, text)
    return len(text.encode())
