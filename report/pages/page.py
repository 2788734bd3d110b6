"""What a page says: sentences, tables and figures, for a browser and for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable, print_data


@dataclass(frozen=True)
class Listing:
    """The text of a file, line by line."""

    title: str  # name of the file
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture that exists already."""

    title: str  # what it shows
    content: bytes  # PNG or SVG
    kind: str  # its media type


Part = DataTable | Listing | Picture | Figure


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes
    ----------
    title : str
        Subject of the page.
    verdict : sequence of str
        What came of it, a sentence each.
    asked : sequence of (str, str)
        Request, with versions and seeds; the command that makes it again under ``command``.
    parts : sequence of DataTable, Listing, Picture or Figure
        In order.
    missing : sequence of str
        What could have been on the page and is not, and why.
    notes : sequence of str
        What a reader has to know in addition.
    """

    title: str
    verdict: Sequence[str]
    asked: Sequence[tuple[str, str]]
    parts: Sequence[Part]
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()

    def _repr_html_(self) -> str:
        from netplace.report.pages.html import still_page

        return still_page(self)

    def show(self) -> None:
        """Print its title, its sentences and its tables, with their notes, on the terminal."""
        sys.stdout.write("\n".join([self.title, *self.verdict, ""]))
        print_data(part for part in self.parts if isinstance(part, DataTable))
