"""Compiled parts of netplace.apps."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def earliest_ends(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], need: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], packets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], created: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cycles: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], packet_phits: int, rate: int, room: int, hops: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Return the least cycle in which each task can end."""

def stands(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], need: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Return where each task comes to stand; first[task + 1] if it ends."""
