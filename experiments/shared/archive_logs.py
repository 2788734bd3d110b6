"""Logs of the Parallel Workloads Archive in the user's folder, as F. Mendonca's thesis (2017) read them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from netplace.extensions import file_digest
from netplace.scheduling.workload import Workload, lublin, read_swf

__all__ = ["FOLDER", "MODEL", "ArchiveLog", "archive_logs"]

FOLDER = "NETPLACE_SWF"
MODEL = "model"
_NAMES = {"HPC2N": "HPC2N", "LLNL-Thunder": "LLNL-Thunder", "SDSC-BLUE": "SDSC-Blue", "CEA-Curie": "Curie"}


@dataclass(frozen=True)
class ArchiveLog:
    """A log, or jobs of the model of Lublin and Feitelson in place of one.

    Attributes
    ----------
    name : str
        As the thesis calls it; `MODEL` for the model.
    path : str
        The file; empty for the model.
    digest : str
        SHA-256 of the file.
    """

    name: str
    path: str = ""
    digest: str = ""

    def read(self) -> Workload:
        """Return its completed jobs that ran, with the sizes they requested."""
        return _read(self.path)


@lru_cache(maxsize=4)
def _read(path: str) -> Workload:
    if not path:
        return lublin(240, 4000, seed=1, load=0.7)
    return read_swf(path, drop=("not-completed", "never-ran"), requested=True)


def archive_logs(quick: bool) -> list[ArchiveLog]:
    """Return the logs of the folder ``swf``, or of what the environment names; the model in a quick version.

    Raises
    ------
    ValueError
        If there is none of them, or the environment names a folder that is not there.
    """
    if quick:
        return [ArchiveLog(MODEL)]
    named = os.environ.get(FOLDER)
    folder = Path(named or "swf")
    if named and not folder.is_dir():
        raise ValueError(f"{FOLDER}={named}: there is no such folder, expected one with .swf files")
    found = []
    for path in sorted([*folder.glob("*.swf"), *folder.glob("*.swf.gz")]):
        for begin, name in _NAMES.items():
            if path.name.startswith(begin):
                found.append(ArchiveLog(name, str(path), file_digest(path)))
    if not found:
        raise ValueError(
            f"{FOLDER}: {folder} has none of the logs of the study, expected files that begin with "
            f"{', '.join(_NAMES)} and end with .swf or .swf.gz; --quick takes a model of jobs instead"
        )
    return found
