"""Collectives in a trace, written out as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import COLLECTIVES, Collectives
from netplace.apps.formats.errors import TraceError
from netplace.apps.task import TaskWriter
from netplace.checks import one_of

__all__ = ["COLLECTIVE_TAG", "Expansion", "check_collective", "message_tag"]

_ROOTED = ("bcast", "gather", "reduce", "scatter")
_NAMES = (*_ROOTED, "allgather", "allreduce", "alltoall", "alltoallv", "barrier")
# Above every tag of a message, so that a collective's messages cannot be taken for others. Each kind of
# collective has the next number.
COLLECTIVE_TAG = 1 << 31
# Above every request in the file.
_COLLECTIVE_REQUEST = 1 << 31


def message_tag(communicator: Any, tag: Any) -> Any:
    """Return one tag for a tag on a communicator, different for each pair of them."""
    return tag + (communicator << 32)


class Expansion:
    """Writes collectives out, one task's part at a time.

    Parameters
    ----------
    tasks : int
        Number of tasks of the program.
    collectives : Collectives, optional
        Chooses their algorithms.
    """

    def __init__(self, tasks: int, collectives: Collectives | None = None) -> None:
        self._tasks, self._collectives = tasks, collectives
        self._requests = [_COLLECTIVE_REQUEST] * tasks
        self._known: dict[tuple[Any, ...], dict[str, NDArray[Any]]] = {}

    def operations(
        self,
        task: int,
        name: str,
        communicator: int,
        members: Sequence[int],
        root: int,
        bytes: int,
        sizes: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return as columns what `task` does in a collective.

        Parameters
        ----------
        task : int
            World rank of the member.
        name : str
            Key of `COLLECTIVES` that a trace may name.
        communicator, members : int, sequence of int
            Its number, and the world ranks of its members.
        root : int
            World rank of the root of those that have one.
        bytes : int
            As each collective has it.
        sizes : pair of sequences of int, optional
            Bytes to and from each member, of alltoallv.
        """
        key = (task, name, communicator, tuple(members), root, bytes)
        block = self._known.get(key) if sizes is None else None
        if block is None:
            writer = TaskWriter(task, self._tasks, self._collectives)
            arguments: tuple[Any, ...] = sizes or (bytes,)
            if name in _ROOTED:
                arguments = (root, bytes)
            elif name == "barrier":
                arguments = ()
            tag = message_tag(communicator, COLLECTIVE_TAG + _NAMES.index(name))
            COLLECTIVES[name](writer, members, *arguments, tag=tag)
            block = writer.columns()
            self._known[key] = block
        request = block["request"].astype(np.int64)
        opened = int(request.max(initial=-1)) + 1
        request[request >= 0] += self._requests[task]
        self._requests[task] += opened
        return block | {"request": request}


def check_collective(line: int, name: str, members: Sequence[int], root: int) -> None:
    """Check the name and root of a collective.

    Raises
    ------
    TraceError
        If there is no such collective, or the root is none of the members.
    """
    try:
        one_of(name, _NAMES, "collective")
    except ValueError as error:
        raise TraceError(line, str(error)) from None
    if name in _ROOTED and root not in members:
        raise TraceError(line, f"root {root} of {name} is not a member of its communicator")
