"""A job on its nodes: its work, and the node of each task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from netplace.apps import Program
from netplace.cosim.work import JobProgram, ProgramFor, in_switches, iteration_program, program_of
from netplace.inputs import abbreviate, check_int
from netplace.netsim import Config, Network
from netplace.netsim.fault_text import faults_until
from netplace.placement import map_tasks
from netplace.records import array_of, check_fields, freeze_arrays, integers_as
from netplace.scheduling import Allocation, Job
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.streams import stream
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import network_of_hosts, slots_of
from netplace.topologies.routing import default_on


@dataclass(frozen=True, eq=False)
class PlacedJob:
    """A job whose tasks have been placed; `nodes`, shape (tasks,), contains the node of each task."""

    job: Job
    work: JobProgram
    nodes: Nodes

    def __post_init__(self) -> None:
        label = "placed: nodes"
        object.__setattr__(self, "nodes", integers_as(np.int64, array_of(self.nodes, label), label))
        freeze_arrays(self)


@dataclass(frozen=True, eq=False)
class Started:
    """A job on its nodes, whose tasks act from cycle `start` on, up to cycle `stop` unless that is -1."""

    placed: PlacedJob
    start: int
    stop: int = -1

    @property
    def number(self) -> int:
        return self.placed.job.number

    def on(self, nodes: Sequence[int] | Nodes) -> Started:
        return replace(self, placed=replace(self.placed, nodes=np.asarray(nodes, np.int64)))


@dataclass(frozen=True)
class JobPlacer:
    """Places the tasks of jobs on their nodes.

    Attributes
    ----------
    program_for : callable
        Function that returns the program of a job.
    mapping : str
        Key of `netplace.placement.MAPPINGS`, used for jobs whose partitioner does not choose a mapping.
    threads : int or str
        Number of threads per network; see `netplace.netsim.Network`. It does not change the results.
    watch : callable
        Function that is called with each new network.
    """

    machine: Topology
    config: Config
    program_for: ProgramFor
    mapping: str = "consecutive"
    seed: int = 0
    threads: int | str = 1
    watch: Callable[[Network], None] = field(default=lambda _: None, compare=False)

    def __post_init__(self) -> None:
        check_fields(self)
        check_int(self.seed, "seed", 0)

    @cached_property
    def hosts(self) -> Topology:
        """The network of the hosts, which the scheduler gives to jobs."""
        return network_of_hosts(self.machine)

    def network(self, engine: str = "kernel", *, explain: bool = False) -> Network:
        """Return the machine's network without jobs, with the same seed."""
        network = Network(
            self.machine, self.config, engine=engine, seed=self.seed, explain=explain, threads=self.threads
        )
        self.watch(network)
        return network

    def drawn(self, draw: int) -> JobPlacer:
        """Return the same with the random numbers of one draw of the network; 0 is this one."""
        return replace(self, seed=stream(self.seed, "network", draw))

    def put(self, job: Job, allocation: Allocation) -> PlacedJob:
        """Place the tasks of a job on the slots of the hosts of `allocation`.

        Raises
        ------
        ValueError
            If the job's application does not support its size, or the mapping rejects the job.
        """
        try:
            work = self.program_for(job)
        except TypeError as error:
            raise ValueError(
                f"JobPlacer: program_for: {abbreviate(self.program_for)} cannot be called with a job: {error}"
            ) from error
        if not isinstance(work, JobProgram):
            raise ValueError(f"JobPlacer: program_for: gives {abbreviate(work)}, expected a JobProgram")
        nodes = map_tasks(
            (allocation.mapping or self.mapping) if work.application else "consecutive",
            self.machine,
            work.tasks,
            nodes=slots_of(self.machine, allocation.nodes),
            program=program_of(JobProgram(work.application, work.tasks), self.config),
            seed=self.seed,
            job=job.number,
        )
        return PlacedJob(job, in_switches(work, self.machine, nodes), nodes)

    def body(self, placed: PlacedJob) -> Program:
        """Return the program of one iteration of a job, without its computation."""
        return program_of(replace(placed.work, iterations=1, compute=0), self.config)

    def loop(self, placed: PlacedJob) -> Program:
        """Return the program of one iteration of a job, including its computation."""
        return iteration_program(replace(placed.work, iterations=1), self.config)

    def start(self, network: Network, placed: PlacedJob, at: int | None = None) -> int:
        """Start a job on a network, now or in cycle `at`, and return its number on that network."""
        check_int(placed.work.iterations, f"job {placed.job.number}: iterations", 0, (1 << 31) - 1)
        return network.start(
            self.loop(placed),
            placed.nodes,
            at=at,
            times=placed.work.iterations,
            identity=placed.job.number,  # alone it has the traffic class that it has beside others
        )


def without_faults(placing: JobPlacer, after: int = -1) -> JobPlacer:
    """Return the same machine and router without faults later than cycle `after`; -1 removes all faults."""
    config = placing.config
    if not config.faults:
        return placing
    routing = default_on(placing.machine) if config.routing == "default" else config.routing
    faults = faults_until(config.faults, after)
    return replace(placing, config=replace(config, faults=faults, routing=routing))
