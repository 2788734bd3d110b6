"""A network in the kernel's arrays, and the loop that runs on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.domains import Domains
from netplace.netsim.engine import Exit
from netplace.netsim.jobs import Jobs
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel.constants import ROOM
from netplace.netsim.kernel.entry import Entry, entry, interpreted
from netplace.netsim.plain_words import plain_words
from netplace.netsim.side_by_side import run_side_by_side
from netplace.netsim.timers import read_timers, write_timers
from netplace.topologies import Topology

__all__ = ["FAR", "KernelRun", "interpretable"]

FAR = (1 << 62) - 1


def interpretable(arrays: k.State) -> k.State:
    """Make words of 64 bits of all integers where the kernel runs as plain Python."""
    if not interpreted():
        return arrays
    words: Any = (plain_words(array) for array in arrays)
    return type(arrays)(*words)


@cache  # NumPy makes the name anew each time, for every array of every network
def _kind(words: np.dtype[Any]) -> str:
    """Return the name of the words of an array."""
    return str(words)


def _where(array: NDArray[Any]) -> tuple[NDArray[Any], int, tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    """Return the memory that an array lies in, where and how: several arrays may lie in the same."""
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    return whole, array.ctypes.data - whole.ctypes.data, array.shape, array.strides, array.dtype


def _there(
    whole: NDArray[Any], begin: int, shape: tuple[int, ...], strides: tuple[int, ...], kind: np.dtype[Any]
) -> NDArray[Any]:
    """Return the array of which `_where` told, in other memory."""
    return np.ndarray(shape, kind, whole.data if whole.size else None, begin, strides)


class KernelRun:
    """The arrays of a network and of its jobs, of all domains, and the kernel's loop bound to them."""

    _domains: Domains
    _setting: k.Setting  # of the first domain, as the next
    _state: k.State
    _known: tuple[int, ...]  # settings that are compiled in
    # Of the kernel: the loop, that of a domain, the first draws of sources, the charging of heads that wait.
    _functions: tuple[str, ...]

    def __init__(
        self,
        topology: Topology,
        config: Config,
        seed: int = 0,
        record_messages: bool = False,
        explain: bool = False,
        threads: int = 1,
    ) -> None:
        self.topology = topology
        self.config = config
        self._lay_out(topology, config, seed, record_messages, explain, threads)
        self._jobs = Jobs(
            config,
            record_messages,
            self._state.task,
            self._state.when,
            wide=interpreted(),
            explain=explain,
            domains=self._domains,
        )
        self.stands = False  # between two cycles, though `run` was interrupted
        self._charged = 1  # rows of the matrix of waiting: open-loop traffic and the jobs so far
        self._source_keys = (0, 0)
        self._renew()
        self._load()

    def _lay_out(
        self, topology: Topology, config: Config, seed: int, record: bool, explain: bool, threads: int
    ) -> None:
        """Make the kernel's constants and arrays."""
        raise NotImplementedError

    def _load(self) -> None:
        """Load the kernel's loop."""
        self._loop = self._function(self._functions[self._domains.count > 1], self._known)
        self._loop.load()
        self._bound: tuple[Any, Any, list[Callable[[int], int]]] | None = None  # to arrays as they are

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in ("_loop", "_bound")}
        return kept | {"_state": (type(self._state), [_where(array) for array in self._state])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kind, places = state["_state"]
        vars(self).update(state | {"_state": kind(*(_there(*place) for place in places))})
        self._jobs.share(self._state.task, self._state.when)
        self._renew()
        self._load()

    # --- arrays -------------------------------------------------------------------------------------

    def _each(self, name: str) -> list[NDArray[Any]]:
        """Return an array that each domain has of its own, of each."""
        return self._domains.each(self._state, name)

    def _sum(self, word: int) -> int:
        """Return the sum of a word of the domains' clocks."""
        return sum(int(clock[word]) for clock in self._each("clock"))

    def _function(self, name: str, known: tuple[int, ...]) -> Entry:
        """Return a function of the kernel for the arrays as they are."""
        return entry(name, known, tuple(_kind(array.dtype) for array in self._state))

    @property
    def now(self) -> int:
        """Next cycle to be simulated."""
        return int(self._state.clock[k.NOW])

    @now.setter
    def now(self, cycle: int) -> None:
        for clock in self._each("clock"):
            clock[k.NOW] = cycle

    @property
    def quiet_since(self) -> int:
        """First cycle after the last in which a phit moved, a packet came into being or a task went on."""
        return max(int(clock[k.QUIET]) for clock in self._each("clock"))

    def _renew(self) -> None:
        """Give the kernel the arrays as they have grown."""
        self._state = interpretable(self._state._replace(**self._jobs.words.arrays()))
        if self._setting.explain and self._state.clock[k.JOBS] < self._charged:
            self._change_each(self._with_more_jobs)

    def _change_each(self, change: Callable[[Any], Any]) -> None:
        """Give every domain the arrays that `change` makes of its own."""
        states = [interpretable(change(s)) for s in self._domains.states(self._state)]
        self._state = self._domains.keep(states)

    def _with_more_jobs(self, s: Any) -> Any:
        """Return a domain's arrays with room in what is kept of waiting for twice the jobs so far."""
        there, jobs = int(s.clock[k.JOBS]), 2 * self._charged
        matrix = np.zeros((jobs, jobs), np.int64)
        matrix[:there, :there] = s.matrix.reshape(there, there)
        column = np.full(jobs, -1, np.int32)
        column[:there] = s.column
        s.clock[k.JOBS] = jobs
        return s._replace(matrix=matrix.ravel(), column=column)

    # --- nodes --------------------------------------------------------------------------------------

    def _act_now(self, nodes: NDArray[np.int64]) -> None:
        """Put nodes on the list of those to act in cycle `now`."""
        task = self._state.task.reshape(-1, k.TASK_WORDS)
        side = 1 - int(self._state.clock[k.SIDE])
        fresh = nodes[(task[nodes, k.LISTED] >> side & 1) == 0]
        task[fresh, k.LISTED] |= 1 << side
        for ours, clock, todo in zip(
            self._domains.of(fresh), self._each("clock"), self._each("todo"), strict=True
        ):
            mine = fresh[ours]
            begin = side * self.topology.nodes + int(clock[k.TODO + side])
            todo[begin : begin + len(mine)] = mine
            clock[k.TODO + side] += len(mine)

    def _set_timers(self, cycles: NDArray[Any], entries: NDArray[Any]) -> None:
        """Replace all timers."""
        ours = self._domains.of(entries >> 1)
        for mine, s in zip(ours, self._domains.states(self._state), strict=True):
            write_timers(s, self.now, cycles[mine], entries[mine])

    def _drop_timers(self, nodes: NDArray[np.int64]) -> None:
        """Drop the timers of computations at nodes; those of open-loop traffic stay."""
        for s in self._domains.states(self._state):
            cycles, entries = np.array(read_timers(s, self.now), np.int64).reshape(-1, 2).T
            kept = ~np.isin(entries >> 1, nodes) | (entries & 1 == 1)
            write_timers(s, self.now, cycles[kept], entries[kept])

    # --- running ------------------------------------------------------------------------------------

    def run(self, until: int = FAR) -> Exit:
        """Simulate cycles ``now .. until - 1``; return early when a job has ended, or when idle."""
        if self._state.clock[k.ENDED]:
            self._state.clock[k.ENDED] = 0
            return Exit.JOB_ENDED
        while True:
            outcome = self._run(until)
            if outcome != ROOM:
                return Exit(outcome)
            self._make_room()

    def _run(self, until: int) -> int:
        self.stands = False
        bound = self._bound
        if bound is None or bound[0] is not self._state or bound[1] is not self._setting:
            domains = zip(
                self._domains.states(self._state), self._domains.settings(self._setting), strict=True
            )
            loops = [self._loop.on(s, u) for s, u in domains]
            bound = self._bound = self._state, self._setting, loops
        try:
            return run_side_by_side(bound[2], int(until))
        except BaseException:  # an interrupt, heard when compiled loops are back: they end between two cycles
            self.stands = not interpreted()
            raise

    def _make_room(self) -> None:
        """Make entries for the messages that may begin in the next cycle."""
        acting = [int(clock[[k.TODO, k.TODO + 1, k.TIMERS, k.NEAR]].sum()) for clock in self._each("clock")]
        acting = [nodes + self._domains.woken for nodes in acting]
        free = self._state.open_start[: self._domains.count * k.HEADS_APART : k.HEADS_APART].sum()
        if self._domains.count == 1 or free < 2 * sum(acting):
            self._jobs.words.extend_openings(sum(acting) + len(self._state.open_next))
        if self._domains.count > 1:
            self._jobs.words.share_openings(acting)
        self._renew()
