"""Our own rules pass through the checks for authors; every demand can fail, with its sentence."""

import itertools

import numpy as np
import pytest

from netplace.apps import APPLICATIONS
from netplace.apps.npb import NPB
from netplace.netsim import PATTERNS
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.scheduling import PARTITIONERS, POLICIES, RUN_TIMES
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


DEFAULT = ("mesh:4x4", "torus:4x4", "tree:4,2", "dragonfly:a=2,p=2,h=1")
# Examples that name a file, or that are made for other numbers of jobs and nodes.
SMALL = {
    "boxes": "boxes:2x2",
    "link-load": "link-load:iterations=1",
    "td": "td:iterations=1",
    "classic": "classic:2opt,iterations=1",
    "best": "best:1",
}
MACHINES = ("mesh:4x4", "torus:3x3x2", "mesh:16", "tree:4,2")
SLOW = ("optimal", "gen-alg", "gen-alg+inc")
NETWORKS = (
    "mesh:4x3", "torus:4x4", "torus:2x3,c=2", "twisted:4x3+1", "tree:2,3", "thintree:3,2,2", "hypercube:3",
    "hyperx:3x2,c=2", "dragonfly:a=2,p=1,h=1", "dragonfly+:leaves=2,spines=2,p=1,h=1", "slimfly:3",
    "xgft:2;2,3;1,2",
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MAPPINGS if name not in ("file", "hosts")])
def test_mappings(name):
    check_mapping(SMALL.get(name, name), ("torus:2x2",) if name == "best" else DEFAULT)


def test_a_mapping_from_a_file(tmp_path):
    (tmp_path / "nodes.csv").write_text("".join(f"{node}\n" for node in reversed(range(16))))
    check_mapping(f"file:{tmp_path / 'nodes.csv'}", ("torus:4x4",))
    with pytest.raises(AssertionError, match="refuses every case"):
        check_mapping(f"file:{tmp_path / 'missing.csv'}")


@pytest.mark.parametrize("name", [name for name in PARTITIONS if name != "nodes"])
def test_partitions(name):
    check_partition(SMALL.get(name, name))


@pytest.mark.parametrize("name", PARTITIONERS)
def test_partitioners(name):
    check_partitioner(PARTITIONERS[name].example, ("mesh:3x3",) if name in SLOW else MACHINES)


OTHERS = [
    *((check_policy, name) for name in POLICIES),
    *((check_run_times, rule.example) for rule in RUN_TIMES.values()),
    *((check_traffic, name) for name in PATTERNS),
    *((check_topology, network) for network in NETWORKS),
]


@pytest.mark.parametrize(("check", "rule"), OTHERS)
def test_other_rules(check, rule):
    check(rule)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications(name):
    options = {"problem_class": "S"} if "problem_class" in APPLICATIONS[name].parameters else {}
    if "iterations" in APPLICATIONS[name].parameters:
        options["iterations"] = 1
    if "flops" in APPLICATIONS[name].parameters:
        options["flops"] = 0
    if name in NPB:
        check_application(name, (1, 4), engines=("kernel",), **options)
    else:
        check_application(name, (1, 4, 8), **options)
