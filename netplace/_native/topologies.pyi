"""Compiled parts of netplace.topologies."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def all_hops(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int16], dict(shape=(None,))]:
    """
    Return the hops between all switches, row by row; -1 if there is no way.
    """

def least_costs(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Return the least sums of weights between all switches; 2**30 if there is no way.
    """

@overload
def closer_ports(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, cost: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Return the ports that lead closer, row by row, and the largest number of them.
    """

@overload
def closer_ports(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, cost: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple: ...

def reach(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ports: Annotated[NDArray[numpy.int16], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Return the most hops, the highest level on a link and the level behind the last one, row by row.
    """

def table_ways(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ports: Annotated[NDArray[numpy.int16], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: int, anew: bool, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leads: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Return the channels in use, those that wait for each other, whether in a ring, and two switches without a way.
    """

def detour_ways(neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ports: Annotated[NDArray[numpy.int16], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: int, anew: bool, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], via: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, valiant: bool, par: bool) -> tuple:
    """
    Return the same for packets that may go through an intermediate switch.
    """
