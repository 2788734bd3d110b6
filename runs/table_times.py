"""Run times of application jobs on their nodes, from a run-time table.

A job is looked up, or simulated, alone: as the run of its application, with the messages of its intensity, on
an otherwise empty network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.apps import APPLICATIONS
from netplace.checks import check_choice
from netplace.netsim import Config
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.resolve import resolve
from netplace.runs.spec import Run
from netplace.runs.store import Store
from netplace.runs.tables import ENTRY, entry_of
from netplace.runs.times import RunTimes, StoredTimes
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.shapes import Choices, Factors, Shape
from netplace.scheduling.workload import INTENSITIES
from netplace.topologies import Grid, Topology, Tree
from netplace.topologies.host_lists import spelled

if TYPE_CHECKING:
    import pandas as pd

_KIND = ("application", "problem", "tasks")  # of the columns ENTRY, what the job says; the rest is placement


@dataclass(frozen=True)
class JobRuns:
    """The runs in which jobs are looked up."""

    machine: Topology
    config: Config

    def of(self, job: Job, allocation: Allocation, mapping: str) -> Run:
        if allocation.shape is not None and isinstance(self.machine, Grid):
            return self.in_box(job, allocation.shape, mapping)
        nodes = allocation.nodes[: job.nodes]
        if isinstance(self.machine, Tree):
            nodes = _in_first_subtree(self.machine, nodes)
        return self._run(job, self.machine.text, "nodes:" + spelled(nodes), mapping)

    def in_box(self, job: Job, shape: Shape, mapping: str) -> Run:
        """Return the run of a job in a box; a mesh of its sides if all minimal routes stay in it."""
        assert isinstance(self.machine, Grid)
        sides = "x".join(map(str, shape))
        rings = self.machine.sizes if self.machine.wraps else (math.inf,) * len(shape)
        if all(2 * (side - 1) < ring for side, ring in zip(shape, rings, strict=True)):
            return self._run(job, f"mesh:{sides}", "whole", mapping)
        return self._run(job, self.machine.text, f"boxes:{sides}", mapping)

    def _run(self, job: Job, network: str, partition: str, mapping: str) -> Run:
        check_choice(job.application, APPLICATIONS, f"application of job {job.number}")
        check_choice(job.intensity, INTENSITIES, f"intensity of job {job.number}")
        packets = max(1, INTENSITIES[job.intensity] // self.config.packet_bytes)
        asked = {"app": job.application, "tasks": job.nodes, "packets": packets, "mapping": mapping}
        return resolve(network, asked, partition=partition, config=self.config)


class TableTimes:
    """Run times from a table, or a store that may simulate; jobs without an application keep their own."""

    def __init__(
        self,
        machine: Topology,
        known: RunTimes | StoredTimes,
        mapping: str = "consecutive",
        seeds: int = 1,
        config: Config | None = None,
        candidates: Iterable[str] = ("consecutive", "random"),
    ) -> None:
        self._runs = JobRuns(machine, config or Config())
        self._known = known
        self._mappings = tuple(candidates) if mapping == BEST_KNOWN else (mapping,)
        self._seeds = seeds
        self._seconds: dict[Any, float] = {}
        self._table = _cycles_of(known.frame) if isinstance(known, RunTimes) else {}

    @classmethod
    def read(cls, path: str | Path, machine: Topology, **options: Any) -> TableTimes:
        """Return the run times of a file: CSV or Parquet of a table, or a store in which nothing is added."""
        return cls(machine, RunTimes.read(path), **options)

    @classmethod
    def simulated(cls, store: Store, machine: Topology, workers: int = 1, **options: Any) -> TableTimes:
        """Return the run times of a store; what it lacks is simulated when it is requested, and kept."""
        return cls(machine, StoredTimes(store, workers=workers), **options)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        if not job.application:
            return job.run_time
        mappings = (allocation.mapping,) if allocation.mapping else self._mappings
        nodes = allocation.shape or tuple(allocation.nodes.tolist())
        key = job.application, job.intensity, job.nodes, nodes, mappings
        if key not in self._seconds:
            times = [self._of(self._runs.of(job, allocation, mapping)) for mapping in mappings]
            known = [seconds for seconds in times if seconds is not None]
            if not known:
                raise LookupError(
                    f"run times: no entry of {_missing(self._runs.of(job, allocation, mappings[0]))}"
                )
            self._seconds[key] = min(known)
        return self._seconds[key] * job.repeats

    def longest(self, job: Job) -> float:
        """Return the longest run time in seconds over known boxes of the job's size; a tree's first nodes."""
        if not job.application:
            return job.run_time
        key = job.application, job.intensity, job.nodes
        if key not in self._seconds:
            known = [seconds for seconds, _, _ in self._boxes(job)]
            if not known:
                known = [self.seconds(job, Allocation(np.arange(job.nodes))) / job.repeats]
            self._seconds[key] = max(known)
        return self._seconds[key] * job.repeats

    def ranking(self, job: Job) -> Choices:
        """Return the boxes for a job with their best mappings, the fastest first; unknown ones come last."""
        grid = self._runs.machine
        assert isinstance(grid, Grid)
        known = sorted(self._boxes(job), key=lambda choice: choice[0])
        ranked = [(shape, mapping) for _, shape, mapping in known]
        listed = {shape for shape, _ in ranked}
        return [*ranked, *((shape, "") for shape, _ in Factors(grid)(job) if shape not in listed)]

    def check(self, jobs: Iterable[Job]) -> None:
        """Check that a table has something of every application, intensity and size of `jobs`."""
        if not isinstance(self._known, RunTimes):
            return
        kinds = {(job.application, job.intensity, job.nodes): job for job in jobs if job.application}
        have = set(self._known.frame[list(_KIND)].itertuples(index=False, name=None))
        lacking = []
        for job in kinds.values():
            entry = entry_of(self._runs.of(job, Allocation(np.arange(job.nodes)), "consecutive"))
            if tuple(entry[column] for column in _KIND) not in have:
                lacking.append(f"{job.application} {job.intensity} on {job.nodes} nodes")
        if lacking:
            listed = ", ".join(sorted(lacking)[:20]) + (", .." if len(lacking) > 20 else "")
            raise LookupError(f"run times: the table lacks {len(lacking)} kinds of jobs: {listed}")

    def _boxes(self, job: Job) -> list[tuple[float, Shape, str]]:
        """Return run time, shape and best mapping of each box of which a time is known."""
        grid = self._runs.machine
        if not isinstance(grid, Grid) or not job.application:
            return []
        boxes = []
        for shape, _ in Factors(grid, round_up=True)(job):
            times = [(self._of(self._runs.in_box(job, shape, name)), name) for name in self._mappings]
            known = [(seconds, shape, name) for seconds, name in times if seconds is not None]
            boxes += [min(known)] if known else []
        return boxes

    def _of(self, run: Run) -> float | None:
        """Return the run time of one run in seconds, a mean over the seeds; None: not in the table."""
        if isinstance(self._known, StoredTimes):
            cycles = self._known.of(run, range(self._seeds)).mean
        else:
            cycles = self._table.get(_entry(run), math.nan)
        return None if math.isnan(cycles) else cycles * run.config.cycle_ns * 1e-9


def _entry(run: Run) -> tuple[Any, ...]:
    return tuple(entry_of(run)[column] for column in ENTRY)


def _cycles_of(frame: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    """Return the mean of each entry that has one."""
    known = frame[frame["count"] > 0]
    keys = known[ENTRY].itertuples(index=False, name=None)
    return dict(zip(keys, known["mean"].tolist(), strict=True))


def _missing(run: Run) -> str:
    """Return what a table would have to hold."""
    entry = entry_of(run)
    return ", ".join(f"{column} {entry[column]}" for column in ENTRY if entry[column])


def _in_first_subtree(tree: Tree, nodes: Nodes) -> Nodes:
    """Return the nodes as they lie in the first subtree of their level, which is like all others."""
    first, last, size = int(nodes.min()), int(nodes.max()), 1
    while first // size != last // size:
        size *= tree.down
    return nodes - first // size * size
