"""One protocol of executions: run times known from the start, and ends that only come to be known."""

import math

import numpy as np
import pytest
from small_machines import NODES, Row

from netplace.scheduling import POLICIES, Ends, Job, State, schedule
from netplace.scheduling.schedule import COLUMNS
from netplace.topologies import mesh

MACHINE = mesh((NODES,))


class Unsettled:
    """Tells no run time at the start: each end comes to be known when it is the next."""

    def __init__(self, failing=()):
        self.ends, self.stopped, self.failing = {}, [], failing

    def begin(self, attempt, job, allocation, now):
        self.ends[attempt] = now + job.run_time

    def stop(self, attempt, now):
        self.stopped.append((attempt, now))
        del self.ends[attempt]

    def next_end(self, until):
        first = min(self.ends.values(), default=math.inf)
        if first > until or first == math.inf:
            return None
        told = tuple(attempt for attempt, end in self.ends.items() if end == first)
        for attempt in told:
            del self.ends[attempt]
        return Ends(first, told, failed=any(attempt in self.failing for attempt in told))

    def longest(self, job):
        return job.run_time


def jobs(count=120, seed=3):
    rng = np.random.default_rng(seed)
    submit = 0
    for number in range(count):
        submit += int(rng.integers(0, 3))
        nodes, seconds, estimate = rng.integers([1, 1, 2], [6, 9, 9])
        yield Job(number, submit, int(nodes), float(seconds), float(estimate))


def by_name():
    for policy in POLICIES.values():
        for overrun in ("keep", "kill", *(["requeue"] if policy.requeues else [])):
            yield pytest.param(policy.name, overrun, id=f"{policy.name}-{overrun}")


@pytest.mark.parametrize(("policy", "overrun"), list(by_name()))
def test_what_is_known_later_is_scheduled_alike(policy, overrun):
    settled = schedule(MACHINE, jobs(), policy, Row(), overrun=overrun)
    unsettled = schedule(MACHINE, jobs(), policy, Row(), Unsettled(), overrun=overrun)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(settled, name), getattr(unsettled, name), err_msg=name)
    assert settled.busy == unsettled.busy


def test_who_is_killed_is_stopped():
    execution = Unsettled()
    made = schedule(
        MACHINE, [Job(1, 0, 4, 10, 3), Job(2, 0, 4, 2, 3)], "easy", Row(), execution, overrun="kill"
    )
    assert execution.stopped == [(0, 3.0)]
    assert made.state.tolist() == [State.FAILED, State.DONE]
    assert made.end.tolist() == [3, 2]


def test_who_ends_without_result_has_failed():
    made = schedule(MACHINE, [Job(1, 0, 4, 10), Job(2, 0, 4, 2)], "fcfs", Row(), Unsettled(failing=(1,)))
    assert made.state.tolist() == [State.DONE, State.FAILED]


def test_a_run_time_not_in_the_workload_is_that_of_the_schedule():
    class Ten(Unsettled):
        def begin(self, attempt, job, allocation, now):
            self.ends[attempt] = now + 10

    made = schedule(MACHINE, [Job(1, 0, 8, 0), Job(2, 1, 8, 0)], "fcfs", Row(), Ten())
    assert made.nominal.tolist() == [10, 10]
    assert made.end.tolist() == [10, 20]
