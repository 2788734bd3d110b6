"""The check of a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netplace.scheduling import Job, Schedule, State, schedule
from netplace.scheduling.policy import Policy, find_policy
from netplace.testing.demand import demand, name_of
from netplace.testing.jobs import some_jobs
from netplace.topologies import parse

__all__ = ["check_policy"]

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
