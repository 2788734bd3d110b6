"""Logs of a study: given ones or those in the user's folder, and the known properties of some.

``--log FILE[,levels=VECTOR][,weeks=N][,per-node=P]`` gives any log. Without it, the logs of F. Mendonca's
thesis (2017) are read from the folder that `FOLDER` names. ``--log model`` is the model of Lublin and
Feitelson; it never replaces a log without a request.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.inputs import check_int
from netplace.plugins import file_digest
from netplace.report.studies import StudyRequest
from netplace.scheduling.workload import Workload, lublin, read_swf

FOLDER = "NETPLACE_SWF"
MODEL = "model"
_NAMES = {"HPC2N": "HPC2N", "LLNL-Thunder": "LLNL-Thunder", "SDSC-BLUE": "SDSC-Blue", "CEA-Curie": "Curie"}
_PER_NODE = {"LLNL-Thunder": 4, "SDSC-Blue": 8}  # of their machines, see the headers of the logs
_LEVELS = {  # level vectors: those of the author's simulator, the thesis prints none
    "Curie": "1-2-70-3360-80640",
    "HPC2N": "1-2-10-240",
    "LLNL-Thunder": "1-2-64-1024",
    "SDSC-Blue": "1-2-48-1152",
    MODEL: "1-2-10-240",
}
_KEYS = ("levels", "weeks", "per-node")


@dataclass(frozen=True)
class ArchiveLog:
    """A log, or jobs of the model of Lublin and Feitelson."""

    name: str  # as the thesis calls it, else the file's up to its first point; `MODEL` for the model
    path: str = ""  # the file; empty for the model
    digest: str = ""  # SHA-256 of the file
    levels: str = ""  # level vector of its machine, as ``"1-2-10-240"``; empty: unknown
    weeks: int = 0  # weeks that were requested; 0: those that the study takes by itself
    per_node: int = 1  # processors of a node of its machine

    def read(self) -> Workload:
        """Return its completed jobs that ran, with the sizes they requested, in processors."""
        return _read(self.path)


@lru_cache(maxsize=4)
def _read(path: str) -> Workload:
    if not path:
        return lublin(240, 4000, seed=1, load=0.7)
    return read_swf(path, drop=("not-completed", "never-ran"), requested=True)


def logs_of(request: StudyRequest) -> list[ArchiveLog]:
    """Return the logs that were given, else those of the user's folder; the model in a quick version."""
    if request.logs:
        return [_given(text) for text in request.logs]
    if request.quick:
        return [_known(MODEL)]
    logs = [_known(_name(path), path) for path in folder_logs() if _name(path) in _NAMES.values()]
    if not logs:
        named = os.environ.get(FOLDER)
        raise ValueError(
            f"{f'{FOLDER}={named}' if named else 'folder swf'} has none of the logs of the study, expected "
            f"files that begin with {', '.join(_NAMES)} and end with .swf or .swf.gz; {FOLDER} names another "
            "folder, --log FILE gives another log, and --log model takes a model of jobs"
        )
    return logs


def folder_logs() -> list[Path]:
    """Return the logs of the user's folder, sorted by name; none if it is not named, and not there."""
    named = os.environ.get(FOLDER)
    folder = Path(named or "swf")
    if named and not folder.is_dir():
        raise ValueError(f"{FOLDER}={named}: there is no such folder, expected one with .swf files")
    return sorted([*folder.glob("*.swf"), *folder.glob("*.swf.gz")])


def _name(path: Path) -> str:
    """Return what the thesis calls a log, else the name of its file up to the first point."""
    known = (name for begin, name in _NAMES.items() if path.name.startswith(begin))
    return next(known, path.name.partition(".")[0])


def _known(name: str, path: Path | None = None) -> ArchiveLog:
    levels = _LEVELS.get(name, "")
    if path is None:
        return ArchiveLog(name, levels=levels)
    return ArchiveLog(name, str(path), file_digest(path), levels, per_node=_PER_NODE.get(name, 1))


def _given(text: str) -> ArchiveLog:
    """Return the log of ``FILE[,levels=VECTOR][,weeks=N][,per-node=P]``; FILE can be in the user's folder."""
    file, *rest = text.split(",")
    path = Path(file)
    if file != MODEL and not path.is_file():
        path = next((found for found in folder_logs() if found.name == file), path)
        if not path.is_file():
            raise ValueError(
                f"--log {text}: there is no file {file}, expected a log (.swf, .swf.gz) or {MODEL}"
            )
    log = _known(MODEL) if file == MODEL else _known(_name(path), path)
    for part in rest:
        key, _, value = part.partition("=")
        if key not in _KEYS or not value:
            raise ValueError(
                f"--log {text}: {part!r} is not understood, expected {', '.join(_KEYS)} and a value"
            )
        read: Any = value if key == "levels" else check_int(value, f"--log {text}: {key}")
        log = replace(log, **{key.replace("-", "_"): read})
    return log
