"""One page that anybody opens: an outcome of any command as an HTML file of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from netplace.checks.writing import write_atomically
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

__all__ = ["PAGES", "PageKind", "page_of", "render", "write_page"]


@dataclass(frozen=True)
class PageKind:
    """A kind of outcome that can be made a page.

    Attributes
    ----------
    recognises : callable
        Takes a path and returns whether it is of this kind.
    page : callable
        Takes the path and returns the `Page`.
    description : str
        Kind of outcome, and the command that writes it.
    """

    recognises: Callable[[Path], bool]
    page: Callable[[Path], Page]
    description: str


PAGES: dict[str, PageKind] = {
    "advice": PageKind(advice.recognises, advice.page, "a folder of netplace advise -o"),
    "rules": PageKind(rules.recognises, rules.page, "a folder of netplace advise --log -o"),
    "co-simulation": PageKind(cosimulation.recognises, cosimulation.page, "a folder of netplace cosim -o"),
    "schedule": PageKind(schedule.recognises, schedule.page, "a folder of netplace schedule -o"),
    "study": PageKind(study.recognises, study.page, "a folder of netplace study"),
    "run": PageKind(run.recognises, run.page, "output of netplace run --json, in a .json file"),
    "load": PageKind(load.recognises, load.page, "output of netplace load --json, in a .json file"),
    "allocation": PageKind(allocation.recognises, allocation.page, "output of netplace allocate --json"),
    "mapping": PageKind(mapping.recognises, mapping.page, "output of netplace map --json"),
    "metrics": PageKind(metrics.recognises, metrics.page, "output of netplace metrics --json"),
    "networks": PageKind(
        networks.recognises, networks.page, "output of netplace check network --json for several networks"
    ),
    "explanation": PageKind(explanation.recognises, explanation.page, "output of netplace explain --json"),
    "changes": PageKind(changes.recognises, changes.page, "output of netplace whatif --json"),
    "table": PageKind(table.recognises, table.page, "a table of netplace table --csv or --parquet"),
    "store": PageKind(store.recognises, store.page, "a store (.sqlite), or a sweep file with its store"),
    # What no other kind is made of: it stands last.
    "printed": PageKind(printed.recognises, printed.page, "output of any other command with --json"),
}

_NO_COMMAND = "the command that made this outcome, which only a folder of -o contains"


def page_of(path: str | Path) -> Page:
    """Return the page of an outcome, a file or a folder."""
    path = Path(path)
    if not path.exists():
        raise ValueError(f"{path}: does not exist, expected an outcome of netplace")
    results = results_in(path)
    for kind in PAGES.values():
        if kind.recognises(results):
            return _commanded(kind.page(results), path)
    known = "; ".join(kind.description for kind in PAGES.values())
    raise ValueError(f"{path}: is not an outcome that netplace can report, expected one of: {known}")


def _commanded(page: Page, path: Path) -> Page:
    """Return a page with the command that made a folder, or a file in one, if it is kept there."""
    made = provenance_of(path)
    if made is None or dict(page.asked).get("command"):
        return page
    return replace(
        page, asked=[("command", shlex.join(["netplace", made.command, *made.arguments])), *page.asked]
    )


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
