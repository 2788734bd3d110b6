"""Jobs that take no time, among others that do."""

from __future__ import annotations

import pytest

from netplace.scheduling import Job, schedule
from netplace.topologies import parse

MACHINE = parse("torus:4x4x4")
JOBS = [Job(1, 20.0, 4, 100.0, 200.0), *(Job(n, 60.0, 16, 0.0, 0.0) for n in range(2, 6))]


@pytest.mark.parametrize("policy", ["fcfs", "sjf", "easy", "easy-counted", "easy-patient"])
def test_they_wait_for_each_other_in_one_instant(policy):
    made = schedule(MACHINE, JOBS, policy, "non-contiguous")
    assert made.start.tolist() == [20.0, 60.0, 60.0, 60.0, 60.0]


def test_conservative_policies_refuse_them_in_a_sentence():
    with pytest.raises(ValueError, match="estimated to take 0 s"):
        schedule(MACHINE, JOBS, "conservative", "non-contiguous")
