"""What the partitioners have in common for those who ask for one by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netplace.scheduling.partitioner.allocation import Partitioner

__all__ = ["PartitionerKind"]


@dataclass(frozen=True)
class PartitionerKind:
    """One partitioner under a name.

    Attributes
    ----------
    make : callable
        Takes the topology, the text after the name and a colon (empty: none) and a seed, and returns a
        partitioner of an empty machine; where `ranked` is true it also takes ``ranking=``, see
        `netplace.scheduling.partitioner.make_partitioner`.
    example : str
        How a user asks for it.
    description : str
        Description in one line.
    option : str
        What may follow its name and a colon, for messages; empty: nothing.
    by_chance : bool
        Whether its choice depends on the seed.
    ranked : bool
        Whether it can follow a ranking of shapes.
    strikes_out : bool
        Whether it leaves out nodes that do not compute by itself; else they are held for good.
    """

    make: Callable[..., Partitioner]
    example: str
    description: str
    option: str = ""
    by_chance: bool = False
    ranked: bool = False
    strikes_out: bool = False
