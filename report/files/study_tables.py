"""The tables in a study folder: a file contains their digests, so that damage is detected."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from netplace.checks import abbreviate
from netplace.checks.results_file import read_results, results_text
from netplace.checks.schema import table, table_of, text
from netplace.checks.writing import write_atomically
from netplace.extensions import file_digest

FILE = "tables.json"
_WHAT, _VERSION = "study", 1
_CONTENT = table({"tables": table_of(text)})


def write_digests(folder: Path, names: Iterable[str]) -> None:
    """Write the digests of the tables of these names, with ending, into the folder of a study."""
    content = {"tables": {name: file_digest(folder / name) for name in names}}
    write_atomically(folder / FILE, results_text(_WHAT, _VERSION, content))


def check_tables(folder: Path) -> None:
    """Check that the tables in the folder of a study are those that it wrote; older ones have no digests."""
    if not (folder / FILE).is_file():
        return
    for name, digest in read_results(folder / FILE, _WHAT, _VERSION, _CONTENT)["tables"].items():
        file = folder / name
        if file.parent != folder or not file.is_file():
            raise ValueError(f"{folder / FILE}: lists table {abbreviate(name)}, which is not in the folder")
        if file_digest(file) != digest:
            raise ValueError(f"{file}: has changed since the study wrote it (its digest in {FILE} differs)")
