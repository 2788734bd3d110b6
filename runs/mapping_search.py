"""One job to be mapped by search, once for each seed: described, carried out, and kept in a store."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from netplace.apps import Program
from netplace.netsim import Config
from netplace.placement import partition
from netplace.placement.mapping import QapResult, find_mapping
from netplace.placement.rule import Nodes
from netplace.runs.digests import contents_of
from netplace.runs.placing import run_time_of, simulates
from netplace.topologies import Topology

__all__ = ["MappingPlan", "Search", "find", "qap_result_of"]


@dataclass(frozen=True)
class Search:
    """A job that is to be mapped.

    Attributes
    ----------
    topology : Topology
        The network.
    W : ndarray or sparse array, shape (tasks, tasks)
        Its traffic in bytes.
    program : Program or None
        What its tasks do, for mappings that simulate.
    partition, mapping : str
        Rules of placement.
    config : Config
        Settings of the network, for mappings that simulate.
    """

    topology: Topology
    W: Any
    program: Program | None = None
    partition: str = "whole"
    mapping: str = "td"
    config: Config = field(default_factory=Config)

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return int(self.W.shape[0])

    @property
    def simulates(self) -> bool:
        """Whether the rule of mapping simulates what it tries."""
        return simulates(self.mapping)

    def nodes(self, seed: int) -> Nodes:
        """Return the nodes of the job.

        Raises
        ------
        ValueError
            If it does not fit the network, or the rule refuses.
        """
        return partition(self.partition, self.topology, [self.tasks], seed=seed)[0]

    def find(self, seed: int) -> QapResult:
        """Return its mapping; all chance follows from `seed`.

        Raises
        ------
        ValueError
            If it does not fit the network, or a rule refuses.
        SimulationError
            If it cannot come to its end, where a mapping simulates.
        """
        simulated = None
        if self.program is not None:
            simulated = run_time_of(self.topology, self.program, self.config, seed)
        return find_mapping(
            self.mapping,
            self.topology,
            self.tasks,
            nodes=self.nodes(seed),
            program=self.program,
            W=self.W,
            run_time=simulated,
            seed=seed,
        )


@dataclass(frozen=True)
class MappingPlan:
    """One search to be made.

    Attributes
    ----------
    search : Search
        The job.
    seed : int
        Seed of all chance.
    runs : str
        Content hash of what the job runs, of which the traffic says not all; empty for traffic alone.
    """

    search: Search
    seed: int
    runs: str = ""

    @cached_property
    def key(self) -> str:
        """Content hash: SHA-256 of the canonical form, in hexadecimal."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return what it asks for, as JSON can hold it."""
        flows = sparse.coo_array(self.search.W)
        traffic = hashlib.sha256()
        for part in (*flows.coords, flows.data):
            traffic.update(np.ascontiguousarray(part).tobytes())
        return {
            "network": str(self.search.topology),
            "tasks": self.search.tasks,
            "traffic": traffic.hexdigest(),
            "runs": self.runs,
            "partition": self.search.partition,
            "mapping": self.search.mapping,
            "contents": contents_of(
                str(self.search.topology),
                self.search.config.routing,
                self.search.partition,
                [self.search.mapping],
            ),
            "config": self.search.config.described(),
            "seed": self.seed,
        }


def find(plan: MappingPlan) -> dict[str, Any]:
    """Return the mapping of a plan, as JSON can hold it; for workers."""
    result = plan.search.find(plan.seed)
    cost = None if not np.isfinite(result.cost) else result.cost
    return {**vars(result), "mapping": result.mapping.tolist(), "cost": _number(cost)}


def qap_result_of(outcome: dict[str, Any]) -> QapResult:
    """Return what `find` described."""
    cost = float("inf") if outcome["cost"] is None else outcome["cost"]
    return QapResult(**{**outcome, "mapping": np.array(outcome["mapping"], np.int64), "cost": cost})


def _number(value: Any) -> int | float | None:
    """Return a number of NumPy's as one of Python's."""
    plain: int | float | None = value.item() if isinstance(value, np.generic) else value
    return plain
