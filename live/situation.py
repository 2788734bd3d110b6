"""A job and the running jobs, simulated live: its time on given nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from netplace.apps import Program
from netplace.live.machine import Neighbour
from netplace.netsim import Config, Network
from netplace.placement.rule import Nodes
from netplace.runs.chance import network_is_random
from netplace.topologies import Topology

# Times of a neighbor alone before the job starts: its tasks are then out of step, or it is slower than alone.
_WARM = 2, 4
_AFTER = 10  # times of the job alone for which neighbors go on: a job that they starve comes to an end, too


@dataclass(frozen=True, eq=False)
class Situation:
    """A job that is about to start on a machine with running jobs.

    Attributes
    ----------
    neighbours : tuple of Neighbour
        Running jobs; each repeats, and none of its tasks waits at the end of a round, as in co-simulation.
    placed : callable or None
        Function that returns the program for given nodes, if collectives depend on the switches of the nodes;
        None means that the program is always `program`.
    """

    machine: Topology
    program: Program
    neighbours: tuple[Neighbour, ...] = ()
    config: Config = field(default_factory=Config)
    seed: int = 0
    placed: Callable[[Nodes], Program] | None = None

    @property
    def talking(self) -> list[tuple[Program, Nodes | None]]:
        """Programs of the neighbors that are known and send messages, with the nodes of their tasks."""
        return [(one.program, one.nodes) for one in self.neighbours if one.program is not None]

    @property
    def draws(self) -> bool:
        """Whether anything is random: the phases of the neighbors, or the network."""
        return bool(self.talking) or network_is_random(self.machine, self.config)

    @cached_property
    def periods(self) -> list[int]:
        """Number of cycles that each neighbor takes alone on the machine."""
        return [self._alone(*neighbour) for neighbour in self.talking]

    @cached_property
    def alone(self) -> int:
        """Number of cycles that the job takes alone on the first nodes of the machine."""
        return self._alone(self.program, self.machine.computing[: self.program.tasks])

    def _alone(self, program: Program, nodes: Nodes | None) -> int:
        network = Network(self.machine, self.config, seed=self.seed)
        job = network.start(program, nodes)
        network.advance()
        return max(1, network.job(job).end)

    def cycles(self, nodes: Nodes, draw: int, limit: float | None = None) -> int | None:
        """Return the job's cycles beside neighbors whose phases depend on `draw`; None if above `limit`."""
        rng = np.random.default_rng([self.seed, 5, draw])
        network = Network(self.machine, self.config, seed=int(rng.integers(1 << 31)))
        begin = _WARM[1] * max(self.periods, default=0)
        for (program, where), period in zip(self.talking, self.periods, strict=True):
            start = begin - int(rng.integers(_WARM[0] * period, _WARM[1] * period))
            network.start(program, where, at=start, times=_WARM[1] + _AFTER * self.alone // period)
        job = network.start(self.placed(nodes) if self.placed else self.program, nodes, at=begin)
        until = None if limit is None else begin + int(limit) + 1
        while (until is None or network.now < until) and network.outcome(job) is None:
            network.advance(until)
        return int(network.job(job).end) - begin if network.outcome(job) else None
