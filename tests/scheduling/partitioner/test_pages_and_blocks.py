"""Paging, the multiple buddy system, and GABL against a greedy choice over sets of places."""

import itertools
import math

import numpy as np
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
        ("mbs", "tree:4,2", "meshes and tori"),
        ("gabl", "tree:4,2", "partitioner gabl: "),
        ("gabl", "twisted:6x3", "partitioner gabl: "),
    ],
)
def test_mistakes(text, machine, told):
    with pytest.raises(ValueError, match=told):
        make_partitioner(text, parse(machine))


MACHINES = ("mesh:5x4", "torus:4x4", "mesh:3x3x2", "mesh:12")


def box(grid, base, shape):
    """Return the nodes of a box, or None if it leaves a mesh."""
    places = np.array(list(itertools.product(*map(range, shape)))) + grid.coordinates(base)
    if not grid.wraps and (places >= grid.sizes).any():
        return None
    return set(((places % grid.sizes) @ np.cumprod([1, *grid.sizes[:-1]])).tolist())


def first(grid, free, shape):
    return next(
        (nodes for base in range(grid.nodes) if (nodes := box(grid, base, shape)) and nodes <= free), None
    )


def greedy(grid, free, size):
    """Return the nodes of the pieces, one set a piece."""
    every = list(itertools.product(*(range(1, side + 1) for side in grid.sizes)))
    request = next(
        min(boxes, key=lambda shape: (sum(shape), [-side for side in shape]))
        for count in range(size, grid.nodes + 1)
        if (boxes := [shape for shape in every if math.prod(shape) == count])
    )
    if math.prod(request) == size:
        for turned in sorted(set(itertools.permutations(request)), reverse=True):
            if all(side <= most for side, most in zip(turned, grid.sizes, strict=True)) and (
                whole := first(grid, free, turned)
            ):
                return [whole]
    pieces, sides, left = [], request, size
    while left:
        fitting = [
            (math.prod(shape), shape)
            for shape in every
            if math.prod(shape) <= left and all(a <= b for a, b in zip(shape, sides, strict=True))
        ]
        _, sides = max((volume, shape) for volume, shape in fitting if first(grid, free, shape))
        pieces.append(first(grid, free, sides))
        free = free - pieces[-1]
        left -= len(pieces[-1])
    return pieces


@pytest.mark.parametrize("machine", MACHINES)
@PATIENT
@given(data=st.data())
def test_the_largest_free_boxes_within_those_before(machine, data):
    grid = parse(machine)
    made = make_partitioner("gabl", grid)
    held = data.draw(st.sets(st.integers(0, grid.nodes - 1), max_size=grid.nodes - 1))
    made._mark(np.array(sorted(held), np.int64), False)
    free = set(range(grid.nodes)) - held
    size = data.draw(st.integers(1, len(free)))
    found = made.find(a_job(size))
    pieces = greedy(grid, free, size)
    nodes = found.nodes.tolist()
    assert [set(nodes[: len(pieces[0])]), set(nodes)] == [pieces[0], set().union(*pieces)]
    assert len(set(nodes)) == len(nodes) == size
    assert (found.shape is not None) == (len(pieces) == 1 and math.prod(found.shape or (0,)) == size)
    assert made.find(a_job(len(free) + 1)) is None
