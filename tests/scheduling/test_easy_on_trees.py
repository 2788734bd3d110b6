"""EASY on trees: partitioners that foresee give the schedules of those that search step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_machines import workloads

from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation, Foreseeing
from netplace.topologies import parse

TREE = parse("tree:2,4")
RULES = ("contiguous", "quasi-contiguous:10", "quasi-contiguous:40", "nearly-contiguous:20")


class StepByStep:
    """A partitioner with the six members alone, so that reservations release job by job and search."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        if name in ("free", "by_count", "searches", "visited", "find", "take", "release"):
            return getattr(self._inner, name)
        raise AttributeError(name)

    def copy(self):
        return StepByStep(self._inner.copy())


@pytest.mark.parametrize("policy", ["easy", "easy-counted", "easy-patient"])
@pytest.mark.parametrize("rule", RULES)
@given(jobs=workloads(late=True, most=24, nodes=TREE.nodes), overrun=st.sampled_from(["keep", "requeue"]))
def test_the_same_schedule_as_step_by_step(policy, rule, jobs, overrun):
    quick = make_partitioner(rule, TREE)
    slow = StepByStep(quick.copy())
    assert isinstance(quick, Foreseeing)
    assert not isinstance(slow, Foreseeing)
    found, expected = (
        schedule(TREE, jobs, policy, partitioner, overrun=overrun, keep_nodes=True)
        for partitioner in (quick, slow)
    )
    for column in ("start", "end", "promised", "kills", "backfilled"):
        assert np.array_equal(getattr(found, column), getattr(expected, column), equal_nan=True)
    for ours, theirs in zip(found.allocations, expected.allocations, strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("rule", RULES)
@given(
    held=st.lists(st.integers(0, TREE.nodes - 1), unique=True, min_size=1),
    cuts=st.sets(st.integers(1, TREE.nodes - 1)),
    size=st.integers(1, TREE.nodes),
)
def test_release_until_it_fits(rule, held, cuts, size):
    quick = make_partitioner(rule, TREE)
    quick.take(Allocation(np.array(held)))
    slow, job = quick.copy(), Job(1, 0, size, 1)
    parts = [part for part in np.split(np.array(held), sorted(cuts)) if len(part)]
    assert quick.fits(job) == (quick.find(job) is not None)
    expected = None
    for count, part in enumerate(parts, 1):
        slow.release(Allocation(part))
        if slow.find(job) is not None:
            expected = count
            break
    assert quick.release_until(job, [[Allocation(part)] for part in parts]) == expected
    assert quick.free == slow.free


def test_what_is_free_is_not_released():
    partitioner = make_partitioner("contiguous", TREE)
    with pytest.raises(ValueError, match=r"a node of \[3\] is free already"):
        partitioner.release_until(Job(1, 0, 1, 1), [[Allocation(np.array([3]))]])
    assert partitioner.release_until(Job(1, 0, 1, 1), []) is None
