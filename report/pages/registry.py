"""The kinds of outcomes: which pages and comparisons are made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from netplace.cosim.serialization import FILE as COSIM
from netplace.files import write_atomically
from netplace.report.files.provenance import provenance_of, results_in
from netplace.report.pages.html import Page, render
from netplace.report.pages.kinds import cosimulation, mapping, run, schedule, store, table, tables
from netplace.report.pages.kinds.outcome import Outcome
from netplace.report.pages.kinds.saved import declared_kind, provenance_in
from netplace.runs.schedule_folder import FIGURES

__all__ = ["PAGES", "PageKind", "kind_of", "page_of", "read_outcome", "render", "write_page"]


@dataclass(frozen=True)
class PageKind:
    """A kind of outcome."""

    description: str  # of the outcome, and the command that writes it
    page: Callable[[Path], Page] | None  # None: only the command itself makes one
    outcome: Callable[[Path], Outcome]  # returns what is compared with another of its kind


# By the kind that a file of results declares.
PAGES = {
    "run": PageKind("a folder of netplace run -o, or output of netplace run --json", run.page, run.outcome),
    "schedule": PageKind("a folder of netplace schedule -o", schedule.page, schedule.outcome),
    "co-simulation": PageKind("a folder of netplace cosim -o", cosimulation.page, cosimulation.outcome),
    "mapping": PageKind("output of netplace map --json", mapping.page, tables.outcome),
    "load": PageKind("output of netplace load --json", tables.page, tables.load_outcome),
    "table": PageKind("a table of netplace table --csv or --parquet", table.page, table.outcome),
    "store": PageKind("a store (.sqlite), or a sweep file with its store", store.page, store.outcome),
    "study": PageKind("a folder of netplace study", None, tables.study_outcome),
    "": PageKind("output of any other command with -o or --json", tables.page, tables.outcome),
}
# What a folder of each kind contains, and what its results are in: the folder, or this file.
_FOLDERS = {
    run.FILE: "run",
    FIGURES: "schedule",
    COSIM: "co-simulation",
    "report.md": "study",
    "advice.json": "",
    "rules.json": "",
}
_ENDINGS = {
    ".csv": "table", ".parquet": "table",
    ".sqlite": "store", ".db": "store", ".toml": "store",
}  # fmt: skip
_NO_COMMAND = "the command that made this outcome"


def kind_of(path: Path) -> str | None:
    """Return the kind of an outcome, a file or a folder, a key of `PAGES`; None if it is no outcome."""
    if path.is_dir():
        return next((kind for name, kind in _FOLDERS.items() if (path / name).is_file()), None)
    ending = path.suffix.lower()
    if ending == ".toml" and not path.with_suffix(".sqlite").is_file():
        return None
    return declared_kind(path) if ending == ".json" else _ENDINGS.get(ending)


def page_of(path: str | Path) -> Page:
    """Return the page of an outcome, a file or a folder."""
    path = Path(path)
    kind, results = _found(path, {name: kind for name, kind in PAGES.items() if kind.page}, "report")
    assert kind.page is not None
    page = kind.page(results)
    if dict(page.asked).get("command"):
        return page
    made = provenance_in(path) or provenance_of(path)
    return page if made is None else replace(page, asked=[("command", made.command), *page.asked])


def read_outcome(path: Path) -> Outcome:
    """Return the outcome of any command in a file or folder, to be compared."""
    kind, results = _found(path, PAGES, "compare")
    return replace(kind.outcome(results), name=str(path))


def _found(path: Path, kinds: dict[str, PageKind], doing: str) -> tuple[PageKind, Path]:
    """Return the kind of an outcome, and the file or folder of its results."""
    if not path.exists():
        raise ValueError(f"{path}: does not exist, expected an outcome of netplace")
    results = results_in(path)
    name = kind_of(results)
    if name not in kinds:
        known = "; ".join(kind.description for kind in kinds.values())
        raise ValueError(f"{path}: is not an outcome that netplace can {doing}, expected one of: {known}")
    if not name and results.is_dir():
        results /= next(file for file in _FOLDERS if (results / file).is_file())
    return kinds[name], results


def write_page(path: Path, page: Page, command: str = "") -> int:
    """Write a page atomically, with the command that makes it again, and return its size in bytes."""
    if command:
        request = [pair for pair in page.asked if pair[0] != "command"]
        page = replace(page, asked=[("command", command), *request])
    elif not dict(page.asked).get("command"):
        page = replace(page, missing=[*page.missing, _NO_COMMAND])
    text = render(page)
    write_atomically(path, text)
    return len(text.encode())
