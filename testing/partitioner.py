"""The check of a partitioner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import Allocation, Partitioner, make_partitioner
from netplace.testing.demand import accepted, demand, name_of
from netplace.testing.jobs import some_jobs
from netplace.topologies import parse

__all__ = ["check_partitioner"]

_MACHINES = ("mesh:4x4", "torus:4x4", "mesh:16", "tree:4,2")
_STEPS = 60


def check_partitioner(rule: str | Callable[..., Any], machines: Sequence[str] = _MACHINES) -> None:
    """Check that a partitioner gives only free nodes, counts them correctly, and makes independent copies.

    The rule is a class that takes a topology, an option and a seed, and whose objects have the members of
    `netplace.scheduling.partitioner.Partitioner`.
    """
    what = f"partitioner {name_of(rule)}"

    def made(machine: str) -> Partitioner:
        topology = parse(machine)
        fresh: Partitioner = (
            make_partitioner(rule, topology, 1) if isinstance(rule, str) else rule(topology, "", 1)
        )
        return fresh

    for machine, partitioner in accepted(machines, made, what):
        subject = f"{what} on {machine}"
        nodes = parse(machine).nodes
        demand(
            partitioner.free == nodes, f"{subject}: {partitioner.free} of {nodes} nodes are free when empty"
        )
        first = _Life(partitioner, nodes, subject)
        second = _Life(made(machine), nodes, subject)
        for _ in range(_STEPS):
            first.step()
            second.step()
        demand(first.given == second.given, f"{subject}: one seed and the same jobs give different nodes")
        first.end()
        _check_schedule(made(machine), machine, subject)


class _Life:
    """Jobs that start and end at random, and the requirements at every step."""

    def __init__(self, partitioner: Partitioner, nodes: int, subject: str) -> None:
        self._partitioner = partitioner
        self._subject = subject
        self._rng = np.random.default_rng(7)
        self._free = set(range(nodes))
        self._nodes = nodes
        self._held: list[Allocation] = []
        self.given: list[list[int]] = []

    def step(self) -> None:
        """Start or end a job."""
        if self._held and self._rng.random() < 0.45:
            self._release(int(self._rng.integers(len(self._held))))
        else:
            self._arrive(int(self._rng.integers(1, self._nodes + 1)))

    def end(self) -> None:
        """End all jobs; the largest must then fit."""
        while self._held:
            self._release(0)
        whole = Job(0, 0.0, self._nodes, 1.0)
        if self._partitioner.by_count:
            demand(
                self._find(whole) is not None, f"{self._subject}: no place for a job of all nodes when empty"
            )

    def _arrive(self, size: int) -> None:
        job, partitioner, subject = Job(len(self.given), 0.0, size, 1.0), self._partitioner, self._subject
        twin = partitioner.copy()
        try:
            allocation = self._find(job)
        except ValueError as error:  # it never has a place for so many nodes
            demand(not partitioner.by_count, f"{subject}: is by_count but refuses a job: {error}")
            return
        demand(partitioner.free == len(self._free), f"{subject}: find changes how many nodes are free")
        same = twin.find(job)
        alike = (allocation is None) == (same is None)
        if allocation is None or same is None:
            demand(alike, f"{subject}: a copy does not find what the original finds")
            sure = partitioner.by_count and size <= len(self._free)
            demand(
                not sure,
                f"{subject}: is by_count but finds no place for {size} nodes of {len(self._free)} free ones",
            )
            return
        demand(
            np.array_equal(allocation.nodes, same.nodes),
            f"{subject}: a copy finds other nodes than the original",
        )
        twin.take(same)
        demand(
            partitioner.free == len(self._free), f"{subject}: an allocation in a copy changes the original"
        )
        partitioner.take(allocation)
        self._free -= set(allocation.nodes.tolist())
        self._held.append(allocation)
        self.given.append(allocation.nodes.tolist())
        self._account("take")

    def _find(self, job: Job) -> Allocation | None:
        before = self._partitioner.searches
        allocation = self._partitioner.find(job)
        subject = f"{self._subject}, a job of {job.nodes} nodes"
        demand(self._partitioner.searches > before, f"{subject}: find does not count in searches")
        if allocation is None:
            return None
        nodes = allocation.nodes
        demand(len(nodes) >= job.nodes, f"{subject}: gets {len(nodes)}")
        demand(len(np.unique(nodes)) == len(nodes), f"{subject}: gets a node twice")
        demand(set(nodes.tolist()) <= self._free, f"{subject}: gets a node that is not free, or none")
        return allocation

    def _release(self, place: int) -> None:
        allocation = self._held.pop(place)
        self._partitioner.release(allocation)
        self._free |= set(allocation.nodes.tolist())
        self._account("release")

    def _account(self, after: str) -> None:
        said, known = self._partitioner.free, len(self._free)
        demand(said == known, f"{self._subject}: reports {said} free nodes after {after}, expected {known}")


def _check_schedule(partitioner: Partitioner, machine: str, subject: str) -> None:
    for policy in ("fcfs", "easy"):
        jobs = some_jobs(60, parse(machine).nodes)
        try:
            made = schedule(parse(machine), jobs, policy, partitioner)
        except ValueError as error:
            raise AssertionError(f"{subject}, policy {policy}: {error}") from error
        demand(
            (made.start >= made.submit).all(),
            f"{subject}: policy {policy} starts a job before its submission",
        )
        demand(len(made) + len(made.rejected) == len(jobs), f"{subject}: policy {policy} loses a job")
