"""Batch means by time."""

import pytest

from netplace.scheduling import Job, schedule
from netplace.scheduling.metrics import time_batches
from netplace.topologies import parse


def test_a_saturated_machine_of_one_node():
    jobs = [Job(number, 0.0, 1, 4.0) for number in range(1, 60)]
    made = schedule(parse("mesh:1"), jobs, "fcfs", "non-contiguous")
    found = time_batches(made, 20.0, 5)
    assert found.started.tolist() == [5] * 5
    assert found.utilisation.tolist() == [1] * 5
    assert found.run.tolist() == [4] * 5
    # Jobs processed times the waiting of the head are the length of a batch.
    assert (found.started * found.head_wait).tolist() == [20] * 5
    assert found.wait[0] == pytest.approx(28)  # starts at 20, 24, .. 36
    assert found.mean("started") == 5


def test_bounds_of_batches():
    jobs = [Job(number, 0.0, 1, 4.0) for number in range(1, 11)]
    made = schedule(parse("mesh:2"), jobs, "fcfs", "non-contiguous")
    assert time_batches(made, 4.0, 2, warmup=0.0).started.tolist() == [2, 2]
    with pytest.raises(
        ValueError, match="batches: 9 of 4 end at 40, after the last start at 16, expected more"
    ):
        time_batches(made, 4.0, 9)
    with pytest.raises(ValueError, match="length of batches: 0 is invalid, expected a time greater than 0"):
        time_batches(made, 0.0)
    with pytest.raises(ValueError, match="warmup of batches: -1 is invalid, expected a time of at least 0"):
        time_batches(made, 1.0, warmup=-1)
