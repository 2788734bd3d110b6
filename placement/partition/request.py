"""What a partition rule is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netplace.topologies import Topology

__all__ = ["PartitionRequest"]


@dataclass(frozen=True)
class PartitionRequest:
    """Jobs that need nodes.

    Attributes
    ----------
    topology : Topology
        The network.
    sizes : tuple of int
        Tasks of each job.
    rng : numpy.random.Generator
        Where a rule by chance takes its draws from.
    option : str
        What the user wrote after the rule's name and a colon.
    """

    topology: Topology
    sizes: tuple[int, ...]
    rng: np.random.Generator
    option: str = ""
