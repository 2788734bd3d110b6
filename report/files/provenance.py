"""Provenance: the command, the inputs, the code and the machine that an outcome was made with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netplace.files import write_atomically
from netplace.json_files import read_results, results_text
from netplace.plain_data import from_builtins, to_builtins

FILE = "provenance.json"  # in a folder; beside a file it is called after the file
_WHAT = "provenance"


@dataclass(frozen=True)
class Input:
    """A file that a command read."""

    path: str  # as the command named it: from the working folder, or absolute
    bytes: int
    sha256: str  # empty: a pipe, or a file that changed while the command ran


@dataclass(frozen=True)
class Provenance:
    """How an outcome was made."""

    command: str  # as typed
    result: str  # the file of a folder that holds the results; empty where all files together do
    plans: tuple[dict[str, Any], ...]  # what the command was resolved to, each with its key: the first ones
    plan_count: int  # how many plans there are
    seeds: tuple[int, ...]  # of all plans
    inputs: tuple[Input, ...]
    code: str  # commit of the checkout, or digest of the files of the package
    versions: dict[str, str]  # of netplace, Python and the libraries
    platform: str  # system, processor and number of cores
    plugins: dict[str, str] = field(default_factory=dict)  # files of the user's own code, with their SHA-256


def sidecar(path: Path) -> Path:
    """Return where the provenance of a file that cannot hold it stands."""
    return path.with_name(f"{path.name}.{FILE}")


def write_provenance(path: Path, provenance: Provenance) -> None:
    write_atomically(path, results_text(_WHAT, to_builtins(provenance)))


def provenance_of(path: Path) -> Provenance | None:
    """Return the provenance of a folder or file; None where no file in it or beside it tells."""
    for file in (path / FILE, sidecar(path), path.parent / FILE):
        if file.is_file():
            return from_builtins(Provenance, read_results(file, _WHAT))
    return None


def results_in(path: Path) -> Path:
    """Return the file of results in an outcome's folder, or the path itself where it is of a kind."""
    made = provenance_of(path) if path.is_dir() and (path / FILE).is_file() else None
    if made is None or not made.result:
        return path
    if "/" in made.result or made.result in (".", ".."):
        raise ValueError(f"{path / FILE}: result: {made.result!r} is not the name of a file in this folder")
    return path / made.result
