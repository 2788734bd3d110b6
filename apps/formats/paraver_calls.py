"""Which MPI call a number in Paraver's events stands for."""

from __future__ import annotations

import re
from pathlib import Path

from netplace.apps.formats.stream import lines
from netplace.apps.recorded.trace import Reading

__all__ = ["call_names"]

_FIRST, _LAST = 50000001, 50000003
# Numbers of Extrae, for files without a .pcf.
_EXTRAE = """
Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather Gatherv
Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size Comm_create Comm_dup Comm_split Comm_group
Comm_free Comm_remote_group Comm_remote_size Comm_test_inter Comm_compare Scan Init Finalize Bsend
Ssend Rsend Ibsend Issend Irsend Test Cancel Sendrecv Sendrecv_replace Cart_create
"""
_VALUE = re.compile(r"(\d+)\s+(MPI_\w+)")


def call_names(path: Path) -> dict[int, str]:
    """Return the names of the calls by number, from the ``.pcf`` beside a ``.prv`` if there is one."""
    names = {number: f"MPI_{name}" for number, name in enumerate(_EXTRAE.split(), 1)}
    name = path.name.removesuffix(".gz")
    stem = name.removesuffix(".prv")
    for beside in (path.with_name(f"{stem}.pcf"), path.with_name(f"{stem}.pcf.gz")):
        if beside.is_file():
            return names | _listed_names(beside)
    return names


def _listed_names(path: Path) -> dict[int, str]:
    names: dict[int, str] = {}
    calls = False
    for _, raw in lines(path, Reading()):
        words = raw.decode("utf-8", "replace").split()
        if words[:1] == ["EVENT_TYPE"]:
            calls = False
        elif len(words) > 2 and words[1].isdecimal() and _FIRST <= int(words[1]) <= _LAST:
            calls = True
        elif calls and (match := _VALUE.match(" ".join(words))):
            names[int(match[1])] = match[2]
    return names
