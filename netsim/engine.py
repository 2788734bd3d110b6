"""The engine interface, which `netplace.netsim.network.Network` drives: kernel and reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.laps import IterationCounts
from netplace.netsim.table_router import TableRouter
from netplace.records import check_fields, freeze_arrays, integers_as

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Exit(IntEnum):
    """The reason why `Engine.run` returned. The kernel returns these numbers: do not renumber."""

    REACHED = 0  # the cycle asked for
    JOB_ENDED = 1  # at least one job ended in the cycle just simulated
    IDLE = 2  # nothing will ever happen again without a new job


@dataclass(frozen=True)
class Traffic:
    """Open-loop traffic: every node creates packets by a Bernoulli process.

    Attributes
    ----------
    chance : float
        Probability that a node creates a packet in a cycle: the offered load divided by `packet_phits`.
    target : ndarray of int32, shape (nodes,)
        Destination of the packets of each node; -1 means drawn by `rates`, or uniform over all other nodes.
        A node that is its own destination creates no packets.
    hot_node, hot_share : int, float
        Node to which a share of the packets go instead, and this share (the hot node itself does not redirect
        any).
    among : ndarray of int32, optional
        Possible destinations, in increasing order; all nodes by default. Every node that draws destinations
        must be one of them.
    rates : scipy.sparse.csr_array, shape (nodes, nodes), optional
        Rates from each node to the others: `chance` times the sum of a row is the probability of its node.

    Raises
    ------
    ValueError
        If `among` is not in increasing order, or a node that draws destinations is not in it or is the only
        one in it.
    """

    chance: float
    target: NDArray[np.int32]
    hot_node: int = -1
    hot_share: float = 0.0
    among: NDArray[np.int32] | None = None
    rates: csr_array | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "target", integers_as(np.int32, self.target, "traffic target"))
        if self.among is not None:
            object.__setattr__(self, "among", integers_as(np.int32, self.among, "traffic among"))
        freeze_arrays(self)
        if self.among is None:
            return
        if (np.diff(self.among) <= 0).any():
            raise ValueError("traffic among: nodes are not in increasing order")
        drawing = np.flatnonzero(self.target < 0)
        wrong = drawing[~np.isin(drawing, self.among)]
        if len(wrong):
            raise ValueError(f"traffic among: node {wrong[0]} draws destinations but is not one of them")
        if len(drawing) and len(self.among) == 1:
            raise ValueError(f"traffic among: no node except {drawing[0]} can be drawn")

    @property
    def chances(self) -> NDArray[np.float64]:
        """Probability of each node that it creates a packet in a cycle, shape (nodes,)."""
        return self.chance * (np.ones(len(self.target)) if self.rates is None else self.rates.sum(axis=1))


@dataclass
class JobRecord:
    """The record that an engine keeps of a job; cycles are absolute, and arrays are by task or by message.

    Messages are numbered in the order of the program's send and isend operations (task by task, in program
    order), without those to oneself.
    """

    # First cycle in which its tasks could act, and number of cycles until its last task ended; end is -1
    # while it runs.
    start: int
    end: int
    task_end: NDArray[np.int64]  # end of each task, in the same way
    # Cycles in which each task had a packet to create and no room for it.
    injection_blocked: NDArray[np.int64]
    # Cycle in which each message's first packet was created, and in which the tail of its last packet was
    # consumed; -1 if this has not happened. None if messages are not recorded.
    message_start: NDArray[np.int64] | None = None
    message_end: NDArray[np.int64] | None = None
    # Whether the job was stopped. `end`, and the `task_end` of unfinished tasks, are then the cycle of the
    # stop.
    stopped: bool = False


@dataclass
class Counters:
    """Totals since the network was made, or since `Engine.reset_counters`."""

    # Packets created, and packets whose tail was consumed.
    created: int
    delivered: int
    # Shape (routers, ports): packets that started to cross the link that leaves through each port.
    link_packets: NDArray[np.int64]
    link_cycles: NDArray[np.int64]  # shape (routers, ports): cycles in which each link carried a phit
    # Histograms of delay in cycles, creation to tail consumed, binned by `netplace.netsim.delays`.
    packet_delays: NDArray[np.int64]
    message_delays: NDArray[np.int64]
    # Sums of the same delays.
    packet_delay_sum: int = 0
    message_delay_sum: int = 0
    events: int = 0  # state changes applied (kernel) or phits moved (reference)
    last_delivery: int = -1  # cycle in which the last tail was consumed; -1 if none was


@dataclass
class Blocked:
    """The tasks and FIFOs that wait when nothing can move."""

    # Each unfinished task, its current operation (index in the program arrays of its job), and the reason for
    # its wait: ``"receive"``, ``"injector"``, ``"rendezvous"``, ``"outstanding"`` (too many sends are
    # outstanding at its node) or ``"compute"``.
    tasks: list[tuple[int, int, int, str]] = field(default_factory=list)
    # Each FIFO with a head packet that cannot move; `wants` lists the (router, input) of the downstream FIFOs
    # that the head could request.
    fifos: list[tuple[int, int, int, list[tuple[int, int]]]] = field(default_factory=list)


class Engine(Protocol):
    """A network that can be simulated piece by piece.

    The constructor is ``Engine(topology, config, seed, record_messages)``. `now` is the next cycle to
    simulate.
    """

    now: int
    stands: bool  # between two cycles though the last `run` was interrupted, so that it can be called again

    @property
    def quiet_since(self) -> int:
        """First cycle after the last one in which a phit moved, a packet was created or a task progressed."""

    @property
    def repeats(self) -> bool:
        """Whether `install` can run a program several times."""

    def install(
        self, program: Program, nodes: NDArray[np.int64], times: int = 1, identity: int | None = None
    ) -> int:
        """Start a job in cycle `now` with task i on ``nodes[i]``, and return its number.

        `identity` gives its traffic class; by default it is the number.

        Its iterations run `times` times in total, as with `Program.repeat`, but are stored once.
        """

    def end(self, number: int) -> int:
        """Return the end of a job, -1 while it runs."""

    def rounds(self, number: int) -> NDArray[np.float64]:
        """Return the number of iterations that each task of a running job has completed, if `repeats`."""

    def laps(self, number: int) -> IterationCounts:
        """Return the progress of the tasks of a running job in their iterations, if `repeats`."""

    def skip(self, number: int, counts: NDArray[np.int64]) -> None:
        """Count the given number of further iterations of each task of a job as completed, if `repeats`."""

    def stop(self, number: int) -> None:
        """Stop a running job: its tasks do nothing from cycle `now` on.

        Packets that were created are delivered, without effect on any task.
        """

    def drained(self, number: int) -> bool:
        """Return whether a job has ended and has no packet in flight or still to be created."""

    def forget(self, number: int) -> None:
        """Delete the record of a job that has ended."""

    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic from cycle `now` on, or stop it."""

    def run(self, until: int) -> Exit:
        """Simulate cycles ``now .. until - 1``; return early when a job has ended, or when idle."""

    def job(self, number: int, before: int | None = None) -> JobRecord:
        """Return the record of a job before a cycle since which nothing has happened, `now` by default."""

    def counters(self) -> Counters:
        """Return the totals."""

    def reset_counters(self) -> None:
        """Reset the totals; packets in flight stay."""

    @property
    def in_flight(self) -> int:
        """Packets that were created and whose tail has not been consumed."""

    def waiting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return the waiting charged by jobs and by links, and the total waiting of heads.

        The first two are those of `netplace.netsim.network.Waiting`, with the engine's own numbers of jobs.
        """

    def watch(self, number: int) -> None:
        """Count from now on the waiting of one job by link and by charged job."""

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the waiting of the watched job, (routers, ports + 1, columns), and the job of each column.

        Open-loop traffic is -1; the last column can stand for several jobs, and is then -2.
        """

    def blocked(self) -> Blocked:
        """Return which tasks and FIFOs wait for which now."""

    def pointers(self) -> tuple[NDArray[np.int16], ...]:
        """Return copies of the pointers of arbiters and links."""

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        """Set all pointers to the result of `pointers` of an engine of the same kind and network."""

    def fail(
        self, table: TableRouter, dead: NDArray[np.bool_], down: NDArray[np.bool_], again: bool
    ) -> tuple[int, int, list[int]]:
        """Let routers and links fail before cycle `now`; return lost packets, packets sent again, and losers.

        Losers are the remaining jobs with lost packets.
        """

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        """Change the speed of links for packets that begin to cross them from cycle `now` on."""


@dataclass(frozen=True, eq=False)
class ArbiterState:
    """The state that packets leave behind in the routers of a network; see `Network.residue`."""

    cycle: int  # next cycle to simulate
    # Positions at which arbiters and links begin their next search, in the order of the engine.
    pointers: tuple[NDArray[np.int16], ...]

    def __post_init__(self) -> None:
        check_fields(self)
        freeze_arrays(self)


@dataclass(frozen=True, eq=False)
class Waiting:
    """Cycles of waiting head packets, charged to the jobs whose packets held the resources."""

    # shape (jobs + 1, jobs + 1): cycles by waiting job and by charged job, including itself, in the order in
    # which the jobs were given to the network; open-loop traffic is last.
    cycles: NDArray[np.int64]
    # shape (routers, ports + 1, 2): the same cycles by link: charged to the waiting job, and to others. The
    # last place of a router is the consumption of its node.
    links: NDArray[np.int64]
    # Total waiting of heads, counted independently; equals the sum of each of the other attributes.
    waited: int

    @property
    def total(self) -> int:
        """Sum of all charged cycles."""
        return int(self.cycles.sum())
