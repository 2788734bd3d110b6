"""GABL against a greedy choice over sets of places, written apart."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.topologies import parse

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


@pytest.mark.parametrize("machine", MACHINES)
@PATIENT
@given(events=lives())
def test_lives(machine, events):
    grid = parse(machine)
    for free, size, found in live(make_partitioner("gabl", grid), grid.nodes, events):
        assert (found is None) == (size > len(free))
        assert found is None or set(found.nodes.tolist()) <= free


@pytest.mark.parametrize("machine", ["tree:4,2", "twisted:6x3"])
def test_other_machines_are_refused(machine):
    with pytest.raises(ValueError, match="partitioner gabl: "):
        make_partitioner("gabl", parse(machine))
