"""How an outcome was made: kept beside it, with its input files, so that it can be made again elsewhere."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.checks.results_file import read_results, results_text
from netplace.checks.schema import kind_of
from netplace.checks.trusted import NO_LINK
from netplace.checks.writing import atomic_file, write_atomically

FILE, INPUTS = "provenance.json", "inputs"
VERSION = 1  # to be raised when keys change
_WHAT = "provenance"
_COPY = re.compile(r"inputs/[0-9a-f]{16}-[^/\x00]{1,200}")
_BLOCK = 1 << 20
_NO_RESULT = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".checkpoint", ".lock")  # what is kept to go on from


@dataclass(frozen=True)
class Input:
    """A file that a command has read."""

    path: str  # as the command named it: from the working folder, or absolute
    bytes: int  # its size
    sha256: str  # its digest; empty: it was a pipe, or changed while the command ran
    copy: str = ""  # its copy in the folder of the outcome; empty: there is none


@dataclass(frozen=True)
class Provenance:
    command: str  # the subcommand of netplace
    arguments: list[str]  # its arguments, as they were typed; they are never given to a shell
    parameters: dict[str, Any]  # the value of every parameter, those that were not typed included
    # What was resolved from them: each plan with its key; only the first of very many.
    plans: list[dict[str, Any]]
    plan_count: int  # how many plans there are
    seeds: list[int]  # all seeds of the plans
    inputs: list[Input]  # all files that were read
    outputs: dict[str, str]  # files of the folder, with their SHA-256
    result: str  # the file of the folder that holds the results, where a command of one file wrote a folder
    # What it was made with, and where.
    versions: dict[str, str]
    platform: dict[str, str] = field(default_factory=dict)


_KIND = kind_of(Provenance)


def inputs_of(names: Iterable[str], since: float) -> list[Input]:
    """Return the files among `names` with digests; those changed after `since` (Unix time) have none."""
    found = []
    for name in names:
        path = Path(name)
        with suppress(OSError):
            if path.is_file():
                state = path.stat()
                known = state.st_mtime <= since
                found.append(Input(name, state.st_size, _digest(path) if known else ""))
            elif path.exists() and not path.is_dir():
                found.append(Input(name, 0, ""))
    return found


def copy_inputs(folder: Path, inputs: Iterable[Input], most: int) -> list[Input]:
    """Copy inputs of at most `most` bytes into an outcome's folder, and replace earlier copies."""
    place = folder / INPUTS
    made = []
    for item in inputs:
        copy = f"{INPUTS}/{item.sha256[:16]}-{PurePosixPath(item.path).name[-200:]}"
        if not item.sha256 or item.bytes > most or not _COPY.fullmatch(copy):
            made.append(item)
            continue
        place.mkdir(exist_ok=True)
        if not _same(folder / copy, item.sha256):
            with atomic_file(folder / copy) as draft:
                shutil.copyfile(item.path, draft)
        made.append(Input(item.path, item.bytes, item.sha256, copy))
    kept = {item.copy for item in made}
    if place.is_dir() and not place.is_symlink():
        for path in place.iterdir():
            if (name := f"{INPUTS}/{path.name}") not in kept and _COPY.fullmatch(name):
                path.unlink()
        if not any(place.iterdir()):
            place.rmdir()
    return made


def write_provenance(folder: Path, provenance: Provenance) -> None:
    write_atomically(folder / FILE, results_text(_WHAT, VERSION, to_plain(provenance)))


def read_provenance(path: Path) -> Provenance:
    if not path.is_dir():
        raise ValueError(f"{path}: is not a folder, expected a folder written by netplace with -o")
    if not (path / FILE).is_file():
        raise ValueError(
            f"{path}: has no {FILE}, expected a folder written by netplace with -o; folders of older "
            f"versions cannot be repeated"
        )
    return _checked(read_results(path / FILE, _WHAT, VERSION, _KIND), path / FILE)


def provenance_of(path: Path) -> Provenance | None:
    """Return how an outcome was made, a folder or a file in one; None where nothing tells it."""
    if path.is_dir():
        return read_provenance(path) if (path / FILE).is_file() else None
    if not (path.is_file() and (path.parent / FILE).is_file()):
        return None
    made = read_provenance(path.parent)
    return made if made.outputs.get(path.name) == _digest(path) else None


def results_in(path: Path) -> Path:
    """Return the file of results in an outcome's folder, or the path itself where it is of a kind."""
    made = provenance_of(path) if path.is_dir() else None
    return path / made.result if made is not None and made.result else path


def _checked(plain: Mapping[str, Any], path: Path) -> Provenance:
    made = from_plain(Provenance, plain)
    for item in made.inputs:
        if item.copy and not _COPY.fullmatch(item.copy):
            raise ValueError(
                f"{path}: inputs: {item.copy!r} is not the name of a copy, expected a name in {INPUTS}/"
            )
    for name in (*made.outputs, made.result):
        if "/" in name or name in (".", "..") or "\x00" in name:
            raise ValueError(f"{path}: outputs: {name!r} is not the name of a file in this folder")
    return made


def states_in(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the files of results in an outcome's folder, with when they were changed and their sizes."""
    found = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        kept = path.name == FILE or path.name.startswith(".") or path.name.endswith(_NO_RESULT)
        if not kept and path.is_file() and not path.is_symlink():
            state = path.stat()
            found[path.name] = (state.st_mtime_ns, state.st_size)
    return found


def digests_of(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of files in a folder, by their names."""
    return {name: _digest(folder / name) for name in names}


def place_in(root: Path, working: Path, name: str) -> Path:
    """Return the place of a named file below `root`, which stands for the root of the system."""
    path = root / name.lstrip("/") if name.startswith("/") else working / name
    if not Path(os.path.normpath(path)).is_relative_to(root):
        raise ValueError(f"{name}: leads out of the folder in which netplace repeats the command")
    return path


def read_copy(folder: Path, item: Input) -> bytes:
    """Return the copy of an input, checked against its digest."""
    path = folder / item.copy
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
            content = file.read()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
    if (found := hashlib.sha256(content).hexdigest()) != item.sha256:
        raise ValueError(
            f"{path}: has the SHA-256 {found[:16]}.., expected {item.sha256[:16]}..: it has changed"
        )
    return content


def _same(path: Path, sha256: str) -> bool:
    return path.is_file() and not path.is_symlink() and _digest(path) == sha256


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
