"""The search for a mapping of one job, and its simulation there: description, execution, and storage."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.inputs import check_size
from netplace.netsim import Config, SimulationError
from netplace.placement.mapping import QapResult, find_mapping
from netplace.placement.rule import Nodes
from netplace.records import freeze_arrays
from netplace.runs.digests import contents_of
from netplace.runs.job_programs import programs_of, repeated_of, resolved
from netplace.runs.networks import network_of
from netplace.runs.partitions import nodes_of_jobs
from netplace.runs.placing import run_time_of
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
    config: Config = field(default_factory=Config)  # settings of the network, for simulations
    run: Run | None = None  # what the job runs; None: nothing but its traffic is known
    # Bytes from the task of the row to that of the column, where there is no run.
    matrix: NDArray[Any] | None = None
    seed: int = 0  # of the partition

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

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes of its partition."""
        return nodes_of_jobs(self.partition, self.topology, [self.tasks], self.seed)[0]

    @cached_property
    def traffic_digest(self) -> str:
        from scipy import sparse

        flows = sparse.coo_array(self.traffic)
        digest = hashlib.sha256()
        for part in (*flows.coords, flows.data):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def cycles(self, nodes: Nodes, seed: int) -> int | None:
        """Return how long the job takes alone with its tasks on `nodes`."""
        assert self.run is not None
        [job] = resolved(self.run, self.topology, repeated_of(self.run), [nodes])
        alone = run_time_of(self.topology, job.program, self.config, seed, self.run.max_cycles, job.times)
        return alone(nodes, None)


@dataclass(frozen=True)
class MappingPlan:
    """One search for a mapping, and a simulation of the job with this mapping if `simulated`."""

    search: Search
    mapping: str  # rule, a key of `netplace.placement.MAPPINGS` with its option
    seed: int  # of the search and of the simulated network
    simulated: bool = False
    nodes: tuple[int, ...] = ()  # a mapping that is known already; empty: it is searched for

    @cached_property
    def key(self) -> str:
        search = self.search
        revised = revisions_of([self.mapping], search.partition, search.config)
        return key_of(REVISION, self.to_dict() | {"revisions": revised})

    def to_dict(self) -> dict[str, Any]:
        search = self.search
        return {
            "network": str(search.topology),
            "tasks": search.tasks,
            "traffic": search.traffic_digest,
            "runs": "" if search.run is None else search.run.key,
            "partition": search.partition,
            "partition_seed": search.seed,
            "mapping": self.mapping,
            "contents": contents_of(
                str(search.topology), search.config.routing, search.partition, [self.mapping]
            ),
            "config": search.config.described(),
            "seed": self.seed,
            "simulated": self.simulated,
            "nodes": self.nodes,
        }


def find(plan: MappingPlan) -> dict[str, Any]:
    """Return the mapping of a plan, and its time if it is simulated, as data for JSON; for workers."""
    search, seed, began = plan.search, plan.seed, time.process_time()
    program, topology = search.program, search.topology
    if plan.nodes:
        result = QapResult(np.array(plan.nodes), np.nan, plan.mapping, 0, 0.0)
    else:
        result = find_mapping(
            plan.mapping,
            topology,
            search.tasks,
            nodes=search.nodes,
            program=program,
            W=search.traffic,
            run_time=None if program is None else run_time_of(topology, program, search.config, seed),
            seed=seed,
        )
    cost = None if not np.isfinite(result.cost) else result.cost
    found = {**vars(result), "mapping": result.mapping.tolist(), "cost": _number(cost)}
    if not plan.simulated:
        return found
    cycles, failure = None, ""
    try:
        cycles = search.cycles(result.mapping, seed)
    except SimulationError as error:
        failure = " ".join(str(error).split())
    return found | {"cycles": cycles, "failure": failure, "cpu_seconds": time.process_time() - began}


def qap_result_of(outcome: dict[str, Any]) -> QapResult:
    cost = float("inf") if outcome["cost"] is None else outcome["cost"]
    mapping = np.array(outcome["mapping"], np.int64)
    return QapResult(mapping, cost, outcome["method"], outcome["iterations"], outcome["seconds"])


def _number(value: Any) -> int | float | None:
    """Return a number of NumPy's as one of Python's."""
    plain: int | float | None = value.item() if isinstance(value, np.generic) else value
    return plain
