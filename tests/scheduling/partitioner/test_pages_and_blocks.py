"""Paging and the multiple buddy system."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.topologies import parse


@PATIENT
@given(events=lives(events=25))
def test_paging_of_single_nodes_is_the_sorted_free_list(events):
    for free, size, allocation in live(make_partitioner("paging:0", parse("mesh:6x4")), 24, events):
        if allocation is None:
            assert size > len(free)
        else:
            assert allocation.nodes.tolist() == sorted(free)[:size]


@pytest.mark.parametrize("machine", ["mesh:8x8", "torus:5x7", "mesh:4x4x4"])
@PATIENT
@given(sizes=st.lists(st.integers(1, 20), max_size=8))
def test_jobs_get_whole_pages(machine, sizes):
    grid = parse(machine)
    partitioner = make_partitioner("paging:1,snake", grid)
    pages: set[tuple[int, ...]] = set()
    for size in sizes:
        found = partitioner.find(a_job(size))
        assert (found is None) == (size > partitioner.free)
        if found is None:
            continue
        mine = {tuple(place) for place in (grid.coordinates(found.nodes) // 2).tolist()}
        whole = sum(tuple(place) in mine for place in (grid.coordinates(range(grid.nodes)) // 2).tolist())
        assert len(found.nodes) == whole >= size
        assert not mine & pages
        pages |= mine
        partitioner.take(found)


def test_pages_in_their_order():
    partitioner = make_partitioner("paging:1", parse("mesh:4x4"))
    first = partitioner.find(a_job(3))
    assert first.nodes.tolist() == [0, 1, 4, 5]
    partitioner.take(first)
    assert (partitioner.free, partitioner.find(a_job(5)).nodes.tolist()) == (12, [2, 3, 6, 7, 8, 9, 12, 13])
    partitioner.release(first)
    assert partitioner.free == 16


@pytest.mark.parametrize("machine", ["mesh:8x8", "torus:5x7", "mesh:4x3x2", "mesh:24"])
@PATIENT
@given(events=lives(events=25))
def test_lives_of_buddies(machine, events):
    grid = parse(machine)
    for free, size, allocation in live(make_partitioner("mbs", grid), grid.nodes, events):
        assert (allocation is None) == (size > len(free))
        assert allocation is None or len(set(allocation.nodes.tolist()) & free) == size == len(
            allocation.nodes
        )


def test_blocks_of_a_request():
    partitioner = make_partitioner("mbs", parse("mesh:4x4"))
    nine = partitioner.find(a_job(9))  # 2 * 4 + 1
    assert nine.nodes.tolist() == [0, 1, 4, 5, 2, 3, 6, 7, 8]
    partitioner.take(nine)
    assert partitioner.find(a_job(4)).nodes.tolist() == [10, 11, 14, 15]
    assert partitioner.find(a_job(1)).nodes.tolist() == [9]
    partitioner.take(partitioner.find(a_job(4)))
    assert partitioner.find(a_job(3)).nodes.tolist() == [9, 12, 13]
    partitioner.release(nine)
    assert partitioner.find(a_job(4)).nodes.tolist() == [0, 1, 4, 5]


@pytest.mark.parametrize(
    ("text", "machine", "told"),
    [
        ("paging:x", "mesh:8x8", "size: 'x' is not a whole number"),
        ("paging:4", "mesh:8x5", "size: 4 is too large, expected at most 3"),
        ("paging:1,hilbrt", "mesh:8x8", "did you mean hilbert"),
        ("mbs", "tree:4,2", "meshes and tori"),
    ],
)
def test_mistakes(text, machine, told):
    with pytest.raises(ValueError, match=told):
        make_partitioner(text, parse(machine))
