"""Jobs that take no time, or are estimated to, among others that do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_machines import NODES, Row

from netplace.scheduling import POLICIES, Job, schedule
from netplace.topologies import mesh, parse

MACHINE = parse("torus:4x4x4")
JOBS = [Job(1, 20.0, 4, 100.0, 200.0), *(Job(n, 60.0, 16, 0.0, 0.0) for n in range(2, 6))]
CONSERVATIVE = [name for name in POLICIES if name.startswith("conservative")]
SECONDS = st.sampled_from([0, 0, 0, 1, 2, 5])  # of no length often


@pytest.mark.parametrize("policy", POLICIES)
def test_they_wait_for_each_other_in_one_instant(policy):
    made = schedule(MACHINE, JOBS, policy, "non-contiguous")
    assert made.start.tolist() == [20.0, 60.0, 60.0, 60.0, 60.0]


@st.composite
def workloads(draw, late: bool = False) -> list[Job]:
    """Return few jobs with whole times, many of which are 0; with `late` estimates may be too short."""
    jobs, submit = [], 0
    for number in range(draw(st.integers(1, 12))):
        submit += draw(st.sampled_from([0, 0, 1, 3]))
        run_time, other = draw(SECONDS), draw(SECONDS)
        estimate = other if late else max(run_time, other)
        jobs.append(Job(number, submit, draw(st.integers(1, NODES)), run_time, estimate))
    return jobs


def brute_conservative(jobs: list[Job]) -> list[float]:
    """Return the starts of jobs under conservative backfilling, by lists of who holds how many nodes when.

    Estimates must not be too short. What takes no time holds its nodes until the next number there is.
    """
    starts: dict[int, float] = {}
    booked: dict[int, float] = {}
    running: list[Job] = []

    def end(begin: float, seconds: float) -> float:
        return max(begin + seconds, math.nextafter(begin, math.inf))

    def fits(job: Job, begin: float) -> bool:
        spans = [(starts[one.number], end(starts[one.number], one.estimate), one.nodes) for one in running]
        spans += [
            (booked[one.number], end(booked[one.number], one.estimate), one.nodes)
            for one in jobs
            if one.number in booked and one is not job
        ]
        inside = [first for first, _, _ in spans if begin <= first < end(begin, job.estimate)]
        return all(
            sum(nodes for first, last, nodes in spans if first <= instant < last) + job.nodes <= NODES
            for instant in (begin, *inside)
        )

    def start(job: Job, now: float) -> None:
        booked.pop(job.number, None)
        starts[job.number] = now
        running.append(job)

    while len(starts) < len(jobs):
        waiting = [job for job in jobs if job.number not in starts]
        now = min(
            [booked.get(job.number, job.submit) for job in waiting]
            + [starts[job.number] + job.run_time for job in running]
        )
        ended = [job for job in running if starts[job.number] + job.run_time <= now]
        running = [job for job in running if job not in ended]
        for job in sorted(waiting, key=lambda one: booked.get(one.number, math.inf)):
            if booked.get(job.number, math.inf) <= now:
                start(job, now)
        for job in waiting:
            if job.number in booked and ended and fits(job, now):
                start(job, now)
        for job in waiting:
            if job.number not in booked and job.number not in starts and job.submit <= now:
                ends = [end(starts[one.number], one.estimate) for one in running]
                ends += [end(booked[one.number], one.estimate) for one in waiting if one.number in booked]
                first = min(time for time in (now, *ends) if time >= now and fits(job, time))
                booked[job.number] = first
                if first <= now:
                    start(job, now)
    return [starts[job.number] for job in jobs]


@given(jobs=workloads())
def test_conservative_is_what_a_brute_force_scheduler_does(jobs):
    made = schedule(mesh((NODES,)), jobs, "conservative", Row(NODES))
    assert made.start.tolist() == brute_conservative(jobs)
    assert (made.start <= made.promised).all()


@pytest.mark.parametrize("contiguous", [False, True], ids=["count", "place"])
@pytest.mark.parametrize("policy", POLICIES)
@given(jobs=workloads(late=True), overrun=st.sampled_from(["keep", "kill"]))
def test_no_node_is_held_twice_whatever_is_estimated(policy, contiguous, jobs, overrun):
    made = schedule(mesh((NODES,)), jobs, policy, Row(NODES, contiguous), overrun=overrun)  # Row looks at it
    assert (made.start >= made.submit).all()
    lasting = [job.run_time if overrun == "keep" else min(job.run_time, job.estimate) for job in jobs]
    assert np.allclose(made.end - made.start, lasting)
    if overrun == "kill" and policy in CONSERVATIVE:
        assert (made.start <= made.promised).all()
