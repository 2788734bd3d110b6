"""The input of a partition rule."""

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
    sizes : tuple of int
        Tasks of each job.
    option : str
        User's text after the name of the rule and a colon.
    """

    topology: Topology
    sizes: tuple[int, ...]
    rng: np.random.Generator
    option: str = ""
