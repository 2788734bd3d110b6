"""Times of jobs alone: on a new network, and on the network as it was when the job started."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netplace.cosim.placed import Placed, Placing
from netplace.netsim import DeadlockError, Network, Residue
from netplace.runs.chance import network_draws, same_place
from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.topologies import Topology

__all__ = ["FreshTimes", "compact", "cycles_alone"]


def cycles_alone(
    placing: Placing, placed: Placed, engine: str = "kernel", since: Residue | None = None
) -> int:
    """Return the cycles that a job takes if nobody else is there.

    Parameters
    ----------
    placing : Placing
        Machine, settings and seed.
    placed : Placed
        The job on its nodes.
    engine : str
        The network's engine.
    since : Residue, optional
        What others had left behind in the network when the job started, and when that was: then this is the
        run that the job would have had, had everybody else vanished with all their packets in that cycle. By
        default a new network, at cycle 0.

    Raises
    ------
    DeadlockError
        If the program never ends.
    """
    network = Network(placing.machine, placing.config, engine=engine, seed=placing.seed)
    if since is not None:
        network.restore(since)
    number = placing.start(network, placed)
    while not network.advance():
        pass
    record = network.job(number)
    return int(record.end - record.start)


class FreshTimes:
    """Run times of jobs alone on a new network, each simulated once: what a table holds; a `RunTimes`.

    Parameters
    ----------
    placing : Placing
        Machine, settings, mapping and seed.
    margin : float
        Users ask for so many times the run time on a compact partition.
    engine : str
        The network's engine.
    cycles : callable, optional
        Returns the cycles of a job alone on its nodes, in place of a simulation of all of it.

    Raises
    ------
    ValueError
        If the margin is not a number over 0.
    """

    def __init__(
        self,
        placing: Placing,
        margin: float = 1.0,
        engine: str = "kernel",
        cycles: Callable[[Placed], float] | None = None,
    ) -> None:
        if not 0 < margin < np.inf:
            raise ValueError(f"margin: {margin:g} is not a number over 0")
        self._placing, self._margin = placing, margin
        self._of = cycles or (lambda placed: cycles_alone(placing, placed, engine))
        self._cycles: dict[object, float] = {}
        self._compact: dict[int, Allocation] = {}  # by the number of nodes, which alone decides
        self._draws = network_draws(placing.machine, placing.config)

    def cycles(self, placed: Placed) -> float:
        """Return the cycles of a job on its nodes."""
        # Where nothing is left to chance a shift along the rings of a torus changes nothing.
        nodes = placed.nodes if self._draws else same_place(self._placing.machine, [placed.nodes])[0]
        key = placed.work, nodes.tobytes()
        if key not in self._cycles:
            self._cycles[key] = self._of(placed)
        return self._cycles[key]

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds of a job on the nodes that it got."""
        return self.cycles(self._placing.put(job, allocation)) * self._placing.config.cycle_ns * 1e-9

    def longest(self, job: Job) -> float:
        """Return what a user asks for: the run time in seconds on a compact partition, and a margin.

        Of a job that never ends it is the time until it stands still.
        """
        if job.nodes not in self._compact:
            self._compact[job.nodes] = compact(self._placing.machine, job)
        try:
            return self._margin * self.seconds(job, self._compact[job.nodes])
        except DeadlockError as error:
            return self._margin * max(1, error.cycle) * self._placing.config.cycle_ns * 1e-9


def compact(machine: Topology, job: Job) -> Allocation:
    """Return a compact partition of the empty machine: a box or a subtree, else its first nodes."""
    try:
        found = make_partitioner("contiguous", machine).find(job)
    except ValueError:  # there are no boxes of that size, or on that network
        found = None
    return Allocation(np.arange(job.nodes)) if found is None else found
