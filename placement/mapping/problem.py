"""What a mapping rule is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from apps import Program
from placement.rule import Nodes
from topologies import Topology

__all__ = ["MappingProblem"]


@dataclass(frozen=True)
class MappingProblem:
    """Tasks that need a node each.

    Attributes
    ----------
    topology : Topology
        The network.
    nodes : ndarray of int64
        Nodes of the job's partition, at least as many as tasks, in the partition's order.
    tasks : int
        How many tasks there are.
    rng : numpy.random.Generator
        Where a rule by chance takes its draws from.
    option : str
        What the user wrote after the rule's name and a colon.
    program : Program or None
        What the tasks do, for rules that look at it.
    """

    topology: Topology
    nodes: Nodes
    tasks: int
    rng: np.random.Generator
    option: str = ""
    program: Program | None = None
