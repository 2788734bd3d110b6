"""Contiguous partitioners: exact searches against a scan written here, and accounts of what is held."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.experiments.first_fit import searches
from netplace.experiments.first_fit.searches import NaiveFirstFit
from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.contiguous import SEARCHES as OURS
from netplace.scheduling.partitioner.contiguous import Boxes
from netplace.scheduling.record import Contiguity
from netplace.topologies import parse

SEARCHES = OURS | searches.SEARCHES

EXACT = ["adaptive-scan", "contiguous", "iff", "naive", "zff"]
# Most sides by number of dimensions; the first crosses the borders of bytes and words.
SIDES = {1: 200, 2: 12, 3: 6, 4: 4, 5: 3, 6: 2}
FIRST = {1: 200, 2: 140, 3: 70, 4: 18, 5: 9, 6: 5}


@st.composite
def machines(draw, kinds=("mesh", "torus"), dims=(2, 3, 1, 4, 5, 6)):
    count = draw(st.sampled_from(dims))
    sides = [draw(st.integers(1, FIRST[count]))]
    sides += draw(st.lists(st.integers(1, SIDES[count]), min_size=count - 1, max_size=count - 1))
    return parse(f"{draw(st.sampled_from(kinds))}:{'x'.join(map(str, sides))}")


def box(grid, base, shape):
    """Return the nodes of a box as a set, or None if it leaves a mesh."""
    start = grid.coordinates(base).tolist()
    nodes = set()
    for step in itertools.product(*map(range, shape)):
        place = [x + s for x, s in zip(start, step, strict=True)]
        if not grid.wraps and any(x >= size for x, size in zip(place, grid.sizes, strict=True)):
            return None
        node, stride = 0, 1
        for x, size in zip(place, grid.sizes, strict=True):
            node += x % size * stride
            stride *= size
        nodes.add(node)
    return nodes


def first_base(held, grid, shape):
    """Return the first base of a free box, `held` being a grid of bool with the last dimension first."""
    steps = list(itertools.product(*map(range, reversed(shape))))
    free = np.ones(held.shape, bool)
    for step in steps:
        free &= ~np.roll(held, [-s for s in step], range(held.ndim))
    if not grid.wraps:
        for axis, side in enumerate(reversed(shape)):
            inside = np.arange(held.shape[axis]) <= held.shape[axis] - side
            free &= inside.reshape([-1 if a == axis else 1 for a in range(held.ndim)])
    found = np.flatnonzero(free)
    return int(found[0]) if len(found) else -1


@st.composite
def stories(draw, **options):
    """Return a machine, seed and share of single nodes held before, and steps: a shape, or a release."""
    grid = draw(machines(**options))
    shapes = st.tuples(*(st.integers(1, size) for size in grid.sizes))
    small = st.tuples(*(st.integers(1, min(3, size)) for size in grid.sizes))
    flat = st.tuples(st.integers(1, grid.sizes[0]), *(st.just(1) for _ in grid.sizes[1:]))
    steps = draw(st.lists(st.one_of(small, shapes, flat, st.integers(0, 99)), min_size=1, max_size=12))
    return grid, draw(st.integers(0, 999)), draw(st.sampled_from([0.0, 0.02, 0.2, 0.5])), steps


def play(searches, story):
    """Take, release and ask again, the same in all searches; compare each answer with the scan."""
    grid, seed, share, steps = story
    held = np.zeros(grid.sizes[::-1], bool)
    unit = (1,) * grid.dims
    for node in np.flatnonzero(np.random.default_rng(seed).random(grid.nodes) < share).tolist():
        held.flat[node] = True
        for search in searches:
            search.take(node, unit)
    boxes = []
    for step in steps:
        if isinstance(step, int):
            if boxes:
                base, shape = boxes.pop(step % len(boxes))
                held.flat[list(box(grid, base, shape))] = False
                for search in searches:
                    search.release(base, shape)
            continue
        base = first_base(held, grid, step)
        for search in searches:
            assert search.first(step) == base, type(search).__name__
        if base >= 0:
            boxes.append((base, step))
            held.flat[list(box(grid, base, step))] = True
            for search in searches:
                search.take(base, step)


@given(stories())
def test_exact_searches_return_the_base_of_the_naive_scan(story):
    play([SEARCHES[name](story[0]) for name in EXACT], story)


@given(machine=machines(dims=(2, 3)), seed=st.integers(0, 999), data=st.data())
def test_naive_counts_what_a_walk_looks_at(machine, seed, data):
    search, held = NaiveFirstFit(machine), np.random.default_rng(seed).random(machine.nodes) < 0.3
    for node in np.flatnonzero(held).tolist():
        search.take(node, (1,) * machine.dims)
    shape = tuple(data.draw(st.integers(1, min(3, size))) for size in machine.sizes)
    looked = 0
    for base in range(machine.nodes):
        if box(machine, base, shape) is not None:
            start = machine.coordinates(base)
            steps = np.array(list(itertools.product(*map(range, shape[::-1]))))[:, ::-1]  # along X first
            places = (start + steps) % machine.sizes
            taken = held[np.ravel_multi_index(places.T[::-1], machine.sizes[::-1])]
            looked += int(taken.argmax()) + 1 if taken.any() else len(taken)
            if not taken.any():
                break
    search.first(shape)
    assert search.visited == looked


@given(machine=machines(dims=(2, 3)), seed=st.integers(0, 999), data=st.data())
def test_best_fit_takes_the_first_box_in_the_smallest_region(machine, seed, data):
    """By definition: a box from every base, and regions by flooding the network's own links."""
    search = SEARCHES["zbf"](machine)
    held = np.random.default_rng(seed).random(machine.nodes) < 0.45
    for node in np.flatnonzero(held).tolist():
        search.take(node, (1,) * machine.dims)
    shape = tuple(data.draw(st.integers(1, min(2, size))) for size in machine.sizes)
    links = nx.Graph(machine.to_networkx()).subgraph(np.flatnonzero(~held).tolist())
    region = {node: len(part) for part in nx.connected_components(links) for node in part}
    bases = [
        node
        for node in range(machine.nodes)
        if (nodes := box(machine, node, shape)) is not None and not held[list(nodes)].any()
    ]
    assert search.first(shape) == min(bases, key=lambda base: (region[base], base), default=-1)
    assert search.visited == machine.nodes


