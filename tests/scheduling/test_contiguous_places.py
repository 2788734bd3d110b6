"""Contiguity is a property of where nodes lie, whoever chose them."""

import itertools

import networkx as nx
import numpy as np
import pytest

from netplace.scheduling import Job, make_times, schedule
from netplace.scheduling.partitioner import Allocation, make_partitioner
from netplace.scheduling.record import Contiguity
from netplace.topologies import Graph, parse


def all_sets(nodes):
    """Return every set of nodes but the empty one."""
    return [
        np.array(some) for size in range(1, nodes + 1) for some in itertools.combinations(range(nodes), size)
    ]


def boxes(sizes, rings):
    """Return all boxes of a grid as sets of nodes."""
    along = []
    for size, ring in zip(sizes, rings, strict=True):
        starts = range(size)
        along.append(
            {
                frozenset((start + step) % size for step in range(length))
                for start in starts
                for length in range(1, size + 1)
                if ring or start + length <= size
            }
        )
    strides = np.cumprod([1, *sizes[:-1]])
    return {
        frozenset(int(np.dot(place, strides)) for place in itertools.product(*chosen))
        for chosen in itertools.product(*along)
    }


@pytest.mark.parametrize(
    ("machine", "sizes", "rings"),
    [
        ("mesh:9", (9,), (False,)),
        ("torus:9", (9,), (True,)),
        ("mesh:4x3", (4, 3), (False, False)),
        ("torus:3x4", (3, 4), (True, True)),
        ("torus:2x3x2", (2, 3, 2), (True, True, True)),
        ("twisted:4x3+2", (4, 3), (True, False)),
        ("hypercube:3", (2, 2, 2), (False, False, False)),
    ],
)
def test_on_grids_boxes_are_contiguous_and_nothing_else(machine, sizes, rings):
    every, contiguity = boxes(sizes, rings), Contiguity(parse(machine))
    for nodes in all_sets(int(np.prod(sizes))):
        assert contiguity.of(nodes) == (frozenset(nodes.tolist()) in every), nodes


@pytest.mark.parametrize(("machine", "levels"), [("tree:2,3", [1, 2, 4, 8]), ("thintree:3,2,2", [1, 3, 9])])
def test_on_trees_jobs_are_contiguous_in_the_least_subtree_with_room(machine, levels):
    contiguity = Contiguity(parse(machine))
    for nodes in all_sets(levels[-1]):
        size = next(size for size in levels if size >= len(nodes))
        assert contiguity.of(nodes) == (len(set(nodes // size)) == 1), nodes


def test_subtrees_of_a_tree_may_differ_in_size():
    contiguity = Contiguity(parse("xgft:2;2,3;1,2"))  # leaves of two nodes
    assert contiguity.of(np.array([2, 3]))
    assert not contiguity.of(np.array([1, 2]))
    assert contiguity.of(np.array([0, 3, 4]))  # three nodes need the whole tree


@pytest.mark.parametrize("machine", ["dragonfly:a=3,p=1,h=1", "dragonfly:a=2,p=2,h=1", "slimfly:5"])
def test_on_other_networks_connected_routers_are_contiguous(machine):
    topology = parse(machine)
    assert isinstance(topology, Graph)
    here, port = np.nonzero(topology.neighbor >= 0)
    links = nx.Graph(zip(here.tolist(), topology.neighbor[here, port].tolist(), strict=True))
    contiguity = Contiguity(topology)
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        nodes = rng.permutation(topology.nodes)[: rng.integers(1, 6)]
        homes = set(topology.home[nodes].tolist())
        connected = nx.is_connected(links.subgraph(homes)) or len(nodes) == 1
        assert contiguity.of(nodes) == connected, nodes
        seen.add(connected)
    assert seen == {True, False}


@pytest.mark.parametrize("partition", ["contiguous", "non-contiguous", "random", "pss"])
def test_jobs_side_by_side_are_not_slowed_whoever_placed_them(partition):
    machine = parse("mesh:8")
    jobs = [Job(1, 0, 4, 10), Job(2, 0, 4, 10), Job(3, 0, 1, 10), Job(4, 20, 8, 10)]
    made = schedule(
        machine, jobs, "fcfs", partition, times=make_times("slowed:1.3", machine), keep_nodes=True
    )
    for nodes, run, contiguous in zip(made.allocations, made.end - made.start, made.contiguous, strict=True):
        beside = np.ptp(nodes) == len(nodes) - 1
        assert contiguous == beside
        assert run == pytest.approx(10 if beside else 13)
    assert made.contiguous[2], "a single node"
    if partition != "random":
        assert made.contiguous.all()


@pytest.mark.parametrize(
    ("machine", "partition"),
    [
        ("torus:5x4", "contiguous:round-up"),
        ("mesh:4x3x2", "contiguous:cubic,round-up"),
        ("tree:3,3", "contiguous"),
    ],
)
def test_what_contiguous_partitioners_choose_is_contiguous(machine, partition):
    topology, rng = parse(machine), np.random.default_rng(3)
    partitioner, contiguity, held = make_partitioner(partition, topology), Contiguity(topology), []
    for _ in range(200):
        allocation = partitioner.find(Job(1, 0, int(rng.integers(1, 9)), 1))
        if allocation is not None:
            assert contiguity.of(allocation.nodes)
            partitioner.take(allocation)
            held.append(allocation)
        if held and (allocation is None or rng.random() < 0.4):
            partitioner.release(held.pop(int(rng.integers(len(held)))))


def test_factors_follow_the_nodes():
    machine = parse("torus:4x4")
    times = make_times("factors:0.8,1.3", machine)
    job = Job(1, 0, 4, 10)
    around = Allocation(np.array([15, 12, 3, 0]))  # a box past the ends of both rings
    assert times.seconds(job, around) == pytest.approx(8)
    assert times.seconds(job, Allocation(np.array([0, 5, 10, 15]))) == pytest.approx(13)
    assert times.seconds(Job(1, 0, 1, 10), Allocation(np.array([3]))) == 10
    assert times.longest(job) == pytest.approx(13)


def test_nodes_that_a_machine_does_not_have_are_refused():
    for machine in ("torus:4x4", "tree:2,3", "dragonfly:a=2,p=2,h=1"):
        topology = parse(machine)
        for nodes in ([0, topology.nodes], [-1, 0]):
            with pytest.raises(ValueError, match="nodes"):
                Contiguity(topology).of(np.array(nodes))
