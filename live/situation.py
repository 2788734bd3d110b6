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


@dataclass(frozen=True, eq=False)
class Situation:
    """A job that is about to start on a machine with running jobs.

    Attributes
    ----------
    neighbours : tuple of Neighbour
        Running jobs; each starts again as soon as it ends.
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
        periods = []
        for neighbour in self.talking:
            network = Network(self.machine, self.config, seed=self.seed)
            job = network.start(*neighbour)
            network.advance()
            periods.append(max(1, network.job(job).end))
        return periods

    def cycles(self, nodes: Nodes, draw: int, limit: float | None = None) -> int | None:
        """Return the job's cycles beside neighbors whose phases depend on `draw`; None if above `limit`."""
        rng = np.random.default_rng([self.seed, 5, draw])
        network = Network(self.machine, self.config, seed=int(rng.integers(1 << 31)))
        begin = max(self.periods, default=0)
        running = {}
        for neighbour, period in zip(self.talking, self.periods, strict=True):
            running[network.start(*neighbour, at=begin - int(rng.integers(period)))] = neighbour
        job = network.start(self.placed(nodes) if self.placed else self.program, nodes, at=begin)
        until = None if limit is None else begin + int(limit) + 1
        while True:
            ended = network.advance(until)
            if job in ended:
                return int(network.job(job).end) - begin
            if until is not None and network.now >= until:
                return None
            for number in ended:
                neighbour = running.pop(number)
                running[network.start(*neighbour)] = neighbour
                network.forget(number)