@given(stories(kinds=("mesh",), dims=(2,)))
def test_right_borders_return_the_base_of_the_naive_scan(story):
    play([SEARCHES["rbs"](story[0])], story)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("mesh:1024x96", [(16, 16), (17, 16), (64, 3), (65, 40), (130, 7), (1024, 1)]),
        ("torus:300x40", [(16, 16), (17, 5), (290, 3), (65, 40), (300, 1), (300, 40)]),
        ("torus:16x16x16x16", [(3, 4, 5, 2), (16, 1, 16, 1), (9, 9, 2, 11), (16, 16, 16, 16)]),
        ("mesh:32x32x32", [(3, 4, 5), (32, 1, 9), (17, 31, 2), (1, 1, 32)]),
    ],
)
def test_larger_machines(text, shapes):
    grid = parse(text)
    rng = np.random.default_rng(5)
    search, other = (SEARCHES[name](grid) for name in ("contiguous", "zff"))
    held, boxes = np.zeros(grid.sizes[::-1], bool), []
    for _ in range(120):
        if boxes and rng.random() < 0.45:
            base, shape = boxes.pop(rng.integers(len(boxes)))
            search.release(base, shape)
            other.release(base, shape)
            held.flat[list(box(grid, base, shape))] = False
            continue
        shape = shapes[rng.integers(len(shapes))]
        base = search.first(shape)
        assert base == other.first(shape)
        if base >= 0:
            nodes = list(box(grid, base, shape))
            assert not held.flat[nodes].any()
            held.flat[nodes] = True
            boxes.append((base, shape))
            search.take(base, shape)
            other.take(base, shape)
    assert search.visited < other.visited


MACHINES = {"buddy": "mesh:16x16", "rbs": "mesh:16x11", "frame-sliding": "mesh:16x11"}


@pytest.mark.parametrize("name", SEARCHES)
@given(steps=st.lists(st.one_of(st.integers(1, 40), st.integers(-99, -1)), min_size=1, max_size=30))
def test_no_node_is_held_twice(name, steps):
    grid = parse(MACHINES.get(name, "torus:5x4x6"))
    partitioner, contiguity = make_partitioner(f"{name}:round-up", grid), Contiguity(grid)
    held, given_out = set(), []
    for number, step in enumerate(steps):
        if step < 0:
            if given_out:
                allocation = given_out.pop(step % len(given_out))
                partitioner.release(allocation)
                held -= set(allocation.nodes.tolist())
        else:
            before = partitioner.free
            allocation = partitioner.find(Job(number, 0.0, step, 1.0))
            assert partitioner.free == before
            if allocation is not None:
                nodes = allocation.nodes.tolist()
                assert len(nodes) == math.prod(allocation.shape) >= step
                assert set(nodes) == box(grid, nodes[0], allocation.shape)
                assert contiguity.of(allocation.nodes)
                assert not held & set(nodes)
                partitioner.take(allocation)
                given_out.append(allocation)
                held |= set(nodes)
        assert partitioner.free == grid.nodes - len(held)
    for allocation in given_out:
        partitioner.release(allocation)
    whole = partitioner.find(Job(99, 0.0, grid.nodes, 1.0))
    assert whole is not None
    assert sorted(whole.nodes.tolist()) == list(range(grid.nodes))
    assert partitioner.searches == 1 + sum(step > 0 for step in steps)


