"""The threads that simulate one network: their number, and the domain of the network that each has."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_int
from netplace.topologies import Graph, Grid, Topology, Tree

AUTO = "auto"
MOST = 64
ROUTERS = 2048  # of a domain; below, only saturated traffic gains by one thread more


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked_threads(threads: object, label: str = "threads") -> int | str:
    """Return a given number of threads, or `AUTO`, after a check."""
    if threads == AUTO:
        return AUTO
    if isinstance(threads, str):
        raise ValueError(f"{label}: {abbreviate(threads)} is not a number from 1 to {MOST}, or auto")
    return check_int(threads, label, 1, MOST)


def threads_beside(threads: int | str, processes: int, label: str = "threads") -> int | str:
    """Return the number of threads per network if several processes simulate one network each."""
    if threads == AUTO:
        return AUTO if processes == 1 else 1
    assert isinstance(threads, int)
    if threads > 1 and threads * processes > cores():
        all_in_all = f" in each of {processes} processes" if processes > 1 else ""
        raise ValueError(f"{label}: {threads} given{all_in_all}, more than the {cores()} available cores")
    return threads


def usable_threads(topology: Topology, threads: int | str, *, engine: str) -> int:
    """Return the number of threads of a network; `AUTO` gives one per `ROUTERS`, up to the idle cores.

    A thread that shares a core with other work delays the others so much that one thread is faster.
    """
    requested = checked_threads(threads)
    split = engine != "reference"
    if requested == AUTO:
        worth = min(MOST, topology.routers // ROUTERS) if split else 1
        return max(1, min(worth, cores() - busy_cores())) if worth > 1 else 1
    assert isinstance(requested, int)
    if requested > 1 and not split:
        raise ValueError(
            f"threads: {requested} given, but engine {engine} uses one thread; expected 1 or auto"
        )
    if requested > topology.nodes:
        raise ValueError(f"threads: {requested} given, more than the {topology.nodes} nodes of {topology}")
    return requested


def busy_cores() -> int:
    try:
        running = Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0]
        return max(0, int(running) - 1)  # this thread is one of them
    except (OSError, ValueError, IndexError):  # not Linux
        return round(os.getloadavg()[0])


DAWDLE = 0  # 1: threads lose time by chance, which tests let them do


def cut(topology: Topology, count: int) -> NDArray[np.int8]:
    """Return the domain of each router: slabs of a grid, subtrees, or ranges of switches with their nodes."""
    if isinstance(topology, Grid):
        layers = topology.sizes[-1]
        if layers >= 2 * count:
            layer = np.arange(topology.routers) // (topology.routers // layers)
            return _shares(layer, layers, count)
        return _shares(np.arange(topology.routers), topology.routers, count)
    if isinstance(topology, Tree):
        stages = [_shares(np.arange(switches), switches, count) for switches in topology.switches_per_stage]
        leaf = np.arange(topology.nodes) // topology.down
        return np.concatenate([stages[0][leaf], *stages])
    assert isinstance(topology, Graph)
    switches = topology.routers - topology.first_switch
    share = _shares(np.arange(switches), switches, count)
    if topology.first_switch == 0:
        return share
    return np.concatenate([share[topology.home - topology.first_switch], share])


def _shares(place: NDArray[np.int64], places: int, count: int) -> NDArray[np.int8]:
    return (place * count // places).astype(np.int8)
