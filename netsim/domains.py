"""A network cut into domains, each of which a thread simulates: who has which router, and arrays of its own.

What a router or node has stays where it is, and only its domain's thread touches it. Clocks, lists and rings
of events are a domain's own. The results are those of one thread, to the bit: see docs/background/kernel.md.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.kernel import state as k
from netplace.topologies import Graph, Grid, Topology, Tree

__all__ = ["Domains", "cores", "cut"]

_LINES = 128  # bytes that no two threads should write to: two cache lines, which processors fetch together
_SPIN = 2000  # looks at another domain's line before a thread gives way, some 20 to 50 us
DAWDLE = 0  # 1: threads lose time by chance, which tests let them do
_HEADER_WORDS = 5  # of a packet that crosses a border
_NEWS = 3  # at most of a FIFO in a phase: its room, and that it is done with emptying, or begins to
_NEWS_OF_HEAD = 2  # more of them, explaining: its head is gone, and whose it was
_OWN = (
    "clock",
    "entering",
    "exposed",
    "arrival",
    "arrival_count",
    "tail",
    "tail_count",
    "todo",
    "dirty",
    "dirty_top",
    "deciding",
    "starting",
    "timer",
    "timer_entry",
    "near",
    "hot",
    "packet_delays",
    "message_delays",
    "asked",
    "step",
    "matrix",
    "column",
)
_OWN_OF_GRAPH = ("tail_at", "head_at", "head_next", "head_fifo", "tally")  # fmt: skip


def cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cut(topology: Topology, count: int) -> NDArray[np.int8]:
    """Return the domain of every router: slabs of a grid, subtrees, else ranges of switches and their nodes.

    Parameters
    ----------
    topology : Topology
        The network.
    count : int
        Domains.
    """
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


@cache
def _naps() -> tuple[int, int]:
    """Return the addresses of what lets other threads run, and of what sleeps for some microseconds."""
    if os.name == "nt":
        sleep = ctypes.windll.kernel32.Sleep  # type: ignore[attr-defined,unused-ignore]
        both = sleep, sleep
    else:
        library = ctypes.CDLL(None)
        both = library.sched_yield, library.usleep
    address = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in both]
    return address[0], address[1]


def _apart(like: NDArray[Any], words: int, fill: int | None = None) -> NDArray[Any]:
    """Return an array in cache lines that nothing else is in; what is in it may be anything."""
    size = words * like.itemsize
    memory = np.empty(-(-size // _LINES) * _LINES + _LINES, np.int8)
    begin = -memory.ctypes.data % _LINES
    array: NDArray[Any] = memory[begin : begin + size].view(like.dtype)
    if fill is not None:
        array[:] = fill
    return array


class Domains:
    """How a network is cut, and the arrays of its domains.

    Parameters
    ----------
    topology : Topology
        The network.
    u, s : Setting, State
        The kernel's constants and arrays, of an empty network; one of domains comes of them.
    count : int
        Domains; 1: it is not cut.

    Attributes
    ----------
    count : int
        Of domains.
    owner_of : ndarray of int8, shape (routers,)
        Domain of each router.
    woken : int
        Nodes that other domains may let act in a cycle, of each domain at most.
    """

    def __init__(self, topology: Topology, u: Any, s: Any, count: int) -> None:
        self.count = count
        window = getattr(u, "window", 0)
        self.woken = int(u.nodes) if count > 1 and window > 0 else 0
        if count == 1:
            self.owner_of = np.zeros(topology.routers, np.int8)
            self._own: list[dict[str, NDArray[Any]]] = []  # of the domains behind the first
            return
        self.owner_of = cut(topology, count)
        self._tails = self._fifos(topology, u)
        self._box = self._box_words(topology, u)
        self._own = [self._arrays(s, tails) for tails in self._tails[1:]]

    def _fifos(self, topology: Topology, u: Any) -> list[int]:
        """Return the FIFOs of each domain's routers."""
        wired = (topology.neighbor >= 0).sum(axis=1)
        if isinstance(topology, Grid):
            wired[:] = topology.ports
        fifos = wired * u.vcs + np.where(np.arange(topology.routers) < topology.nodes, u.injectors, 0)
        return [int(fifos[self.owner_of == d].sum()) for d in range(self.count)]

    def _box_words(self, topology: Topology, u: Any) -> int:
        """Return the words of an outbox: for all that can cross one border in one cycle."""
        router, _, end, _ = topology.links().T.astype(np.int64)
        pair = self.owner_of[router].astype(np.int64) * self.count + self.owner_of[end]
        links = np.bincount(pair, minlength=self.count**2).reshape(self.count, self.count)
        np.fill_diagonal(links, 0)
        most = int(max(links.sum(axis=0).max(), links.sum(axis=1).max()))
        news = _NEWS + _NEWS_OF_HEAD * int(u.explain)
        again = max(self._tails) if self.woken else 0  # of each FIFO a packet that makes a node try again
        return 16 + -(-((_HEADER_WORDS + news * int(u.vcs)) * most + again) // 8) * 8

    def _arrays(self, s: Any, tails: int) -> dict[str, NDArray[Any]]:
        """Return the arrays of a domain, empty."""
        of_graph = [name for name in _OWN_OF_GRAPH if name in s._fields]
        made = {name: _apart(getattr(s, name), len(getattr(s, name))) for name in (*_OWN, *of_graph)}
        made["tail"] = _apart(s.tail, tails + 1)
        for name in ("clock", "hot", "near", *of_graph):
            made[name][:] = getattr(s, name)
        for name in ("arrival_count", "tail_count", "dirty", "dirty_top", "packet_delays", "message_delays"):
            made[name][:] = 0
        return made

    def first(self, u: Any, s: Any) -> tuple[Any, Any]:
        """Return the constants and arrays of the first domain, which stand for the network's."""
        if self.count == 1:
            return u, s
        shared = {
            "owner_of": self.owner_of.astype(s.owner_of.dtype),
            "box": np.zeros(2 * self.count**2 * self._box, np.int64),
            "board": _apart(s.board, self.count * k.BOARD_WORDS + len(_naps()), 0),
        }
        return self.settings(u)[0], s._replace(**shared, **self._arrays(s, self._tails[0]))

    def settings(self, u: Any) -> list[Any]:
        """Return the constants of each domain."""
        if self.count == 1:
            return [u]
        spin = _SPIN if self.count <= cores() else 0
        every = {"split": 1, "domains": self.count, "box": self._box, "spin": spin, "dawdle": DAWDLE}
        return [u._replace(**every, domain=d, tail_words=tails + 1) for d, tails in enumerate(self._tails)]

    def states(self, s: Any) -> list[Any]:
        """Return the arrays of each domain; `s` are those of the first."""
        if self.count > 1:
            s.board[-len(_naps()) :] = _naps()  # other ones in a process that goes on from a pickle
        return [s, *(s._replace(**own) for own in self._own)]

    def keep(self, states: Sequence[Any]) -> Any:
        """Take over what each domain has of its own from its arrays, and return those of the first."""
        first = states[0]
        for own, s in zip(self._own, states[1:], strict=True):
            for name, array in own.items():
                changed = getattr(s, name)
                if changed is not array:
                    own[name] = _apart(changed, len(changed))
                    own[name][:] = changed
        return first

    def each(self, s: Any, name: str) -> list[NDArray[Any]]:
        """Return an array that each domain has of its own, of each; `s` are the arrays of the first."""
        return [getattr(s, name), *(own[name] for own in self._own)]

    def of(self, nodes: NDArray[np.int64]) -> Sequence[NDArray[np.bool_]]:
        """Return for each domain which of the nodes are its own."""
        if self.count == 1:
            return [np.ones(len(nodes), bool)]
        return [self.owner_of[nodes] == d for d in range(self.count)]