def test_nodes_go_along_x_first_and_round_the_ring():
    boxes = [((2, 2), "td"), ((3, 1), ""), ((2, 3), "")]
    partitioner = Boxes(parse("torus:4x3"), SEARCHES["contiguous"], lambda job: [boxes[job.number]])
    square, row, block = (Job(number, 0.0, math.prod(boxes[number][0]), 1.0) for number in range(3))
    found = partitioner.find(square)
    assert (found.nodes.tolist(), found.mapping) == ([0, 1, 4, 5], "td")
    partitioner.take(partitioner.find(row))
    assert partitioner.find(block) is None
    across = partitioner.find(square)
    assert across.nodes.tolist() == [4, 5, 8, 9]
    partitioner.take(across)
    assert partitioner.find(square).nodes.tolist() == [6, 7, 10, 11]
    partitioner.release(across)
    search = SEARCHES["contiguous"](parse("torus:4x3"))
    search.take(1, (2, 1))
    assert search.first((2, 3)) == 3
    assert native.box_nodes(np.array([4, 3]), 3, np.array([2, 3])).tolist() == [3, 0, 7, 4, 11, 8]


def test_frames_slide_by_their_sides():
    search = SEARCHES["frame-sliding"](parse("mesh:6x6"))
    assert search.first((2, 2)) == 0
    search.take(0, (1, 1))
    assert search.first((2, 2)) == 1
    search.take(2, (1, 1))
    # The next frame from node 1 is at node 3; that at node 4 is not looked at.
    search.take(3, (1, 1))
    assert search.first((2, 2)) == 13
    assert SEARCHES["naive"](parse("mesh:6x6")).first((2, 2)) == 0


def test_frames_miss_boxes():
    grid = parse("mesh:4x4")
    frames, exact = SEARCHES["frame-sliding"](grid), SEARCHES["contiguous"](grid)
    for search in (frames, exact):
        search.take(3, (1, 4))
        search.take(0, (1, 1))
        search.take(6, (1, 1))
    assert exact.first((3, 2)) == 8
    assert frames.first((3, 2)) == -1


def test_buddies_split_and_join():
    buddies = SEARCHES["buddy"](parse("mesh:4x4"))
    assert buddies.granted((3, 1)) == (4, 4)
    assert buddies.granted((2, 1)) == (2, 2)
    taken = []
    for _ in range(4):
        taken.append(buddies.first((2, 2)))
        buddies.take(taken[-1], (2, 2))
    assert taken == [0, 2, 8, 10]
    assert buddies.first((1, 1)) == -1
    for base in taken[::-1]:
        buddies.release(base, (2, 2))
    assert buddies.first((4, 4)) == 0


def test_visits_grow_with_the_machine_for_zhu_and_with_the_boxes_for_borders():
    grid = parse("mesh:32x32")
    zhu, borders = SEARCHES["zff"](grid), SEARCHES["rbs"](grid)
    for search in (zhu, borders):
        assert search.first((4, 4)) == 0
    assert zhu.visited == 2 * 1024 + 1
    assert borders.visited == 0
    borders.take(0, (4, 4))
    assert borders.first((4, 4)) == 4
    assert borders.visited > 0


@pytest.mark.parametrize(
    ("name", "machine", "words"),
    [
        ("contiguous", "twisted:8x4", "meshes and tori, not on twisted:8x4"),
        ("rbs", "torus:4x4", "2-D meshes, not on torus:4x4"),
        ("buddy", "mesh:8x4", "one power of two, not on mesh:8x4"),
    ],
)
def test_machines_that_a_search_is_not_for(name, machine, words):
    with pytest.raises(ValueError, match=words):
        make_partitioner(name, parse(machine))


def test_boxes_that_are_held_already_or_not_at_all():
    partitioner = make_partitioner("contiguous", parse("mesh:4x4"))
    allocation = partitioner.find(Job(1, 0.0, 4, 1.0))
    partitioner.take(allocation)
    with pytest.raises(ValueError, match="node 0: this box is occupied already"):
        partitioner.take(allocation)
    partitioner.release(allocation)
    with pytest.raises(ValueError, match="node 0: no job occupies this box"):
        partitioner.release(allocation)
