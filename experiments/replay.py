"""A replay: applications, network and rules of placement; a seed in, a result out."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps import Program
from netsim import Config, Result, simulate
from placement import map_tasks, partition
from placement.rule import Nodes
from topologies import Topology

__all__ = ["Replay"]


@dataclass(frozen=True)
class Replay:
    """What is replayed on what, and how tasks are placed.

    Attributes
    ----------
    topology : Topology
        The network.
    programs : tuple of Program
        One for each job; all start in cycle 0.
    partition, mapping : str
        Rules of placement, see `placement.PARTITIONS` and `placement.MAPPINGS`.
    config : Config
        Settings of the network.
    engine : str
        Key of `netsim.ENGINES`.
    max_cycles : int or None
        Longest run allowed.
    record_messages : bool
        Whether start and end of every message are kept.
    window : int or None
        Cycles of a window in which link loads are also counted.
    """

    topology: Topology
    programs: tuple[Program, ...]
    partition: str = "whole"
    mapping: str = "consecutive"
    config: Config = field(default_factory=Config)
    engine: str = "kernel"
    max_cycles: int | None = None
    record_messages: bool = False
    window: int | None = None

    def places(self, seed: int) -> list[Nodes]:
        """Return the node of each task of each job.

        Raises
        ------
        ValueError
            If the jobs do not fit the network, or a rule refuses.
        """
        sizes = [program.tasks for program in self.programs]
        parts = partition(self.partition, self.topology, sizes, seed=seed)
        return [
            map_tasks(
                self.mapping, self.topology, program.tasks, nodes=part, program=program, seed=seed, job=job
            )
            for job, (program, part) in enumerate(zip(self.programs, parts, strict=True))
        ]

    def run(self, seed: int) -> Result:
        """Simulate; all that is left to chance, in placement and in the network, follows from `seed`.

        Raises
        ------
        ValueError
            If the jobs cannot be placed.
        SimulationError
            If the run cannot come to its end.
        """
        return simulate(
            self.topology,
            self.programs,
            self.places(seed),
            config=self.config,
            engine=self.engine,
            seed=seed,
            max_cycles=self.max_cycles,
            record_messages=self.record_messages,
            window=self.window,
        )
