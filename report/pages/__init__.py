"""One page that anybody opens: an outcome of any command as an HTML file of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from netplace.report.pages.html import render
from netplace.report.pages.kinds import advice, allocation, cosimulation, load, run, schedule, study, table
from netplace.report.pages.page import Page

__all__ = ["PAGES", "PageKind", "page_of", "render"]


@dataclass(frozen=True)
class PageKind:
    """A kind of outcome that can be made a page.

    Attributes
    ----------
    recognises : callable
        Takes a path and tells whether it is of this kind.
    page : callable
        Takes the path and returns the `Page`.
    description : str
        What it is, and which command writes it.
    """

    recognises: Callable[[Path], bool]
    page: Callable[[Path], Page]
    description: str


PAGES: dict[str, PageKind] = {
    "advice": PageKind(advice.recognises, advice.page, "a folder of netplace advise -o"),
    "co-simulation": PageKind(cosimulation.recognises, cosimulation.page, "a folder of netplace cosim -o"),
    "schedule": PageKind(schedule.recognises, schedule.page, "a folder of netplace schedule -o"),
    "study": PageKind(study.recognises, study.page, "a folder of netplace study"),
    "run": PageKind(run.recognises, run.page, "what netplace run --json printed, in a .json file"),
    "load": PageKind(load.recognises, load.page, "what netplace load --json printed, in a .json file"),
    "allocation": PageKind(allocation.recognises, allocation.page, "what netplace allocate --json printed"),
    "table": PageKind(table.recognises, table.page, "a table of netplace table --csv or --parquet"),
}


def page_of(path: Path) -> Page:
    """Return the page of an outcome.

    Raises
    ------
    ValueError
        If there is nothing, or it is of no kind that is known; the sentence names those that are.
    """
    if not path.exists():
        raise ValueError(f"{path}: is not there, expected an outcome of netplace")
    for kind in PAGES.values():
        if kind.recognises(path):
            return kind.page(path)
    known = "; ".join(kind.description for kind in PAGES.values())
    raise ValueError(f"{path}: is no outcome that a report is made of, expected one of: {known}")
