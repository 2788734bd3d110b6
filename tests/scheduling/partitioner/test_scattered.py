"""Scattered nodes, and what all partitioners but the boxes have in common."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.noncontiguous import RandomFree
from netplace.topologies import parse

MACHINES = {
    "non-contiguous": ("mesh:5x5", "tree:3,3"),
    "random": ("torus:3x3x3", "thintree:4,2,2"),
    "nearly-contiguous:25": ("tree:2,5", "tree:4,2"),
    "nearly-contiguous:100": ("tree:3,3", "tree:7,1"),
    "quasi-contiguous:0": ("tree:2,5", "thintree:3,2,3"),
    "quasi-contiguous:25": ("tree:2,5", "tree:4,2"),
    "quasi-contiguous:100": ("tree:3,3", "tree:7,1"),
    "curve": ("torus:6x5", "mesh:3x3x3"),
    "gen-alg+inc": ("torus:6x4", "tree:4,2"),
    "mm+inc": ("torus:6x4", "mesh:3x3x3"),
    "mc:cubic": ("torus:6x4", "mesh:5x5"),
    "mc1x1:greedy": ("torus:6x4", "mesh:5x5"),
    "line": ("mesh:24", "mesh:37"),
    "gabl": ("mesh:5x4", "torus:4x4"),
    "mbs": ("mesh:8x8", "torus:5x7"),
    "pss:levels": ("mesh:6x4", "tree:4,2"),
    "pss:levels,overlap": ("mesh:6x4", "torus:6x4"),
    "curve:row,first-fit": ("mesh:37", "twisted:8x4+3"),
    "curve:snake,sum-of-squares": ("torus:2x3x2x3", "mesh:4x4"),
}
CASES = [(text, machine) for text, machines in MACHINES.items() for machine in machines]


@pytest.mark.parametrize(("text", "machine"), CASES)
@PATIENT
@given(events=lives())
def test_jobs_get_free_nodes_as_many_as_they_need(text, machine, events):
    network = parse(machine)
    partitioner = make_partitioner(text, network, seed=1)
    count = 0
    for free, size, allocation in live(partitioner, network.nodes, events):
        count += 1
        if partitioner.by_count:
            assert (allocation is not None) == (size <= len(free))
        if allocation is not None:
            nodes = allocation.nodes.tolist()
            assert len(nodes) == len(set(nodes)) == size
            assert free.issuperset(nodes)
            assert allocation.nodes.dtype == np.int64
            assert allocation.shape is None or math.prod(allocation.shape) == size
            assert not allocation.mapping
    assert partitioner.searches == count


@pytest.mark.parametrize(("text", "machine"), CASES)
@PATIENT
@given(events=lives(events=15), size=st.integers(1, 12))
def test_a_copy_goes_its_own_way(text, machine, events, size):
    network = parse(machine)
    partitioner = make_partitioner(text, network, seed=1)
    for _ in live(partitioner, network.nodes, events):
        twin = partitioner.copy()
        first = twin.find(a_job(size))
        if first is not None:
            twin.take(first)
        second = partitioner.copy().find(a_job(size))
        assert (first is None) == (second is None)
        assert first is None or first.nodes.tolist() == second.nodes.tolist()


# Boxes take no list of nodes but one that they found.
@pytest.mark.parametrize(("text", "machine"), [case for case in CASES if case[0] not in ("gabl", "mbs")])
def test_what_is_held_cannot_be_taken(text, machine):
    partitioner = make_partitioner(text, parse(machine), seed=1)
    held = partitioner.find(a_job(2))
    partitioner.take(held)
    free = [node for node in range(6) if node not in held.nodes][:2]
    for nodes in ([*free, held.nodes[1]], [free[0], free[0]]):
        with pytest.raises(ValueError, match="is occupied already"):
            partitioner.take(Allocation(np.array(nodes)))
    with pytest.raises((ValueError, IndexError), match=r"is not in 0|or does not exist|out of bounds"):
        partitioner.take(Allocation(np.array([parse(machine).nodes])))
    with pytest.raises(ValueError, match="is free already"):
        partitioner.release(Allocation(np.array([*held.nodes, free[0]])))
    # Nothing has changed: what was held still is, and the rest is free.
    everything = parse(machine).nodes
    assert partitioner.free == everything - 2
    rest = [node for node in range(everything) if node not in held.nodes]
    partitioner.take(Allocation(np.array(rest)))
    partitioner.release(Allocation(np.arange(everything)))
    assert partitioner.free == everything


@PATIENT
@given(events=lives(events=60))
def test_non_contiguous_gives_the_first_free_nodes(events):
    for free, size, allocation in live(make_partitioner("non-contiguous", parse("mesh:6x6")), 36, events):
        if allocation is not None:
            assert allocation.nodes.tolist() == sorted(free)[:size]


def test_visited_nodes():
    partitioner = make_partitioner("non-contiguous", parse("mesh:10x10"))
    partitioner.take(partitioner.find(a_job(20)))
    assert partitioner.visited == 100
    assert partitioner.find(a_job(3)).nodes.tolist() == [20, 21, 22]
    assert partitioner.visited == 200
    assert partitioner.find(a_job(81)) is None
    assert partitioner.visited == 200


def test_every_choice_is_as_likely():
    rng = np.random.default_rng(4)
    drawn = Counter(tuple(RandomFree(4, rng).find(a_job(2)).nodes.tolist()) for _ in range(6000))
    # Six choices of two nodes; binomial with p = 1/6: standard deviation 29 of 1000.
    assert len(drawn) == 6
    assert max(abs(count - 1000) for count in drawn.values()) < 4 * 29


def test_random_depends_on_the_seed_alone():
    def drawn(seed):
        partitioner = make_partitioner("random", parse("torus:32x32"), seed=seed)
        partitioner.take(partitioner.find(a_job(100)))
        return partitioner.find(a_job(50)).nodes.tolist()

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize(
    ("text", "machine", "words"),
    [
        ("quasi-contigous:3", "tree:4,2", "did you mean quasi-contiguous"),
        ("quasi-contiguous:101", "tree:4,2", "quasi-contiguous:101: 101 is not a percentage from 0 to 100"),
        ("quasi-contiguous", "tree:4,2", "no threshold given, expected a form such as quasi-contiguous:20"),
        ("quasi-contiguous:20", "torus:4x4", "is defined on trees, not on torus:4x4"),
        ("random:3", "torus:4x4", "random: takes no option, but '3' was given"),
    ],
)
def test_a_mistake_is_one_sentence(text, machine, words):
    with pytest.raises(ValueError, match=words):
        make_partitioner(text, parse(machine))
