"""The search for a mapping of one job, once per seed: description, execution, and storage."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.checks import check_size
from netplace.checks.records import freeze_arrays
from netplace.netsim import Config
from netplace.placement import partition
from netplace.placement.mapping import QapResult, find_mapping
from netplace.placement.rule import Nodes
from netplace.runs.digests import contents_of
from netplace.runs.job_programs import programs_of
from netplace.runs.networks import network_of
from netplace.runs.placing import run_time_of, simulates
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.spec import Run
from netplace.topologies import Topology

REVISION = 1  # to be raised when a search would no longer find what it found
_OF_PAIR = 270  # bytes at the peak


@dataclass(frozen=True)
class Search:
    """A job to be mapped: the only job of a run, or a job with known traffic only."""

    network: str
    partition: str = "whole"
    mapping: str = "td"
    config: Config = field(default_factory=Config)  # settings of the network, for mappings that simulate
    run: Run | None = None  # what the job runs; None: nothing but its traffic is known
    # Bytes from the task of the row to that of the column, where there is no run.
    matrix: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)
        if self.run is not None and len(self.run.jobs) > 1:
            raise ValueError(
                f"--jobs: {len(self.run.jobs)} jobs, but netplace map places a single job; use netplace run"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for workers, without what they compute themselves."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @cached_property
    def topology(self) -> Topology:
        return network_of(self.network)

    @cached_property
    def program(self) -> Program | None:
        """What its tasks do, for mappings that simulate."""
        return None if self.run is None else programs_of(self.run)[0]

    @cached_property
    def traffic(self) -> Any:
        """Its traffic in bytes, dense or sparse, shape (tasks, tasks)."""
        program = self.program
        if program is None:
            return self.matrix
        W = program.traffic().W
        if hasattr(W, "nnz"):  # a full matrix is one of few tasks
            check_size(W.nnz, _OF_PAIR, "pairs of tasks that send", f"map: {program.name}")
        return W

    @property
    def tasks(self) -> int:
        return int(self.traffic.shape[0])

    @property
    def simulates(self) -> bool:
        """Whether the mapping rule simulates candidates."""
        return simulates(self.mapping)

    def nodes(self, seed: int) -> Nodes:
        return partition(self.partition, self.topology, [self.tasks], seed=seed)[0]


@dataclass(frozen=True)
class MappingPlan:
    """One search for a mapping."""

    search: Search
    seed: int

    @cached_property
    def key(self) -> str:
        search = self.search
        revised = revisions_of([search.mapping], search.partition, search.config)
        return key_of(REVISION, self.to_dict() | {"revisions": revised})

    def to_dict(self) -> dict[str, Any]:
        from scipy import sparse

        flows = sparse.coo_array(self.search.traffic)
        digest = hashlib.sha256()
        for part in (*flows.coords, flows.data):
            digest.update(np.ascontiguousarray(part).tobytes())
        return {
            "network": str(self.search.topology),
            "tasks": self.search.tasks,
            "traffic": digest.hexdigest(),
            "runs": "" if self.search.run is None else self.search.run.key,
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
    """Return the mapping of a plan as data for JSON; for workers."""
    search, seed = plan.search, plan.seed
    program, topology = search.program, search.topology
    result = find_mapping(
        search.mapping,
        topology,
        search.tasks,
        nodes=search.nodes(seed),
        program=program,
        W=search.traffic,
        run_time=None if program is None else run_time_of(topology, program, search.config, seed),
        seed=seed,
    )
    cost = None if not np.isfinite(result.cost) else result.cost
    return {**vars(result), "mapping": result.mapping.tolist(), "cost": _number(cost)}


def qap_result_of(outcome: dict[str, Any]) -> QapResult:
    cost = float("inf") if outcome["cost"] is None else outcome["cost"]
    return QapResult(**{**outcome, "mapping": np.array(outcome["mapping"], np.int64), "cost": cost})


def _number(value: Any) -> int | float | None:
    """Return a number of NumPy's as one of Python's."""
    plain: int | float | None = value.item() if isinstance(value, np.generic) else value
    return plain
