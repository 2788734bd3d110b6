"""The checks of scheduling rules: partitioners, policies and run times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netplace.scheduling import Job, Schedule, State, schedule
from netplace.scheduling.partitioner import Allocation, Partitioner, make_partitioner
from netplace.scheduling.policy import Policy, find_policy
from netplace.scheduling.times import RunTimes, make_times
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import parse

_MACHINES = ("mesh:4x4", "torus:4x4", "mesh:16", "tree:4,2")
_STEPS = 60


def check_partitioner(rule: str | Callable[..., Any], machines: Sequence[str] = _MACHINES) -> None:
    """Check that a partitioner gives only free nodes, counts them correctly, and makes independent copies.

    The rule is a class that takes a topology, an option and a seed, and whose objects have the members of
    `netplace.scheduling.partitioner.Partitioner`.
    """
    label = f"partitioner {name_of(rule)}"

    def made(machine: str) -> Partitioner:
        topology = parse(machine)
        fresh: Partitioner = (
            make_partitioner(rule, topology, 1) if isinstance(rule, str) else rule(topology, "", 1)
        )
        return fresh

    for machine, partitioner in accepted(machines, made, label):
        subject = f"{label} on {machine}"
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
        reported, known = self._partitioner.free, len(self._free)
        demand(
            reported == known,
            f"{self._subject}: reports {reported} free nodes after {after}, expected {known}",
        )


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


def some_jobs(count: int, nodes: int, seed: int = 5) -> list[Job]:
    """Return jobs of all sizes up to `nodes`, some of which exceed their estimates."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.geometric(0.25, count), nodes)
    submits = np.cumsum(rng.integers(0, 6, count))
    runs = rng.integers(0, 30, count)
    estimates = np.maximum(runs * rng.uniform(0.6, 3, count).round(1), 1)
    columns = zip(submits.tolist(), sizes.tolist(), runs.tolist(), estimates.tolist(), strict=True)
    return [
        Job(number, float(submit), size, float(run), estimate)
        for number, (submit, size, run, estimate) in enumerate(columns)
    ]


_PARTITIONS = ("non-contiguous", "contiguous")
_MACHINE = "mesh:4x4"


def check_policy(rule: str | Policy | Callable[[], Any], partitions: Sequence[str] = _PARTITIONS) -> None:
    """Check that a policy runs each job once, for its run time, on its own nodes, and lets no job starve.

    The rule is a class whose objects have the members of `netplace.scheduling.policy.Queue`.
    """
    policy = _policy_of(rule)
    for partition in partitions:
        for overrun in ("keep", "kill", *(["requeue"] if policy.requeues else [])):
            subject = f"policy {policy.name}, partitioner {partition}, overrun {overrun}"
            jobs = some_jobs(120, parse(_MACHINE).nodes)
            made = _made(policy, jobs, partition, overrun, subject)
            _check_all_ran(made, jobs, overrun, subject)
            _check_nodes(made, subject)
            again = _made(policy, jobs, partition, overrun, subject)
            demand(
                np.array_equal(made.start, again.start),
                f"{subject}: a second call returns a different schedule",
            )
    _check_alone(policy)
    queue = policy.queue()
    demand(len(queue) == 0 and queue.head() is None, f"policy {policy.name}: a new queue is not empty")


def _policy_of(rule: str | Policy | Callable[[], Any]) -> Policy:
    if isinstance(rule, Policy):
        return rule
    return find_policy(rule) if isinstance(rule, str) else Policy(name_of(rule), rule, "")


def _made(policy: Policy, jobs: Sequence[Job], partition: str, overrun: str, subject: str) -> Schedule:
    try:
        return schedule(parse(_MACHINE), jobs, policy, partition, overrun=overrun, keep_nodes=True)
    except ValueError as error:
        raise AssertionError(f"{subject}: {error}") from error


def _check_all_ran(made: Schedule, jobs: Sequence[Job], overrun: str, subject: str) -> None:
    refused = {number for number, *_ in made.rejected}
    jobs = [job for job in jobs if job.number not in refused]  # which no box of the machine can hold
    demand(
        made.number.tolist() == [job.number for job in jobs], f"{subject}: a job is missing or appears twice"
    )
    demand((made.state != State.OPEN).all(), f"{subject}: a job was never started")
    demand((made.start >= made.submit).all(), f"{subject}: a job starts before it is submitted")
    if overrun != "requeue":
        limits = [np.inf if overrun == "keep" or job.estimate is None else job.estimate for job in jobs]
        lasting = np.minimum([job.run_time for job in jobs], limits)
        close = np.allclose(made.end - made.start, lasting)
        demand(close, f"{subject}: a job does not run for its time")


def _check_nodes(made: Schedule, subject: str) -> None:
    """Check, whenever a job starts, that no two jobs hold the same node."""
    assert made.allocations is not None
    for moment in np.unique(made.start):
        here = np.flatnonzero((made.start <= moment) & (moment < made.end))
        held = [node for row in here for node in made.allocations[row].tolist()]
        demand(len(set(held)) == len(held), f"{subject}: a node belongs to two jobs at {moment} s")


def _check_alone(policy: Policy) -> None:
    jobs = [Job(1, 3.0, 4, 10.0, 12.0), Job(2, 100.0, 16, 5.0, 5.0)]
    made = _made(policy, jobs, "non-contiguous", "keep", f"policy {policy.name}")
    demand(
        np.array_equal(made.start, made.submit),
        f"policy {policy.name}: a job that is alone on the machine does not start when it is submitted",
    )


def check_run_times(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that run times are reproducible, at least 0, and at most the longest run time.

    The rule is a class that takes a machine and a list of words.
    """
    label = f"run times {name_of(rule)}"

    def made(network: str) -> RunTimes:
        machine = parse(network)
        return make_times(rule, machine) if isinstance(rule, str) else rule(machine, [])

    for network, times in accepted(networks, made, label):
        for nodes in (1, 3, parse(network).nodes):
            for partition in ("non-contiguous", "random"):
                job = Job(1, 0.0, nodes, 100.0, 120.0)
                allocation = make_partitioner(partition, parse(network)).find(job)
                assert allocation is not None
                seconds, subject = times.seconds(job, allocation), f"{label}, {nodes} nodes on {network}"
                demand(0 <= seconds < math.inf, f"{subject}: {seconds} seconds, expected 0 or more")
                demand(
                    seconds == times.seconds(job, allocation),
                    f"{subject}: a second call returns a different result",
                )
                longest = times.longest(job)
                demand(
                    seconds <= longest, f"{subject}: {seconds} seconds, longer than the longest, {longest}"
                )
