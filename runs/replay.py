"""A replay: applications, network and rules of placement; a seed in, a result out."""

from __future__ import annotations

from dataclasses import dataclass, field

from netplace.apps import Program
from netplace.netsim import Config, Result, simulate
from netplace.placement.mapping import QapResult
from netplace.runs.placing import place_jobs
from netplace.topologies import Topology

__all__ = ["Replay", "Replayed"]


@dataclass(frozen=True)
class Replayed:
    """What a replay gave.

    Attributes
    ----------
    result : Result
        What was measured.
    methods : tuple of str
        How the mapping of each job was found; for mapping ``best`` the name of the winner.
    """

    result: Result
    methods: tuple[str, ...]


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
        Rules of placement, see `netplace.placement.PARTITIONS` and `netplace.placement.MAPPINGS`.
    config : Config
        Settings of the network.
    engine : str
        Key of `netplace.netsim.ENGINES`.
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

    def places(self, seed: int) -> list[QapResult]:
        """Return the node of each task of each job, and how they were found.

        Raises
        ------
        ValueError
            If the jobs do not fit the network, or a rule refuses.
        """
        return place_jobs(
            self.topology,
            self.programs,
            [self.mapping] * len(self.programs),
            partition_rule=self.partition,
            config=self.config,
            seed=seed,
            max_cycles=self.max_cycles,
        )

    def run(self, seed: int) -> Replayed:
        """Simulate; all that is left to chance, in placement and in the network, follows from `seed`.

        Raises
        ------
        ValueError
            If the jobs cannot be placed.
        SimulationError
            If the run cannot come to its end.
        """
        found = self.places(seed)
        result = simulate(
            self.topology,
            self.programs,
            [mapped.mapping for mapped in found],
            config=self.config,
            engine=self.engine,
            seed=seed,
            max_cycles=self.max_cycles,
            record_messages=self.record_messages,
            window=self.window,
        )
        return Replayed(result, tuple(mapped.method for mapped in found))
