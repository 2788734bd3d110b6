"""Every demand can fail: rules at fault in one way each, and the sentence that says so."""

import itertools

import numpy as np
import pytest

from netplace.scheduling.partitioner import Allocation, PlainPartitioner
from netplace.scheduling.policy import PlainQueue
from netplace.testing import (
    check_application,
    check_mapping,
    check_partition,
    check_partitioner,
    check_policy,
    check_run_times,
    check_topology,
    check_traffic,
)
from netplace.topologies import torus
from netplace.topologies.grid import Grid

COUNT = itertools.count()


class FirstNodes(PlainPartitioner):
    def choose(self, job):
        return np.flatnonzero(self.is_free)[: job.nodes]


class InOrder(PlainQueue):
    def advance(self, machine):
        while self.waiting and self.start(self.waiting[0], machine):
            pass


def test_what_is_right_passes():
    check_partitioner(FirstNodes)
    check_policy(InOrder)
    check_mapping(lambda problem: problem.nodes[: problem.tasks])
    check_partition(lambda asked: np.split(np.arange(sum(asked.sizes)), np.cumsum(asked.sizes)[:-1]))
    check_traffic(lambda topology: np.roll(np.arange(topology.nodes), 1))
    check_application(lambda task: None)


class Twice(FirstNodes):
    def _choice(self, job):
        return Allocation(np.repeat(np.flatnonzero(self.is_free)[:1], job.nodes))


class Few(FirstNodes):
    def _choice(self, job):
        return Allocation(self.choose(job)[:1])


class Taking(FirstNodes):
    def choose(self, job):
        self.free -= 1
        return super().choose(job)


class Sharing(FirstNodes):
    def copy(self):
        return self


class Unseeded(FirstNodes):
    def choose(self, job):
        return np.random.default_rng(next(COUNT)).permutation(np.flatnonzero(self.is_free))[: job.nodes]


class Leaking(FirstNodes):
    def release(self, allocation):
        super().release(allocation)
        self.free -= 1


class Refusing(FirstNodes):
    def choose(self, job):
        return None if job.nodes > 3 else super().choose(job)


class Silent(FirstNodes):
    def find(self, job):
        found = super().find(job)
        self.searches = 0
        return found


class Never(InOrder):
    def advance(self, machine):
        pass


class Late(InOrder):
    def advance(self, machine):
        if self.waiting and machine.now < self.waiting[0].job.submit + 1:
            machine.wake(self.waiting[0].job.submit + 1)
        else:
            super().advance(machine)


class Forgetful(InOrder):
    def add(self, waiting):
        if waiting.row != 7:
            super().add(waiting)


class Moody(InOrder):
    def advance(self, machine):
        self.waiting.sort(key=lambda one: np.random.default_rng(next(COUNT)).random())
        super().advance(machine)


class Full(InOrder):
    def __len__(self):
        return 1


def surprised(problem):
    return {}["nothing"]


class Negative:
    def __init__(self, machine, words):
        pass

    def seconds(self, job, allocation):
        return -1.0

    def longest(self, job):
        return 1.0


class Short(Negative):
    def seconds(self, job, allocation):
        return 2.0


def unanswered(task):
    task.send((task.task + 1) % task.tasks, 64)


def unequal(task):
    task.compute(next(COUNT))


@pytest.mark.parametrize(
    ("check", "rule", "words"),
    [
        (check_partitioner, Twice, "gets a node twice"),
        (check_partitioner, Few, "gets 1"),
        (check_partitioner, Taking, "find changes how many nodes are free"),
        (check_partitioner, Sharing, "changes the original|not free"),
        (check_partitioner, Unseeded, "a copy finds other nodes"),
        (check_partitioner, Leaking, "free nodes after release"),
        (check_partitioner, Refusing, "is by_count but finds no place"),
        (check_partitioner, Silent, "does not count in searches"),
        (check_policy, Never, "was never started"),
        (check_policy, Late, "alone on the machine does not start"),
        (check_policy, Forgetful, "never started|missing"),
        (check_policy, Moody, "a second call returns a different schedule"),
        (check_policy, Full, "a new queue is not empty"),
        (
            check_mapping,
            lambda problem: problem.nodes[:1].repeat(problem.tasks),
            "assigns a node to two tasks",
        ),
        (check_mapping, lambda problem: np.arange(problem.tasks), "not in the partition"),
        (
            check_mapping,
            lambda problem: np.random.default_rng(next(COUNT)).permutation(problem.nodes)[: problem.tasks],
            "two",
        ),
        (check_mapping, surprised, "raised KeyError.*ValueError"),
        (check_partition, lambda asked: [np.arange(size) for size in asked.sizes], "is assigned twice"),
        (check_partition, lambda asked: [np.arange(16)], "nodes for 1 jobs"),
        (
            check_partition,
            lambda asked: [np.arange(size) + 100 * job for job, size in enumerate(asked.sizes)],
            "not in the net",
        ),
        (
            check_partition,
            lambda asked: [np.arange(0) for _ in asked.sizes],
            "refuses every case.*has 0 nodes",
        ),
        (check_run_times, Negative, "expected 0 or more"),
        (check_run_times, Short, "longer than the longest"),
        (check_application, unanswered, "cannot run"),
        (check_application, unequal, "a different program"),
    ],
)
def test_rules_at_fault(check, rule, words):
    with pytest.raises(AssertionError, match=words):
        check(rule)


def test_traffic_at_fault():
    with pytest.raises(AssertionError, match="a second call returns a different result"):
        check_traffic(lambda topology: np.full(topology.nodes, next(COUNT) % topology.nodes))
    with pytest.raises(AssertionError, match="shape"):
        check_traffic(lambda topology: np.arange(3))


class Wrong(Grid):
    """A torus with a distance that is not by its links."""

    def distances(self, nodes=None):
        return super().distances(nodes) + 1


def test_networks_at_fault():
    right = torus((4, 4))
    same = {name: getattr(right, name) for name in ("text", "nodes", "routers", "neighbor", "entry")}
    grid = {name: getattr(right, name) for name in ("sizes", "wraps", "twist")}
    with pytest.raises(AssertionError, match="distance of nodes 0 and 0 is 1, by its links 0"):
        check_topology(Wrong(**same, **grid))
    cut = right.neighbor.copy()
    cut[0, 0] = -1
    with pytest.raises(AssertionError, match="a link without an entry"):
        check_topology(Grid(**{**same, "neighbor": cut}, **grid))
    entry = right.entry.copy()
    entry[0, 0] = -1
    with pytest.raises(AssertionError, match="a link has no link in the opposite direction"):
        check_topology(Grid(**{**same, "neighbor": cut, "entry": entry}, **grid))
