"""Intervals of sampled times: what they grow with, and what they do not."""

import math

import numpy as np
import pytest

from netplace.cosim.alone import exact
from netplace.cosim.fast_forward_execution import FastForwarded
from netplace.cosim.placed import PlacedJob, Started
from netplace.cosim.sampled import Alone, excesses, half_width
from netplace.cosim.work import JobProgram
from netplace.scheduling import Job

STEADY = Alone(exact(1000.0))


def leaped(cycles, variance=1e-6, counted=False):
    return FastForwarded(round(cycles), 0.9 * cycles, variance, counted)


def stays(starts):
    """Return one attempt a start; where it is does not matter here."""
    work = JobProgram("2d-torus,packets=2", 4, 1000, 0)
    return {
        n: Started(PlacedJob(Job(n, 0, 4, 0), work, np.arange(4)), start) for n, start in enumerate(starts)
    }


def test_the_excess_is_that_of_all_jobs_that_ran_at_the_same_time():
    rng = np.random.default_rng(28)
    starts, lengths = rng.integers(0, 5000, 40).tolist(), rng.integers(1, 2000, 40).tolist()
    made = {n: leaped(length, rng.uniform(1e-6, 1e-4)) for n, length in enumerate(lengths)}
    again = {
        n: leaped(length * rng.uniform(0.9, 1.1), rng.uniform(1e-6, 1e-4)) for n, length in enumerate(lengths)
    }
    ratio = excesses(stays(starts), made, again)
    for job, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        beside = [n for n in made if starts[n] < start + length and starts[n] + lengths[n] > start]
        seen = sum(math.log(again[n].cycles / made[n].cycles) ** 2 / 2 for n in beside)
        left = sum((made[n].variance + again[n].variance) / 2 for n in beside)
        assert ratio[job] == pytest.approx(min(24, seen / left))
    assert 0.1 < np.mean([value < 24 for value in ratio.values()]) < 0.9


def test_times_that_were_counted_and_jobs_without_a_second_time_have_no_part_in_it():
    made = {0: leaped(1000), 1: leaped(1000, counted=True), 2: leaped(1000)}
    assert excesses(stays([0, 0, 0]), made, {0: leaped(1000), 1: leaped(2000)}) == {0: 0.0}
    assert excesses(stays([0, 0, 0]), made, {}) == {}
    assert half_width(made[1], leaped(2000), STEADY, 1000, 5.0) == 0


def test_a_job_is_known_less_where_its_two_times_differ_or_those_of_others_do():
    first, same, other = leaped(1000), leaped(1000), leaped(1050)
    known = half_width(first, same, STEADY, 1000, 0.0)
    assert half_width(first, same, STEADY, 1000, 8.0) == pytest.approx(3 * known, rel=0.05)
    assert half_width(first, other, STEADY, 1000, 0.0) > abs(math.log(1.05))
    assert half_width(first, same, Alone(exact(1000.0), 0.02), 1000, 0.0) > 0.02
    assert half_width(first, same, STEADY, 10, 0.0) > 0.03
    assert half_width(first, None, STEADY, 1000, 0.0) == pytest.approx(known)
