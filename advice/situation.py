"""A job beside those that run already, simulated live: how long it takes on given nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from netplace.advice.beside import Neighbour
from netplace.apps import Program
from netplace.netsim import Config, Network
from netplace.placement.rule import Nodes
from netplace.runs.chance import network_draws
from netplace.topologies import Topology

__all__ = ["Situation"]


@dataclass(frozen=True, eq=False)
class Situation:
    """A job that is to start on a machine where others run.

    Attributes
    ----------
    machine : Topology
        The machine.
    program : Program
        What the job does.
    neighbours : tuple of Neighbour
        What runs beside it. Each begins again as soon as it has ended.
    config : Config
        Settings of the network.
    seed : int
        Seed of all draws.
    placed : callable or None
        Returns what the job does on given nodes, where collectives go by their switches; None: `program`,
        wherever it is.
    """

    machine: Topology
    program: Program
    neighbours: tuple[Neighbour, ...] = ()
    config: Config = field(default_factory=Config)
    seed: int = 0
    placed: Callable[[Nodes], Program] | None = None

    @property
    def talking(self) -> list[Neighbour]:
        """Those that send messages, of whom it is known which."""
        return [neighbour for neighbour in self.neighbours if neighbour.program is not None]

    @property
    def draws(self) -> bool:
        """Whether anything is left to chance: where neighbors are when the job starts, or in the network."""
        return bool(self.talking) or network_draws(self.machine, self.config)

    @cached_property
    def periods(self) -> list[int]:
        """Cycles that each neighbor takes alone on the machine."""
        periods = []
        for neighbour in self.talking:
            network = Network(self.machine, self.config, seed=self.seed)
            assert neighbour.program is not None
            job = network.start(neighbour.program, neighbour.nodes)
            network.advance()
            periods.append(max(1, network.job(job).end))
        return periods

    def cycles(self, nodes: Nodes, draw: int, limit: float | None = None) -> int | None:
        """Return how many cycles the job takes on its nodes.

        Neighbors have run for up to one of their periods when it starts: each is at a point of its own, drawn
        evenly. What is drawn depends on the seed and on `draw` alone, so that two placements of the same draw
        meet the same neighbors at the same points.

        Parameters
        ----------
        nodes : ndarray of int64, shape (tasks,)
            Node of each task.
        draw : int
            Number of the draw.
        limit : float, optional
            Cycles after which it is given up, and None returned.

        Raises
        ------
        SimulationError
            If it can never come to its end.
        """
        rng = np.random.default_rng([self.seed, 5, draw])
        network = Network(self.machine, self.config, seed=int(rng.integers(1 << 31)))
        begin = max(self.periods, default=0)
        running = {}
        for neighbour, period in zip(self.talking, self.periods, strict=True):
            assert neighbour.program is not None
            running[
                network.start(neighbour.program, neighbour.nodes, at=begin - int(rng.integers(period)))
            ] = neighbour
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
                assert neighbour.program is not None
                running[network.start(neighbour.program, neighbour.nodes)] = neighbour
                network.forget(number)
