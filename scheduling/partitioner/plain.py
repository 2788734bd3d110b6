"""A base class for users' partitioners, which only choose the free nodes of a job."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from netplace.inputs import abbreviate
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper
from netplace.topologies import Topology


class PlainPartitioner(Keeper):
    """Keeps account of free nodes; `choose` says which of them a job gets.

    Parameters
    ----------
    option : str
        Text behind the partitioner's name and a colon.

    Attributes
    ----------
    is_free : ndarray of bool, shape (nodes,)
        Whether each node is free. Not to be changed.
    rng : numpy.random.Generator
        Source of random draws.
    by_count : bool
        Whether every job that needs no more than `free` nodes gets a place; set it to False in a class whose
        `choose` can return None.
    """

    by_count = True

    def __init__(self, topology: Topology, option: str = "", seed: int = 0) -> None:
        super().__init__(topology.nodes)
        self.topology = topology
        self.option = option
        self.rng = np.random.default_rng(seed)

    def choose(self, job: Job) -> Any:
        """Return nodes for `job`, for which enough are free; None if it has no place all the same."""
        raise NotImplementedError

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += self.topology.nodes
        chosen = self.choose(job)
        if chosen is None:
            return None
        if not isinstance(chosen, Allocation):
            chosen = Allocation(self.topology.check_nodes(chosen))
        nodes = chosen.nodes.tolist()
        if len(set(nodes)) < max(job.nodes, len(nodes)):  # a sort would take several times as long
            raise ValueError(
                f"job {job.number}: {type(self).__name__} gives it nodes {abbreviate(nodes)}, "
                f"expected at least {job.nodes} different ones"
            )
        return chosen

    def copy(self) -> Self:
        """Return an independent copy, which draws the same."""
        twin = super().copy()
        twin.rng = copy.deepcopy(self.rng)
        return twin
