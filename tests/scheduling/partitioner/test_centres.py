"""Algorithms that look at distances: bounds that are proven for them, and slow versions written apart."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lives import PATIENT, a_job

from netplace.native import scheduling
from netplace.placement.compactness import pairwise_sum
from netplace.scheduling.partitioner import Allocation, make_partitioner
from netplace.scheduling.partitioner.centres.algorithms import (
    best_centre,
    best_of_batch,
    fits_batch,
    intersections,
)
from netplace.scheduling.partitioner.centres.space import Axes, space_of
from netplace.topologies import parse

SMALL = (
    "mesh:6x3",
    "torus:6x3",
    "mesh:3x3x2",
    "torus:3x3x2",
    "mesh:18",
    "torus:2x2x2x2",
    "tree:4,2",
    "dragonfly:a=3,p=2,h=1",
)
BY_DISTANCE = ("gen-alg", "gen-alg+inc", "mm", "mm+inc", "mc1x1", "optimal")


def works(text: str, machine: str) -> bool:
    try:
        make_partitioner(text, parse(machine))
    except ValueError:
        return False
    return True


def chosen(text: str, machine: str, free, size: int):
    """Return what a partitioner chooses among these free nodes."""
    network = parse(machine)
    partitioner = make_partitioner(text, network)
    if rest := sorted(set(range(network.nodes)) - set(free)):
        partitioner.take(Allocation(np.array(rest)))
    found = partitioner.choose(size)
    assert set(found.nodes.tolist()) <= set(free)
    assert len(set(found.nodes.tolist())) == size
    assert found.nodes.tolist() == sorted(found.nodes.tolist())
    return found


def least(machine: str, free, size: int) -> tuple[int, list[int]]:
    """Return the least sum over pairs of all subsets, and the first subset that has it."""
    distance = parse(machine).distances(sorted(free)).astype(int)
    best = min(
        (sum(distance[a][b] for a, b in itertools.combinations(some, 2)), some)
        for some in itertools.combinations(range(len(free)), size)
    )
    return int(best[0]), [sorted(free)[i] for i in best[1]]


def states(machine: str):
    nodes = parse(machine).nodes
    free = st.sets(st.integers(0, nodes - 1), min_size=2, max_size=14)
    return st.tuples(free, st.integers(2, 6)).filter(lambda state: state[1] <= len(state[0]))


@pytest.mark.parametrize("machine", SMALL)
@PATIENT
@given(data=st.data())
def test_guarantees(machine, data):
    """The bounds of the two papers, against all subsets."""
    free, size = data.draw(states(machine))
    optimum, nodes = least(machine, free, size)
    network, mesh = parse(machine), machine.startswith("mesh")
    costs = {
        text: pairwise_sum(network, chosen(text, machine, free, size).nodes)
        for text in BY_DISTANCE
        if works(text, machine)
    }
    best = chosen("optimal", machine, free, size)
    assert (best.cost, best.nodes.tolist()) == (optimum, nodes)
    assert costs["gen-alg"] <= (2 - 2 / size) * optimum
    assert costs["gen-alg+inc"] <= costs["gen-alg"]
    if "mm" in costs:
        assert costs["mm+inc"] <= costs["mm"] <= costs["gen-alg"]
    if mesh:
        dims = network.dims
        assert costs["mm"] <= (2 - 1 / (2 * dims)) * optimum
        assert costs["mc1x1"] <= dims * (2 - 1 / (2 * dims)) * optimum


@PATIENT
@given(data=st.data())
def test_on_a_line_consecutive_nodes_are_best(data):
    free, size = data.draw(states("mesh:18"))
    found = chosen("line", "mesh:18", free, size)
    assert found.cost == least("mesh:18", free, size)[0] == pairwise_sum(parse("mesh:18"), found.nodes)
    ordered = sorted(free)
    start = ordered.index(found.nodes[0])
    assert found.nodes.tolist() == ordered[start : start + size]


@cache
def distances(machine: str) -> np.ndarray:
    return parse(machine).distances().astype(int)


def slow_centre(machine: str, free, size: int, centres) -> tuple[int, int, list[int]]:
    """Return cost, centre and nodes of the best centre: the definition, word by word."""
    distance = distances(machine)
    found = []
    for centre in sorted(centres):
        nodes = sorted(sorted(free, key=lambda node: (distance[centre][node], node))[:size])
        found.append((int(distance[np.ix_(nodes, nodes)].sum()) // 2, centre, nodes))
    return min(found, key=lambda one: one[:2])


MEDIUM = (
    "mesh:7x5",
    "torus:7x5",
    "torus:6x6",
    "mesh:4x4x3",
    "torus:4x4x3",
    "torus:3x3x2x2",
    "mesh:40",
    "torus:40",
)


@pytest.mark.parametrize("machine", MEDIUM)
@PATIENT
@given(data=st.data())
def test_median_and_nearest_by_definition(machine, data):
    grid = parse(machine)
    free = data.draw(st.sets(st.integers(0, grid.nodes - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    places = grid.coordinates(sorted(free))
    met = {
        int(grid.node(np.array(p))) for p in itertools.product(*(set(column) for column in places.T.tolist()))
    }
    for text, centres in (("gen-alg", free), ("mm", met)):
        found = chosen(text, machine, free, size)
        assert (found.cost, found.centre, found.nodes.tolist()) == slow_centre(machine, free, size, centres)


LARGER = (
    "mesh:7", "torus:8", "mesh:4x1x5", "mesh:19x11", "torus:18x12", "mesh:7x6x5", "torus:8x7x5",
    "torus:6x5x3x2", "torus:9x9x9", "mesh:3x120", "torus:4x140", "mesh:300", "torus:301", "torus:9x7,c=3",
    "mesh:6x5x4,c=4", "torus:20x6,c=5", "mesh:26x5,c=6",
)  # fmt: skip


@pytest.mark.parametrize("machine", LARGER)
@PATIENT
@given(seed=st.integers(0, 2**32 - 1), held=st.sampled_from(("spread", "boxes")), data=st.data())
def test_side_by_side_is_chosen_as_one_by_one(machine, seed, held, data):
    """On machines held here and there, or in boxes as jobs leave them."""
    grid, rng = parse(machine), np.random.default_rng(seed)
    space = space_of(grid, "a test")
    here = np.ones(grid.nodes, bool)
    if held == "spread":
        here = rng.random(grid.nodes) < data.draw(st.sampled_from((0.03, 0.3, 0.9)))
    else:
        for _ in range(data.draw(st.integers(1, 12))):
            beyond = space.axes.places.T - rng.integers(space.axes.sizes)
            sides = rng.integers(1, space.axes.sizes // 2 + 2)
            here &= ~((beyond >= 0) & (beyond < sides)).all(axis=1)
    free = np.flatnonzero(here)
    assume(len(free) > 1)
    size = data.draw(st.integers(1, len(free)))
    for centres in (free, intersections(space, free)):
        wanted = best_centre(space.axes, free, centres, size)[0]
        assert best_of_batch(space, free, centres, size) == wanted


@pytest.mark.parametrize(
    ("machine", "size"), [("mesh:2500", 2100), ("torus:33x32x32", 700), ("mesh:130x130,c=2", 33_000)]
)
def test_many_nodes_are_chosen_as_one_by_one(machine, size):
    """Where numbers of nodes take more than 16 bits, or sums over pairs more than 32."""
    space, rng = space_of(parse(machine), "a test"), np.random.default_rng(7)
    free = np.flatnonzero(rng.random(space.topology.nodes) < 0.99)
    centres = np.sort(rng.choice(free, 150, replace=False))
    wanted = best_centre(space.axes, free, centres, size)[0]
    assert best_of_batch(space, free, centres, size) == wanted


def test_what_does_not_fit_side_by_side():
    assert fits_batch(space_of(parse("mesh:4096"), "a test"))
    assert not fits_batch(space_of(parse("mesh:32768"), "a test"))
    assert not fits_batch(space_of(parse("tree:4,2"), "a test", metric=True))


@pytest.mark.parametrize(
    "machine", ["tree:3,3", "dragonfly:a=3,p=2,h=1", "twisted:8x4", "hyperx:3x3,c=3", "xgft:2;3,6;1,2"]
)
@PATIENT
@given(data=st.data())
def test_nearest_on_other_networks_by_definition(machine, data):
    free = data.draw(st.sets(st.integers(0, parse(machine).nodes - 1), min_size=1, max_size=20))
    size = data.draw(st.integers(1, len(free)))
    found = chosen("gen-alg", machine, free, size)
    assert (found.cost, found.centre, found.nodes.tolist()) == slow_centre(machine, free, size, free)
    swapped = chosen("gen-alg+inc", machine, free, size)
    assert swapped.cost == pairwise_sum(parse(machine), swapped.nodes) <= found.cost


@pytest.mark.parametrize(
    "machine", ["mesh:6x5", "torus:5x4x3", "tree:3,3", "dragonfly:a=3,p=2,h=1", "torus:4x3,c=2"]
)
@PATIENT
@given(seed=st.integers(0, 2**32 - 1))
def test_the_best_swap_is_the_first_of_all(machine, seed):
    network, rng = parse(machine), np.random.default_rng(seed)
    space = space_of(network, "a test", metric=True)
    hops = space.hops(np.arange(network.nodes)[:, None], np.arange(network.nodes)).astype(np.int64)
    assert hops.max() <= scheduling.farthest(space.axes.compiled)
    drawn = rng.permutation(network.nodes)[: rng.integers(2, network.nodes + 1)]
    size = rng.integers(1, len(drawn))
    chosen, others = np.sort(drawn[:size]), np.sort(drawn[size:])
    near, far = hops[np.ix_(chosen, chosen)].sum(axis=1), hops[np.ix_(others, chosen)].sum(axis=1)
    change = far - near[:, None] - hops[np.ix_(chosen, others)]
    leaving, entering = np.unravel_index(change.argmin(), change.shape)
    found = scheduling.least_swap(
        space.axes.compiled, chosen, others, near, far, scheduling.farthest(space.axes.compiled)
    )
    assert found == (leaving, entering, change.min())


def slow_shells(grid, centre: int, nodes, shape) -> list[int]:
    """Return the shell of each node: the first grown box that it is in."""

    def inside(node: int, grown: int) -> bool:
        for here, there, side, size in zip(
            grid.coordinates(node).tolist(), grid.coordinates(centre).tolist(), shape, grid.sizes, strict=True
        ):
            reach = range(-((side - 1) // 2) - grown, side // 2 + grown + 1)
            gaps = [gap for gap in reach if not grid.wraps or -size < 2 * gap <= size]
            if not any((there + gap) % size == here if grid.wraps else there + gap == here for gap in gaps):
                return False
        return True

    return [next(grown for grown in itertools.count() if inside(node, grown)) for node in nodes]


@pytest.mark.parametrize(
    "machine", ["mesh:7x5", "torus:7x5", "torus:6x4", "mesh:4x3x3", "torus:4x3x3", "torus:9"]
)
@PATIENT
@given(data=st.data())
def test_shells_by_definition(machine, data):
    grid = parse(machine)
    free = sorted(data.draw(st.sets(st.integers(0, grid.nodes - 1), min_size=1)))
    shape = [data.draw(st.integers(1, size)) for size in grid.sizes]
    size = data.draw(st.integers(1, len(free)))
    assume(size <= math.prod(shape))
    shells = {centre: slow_shells(grid, centre, free, shape) for centre in free}
    cost, centre = min((sum(sorted(shells[centre])[:size]), centre) for centre in free)
    for tie in ("distance", "number"):
        found = chosen(f"mc:{'x'.join(map(str, shape))},{tie}", machine, free, size)
        assert (found.cost, found.centre) == (cost, centre)
        hops = grid.distance(centre, free).tolist() if tie == "distance" else [0] * len(free)
        order = sorted(range(len(free)), key=lambda i: (shells[centre][i], hops[i], free[i]))
        assert found.nodes.tolist() == sorted(free[i] for i in order[:size])


@pytest.mark.parametrize("machine", ["mesh:5x5", "torus:3x3x3", "tree:4,2"])
@PATIENT
@given(data=st.data())
def test_no_swap_lessens_what_was_improved(machine, data):
    network = parse(machine)
    free = data.draw(st.sets(st.integers(0, network.nodes - 1), min_size=2))
    size = data.draw(st.integers(1, len(free)))
    for text in ("mm+inc", "gen-alg+inc"):
        if works(text, machine):
            found = chosen(text, machine, free, size)
            nodes = set(found.nodes.tolist())
            assert found.cost == pairwise_sum(network, found.nodes)
            for out, new in itertools.product(nodes, free - nodes):
                assert pairwise_sum(network, sorted(nodes - {out} | {new})) >= found.cost


def test_the_tight_example_of_manhattan_median():
    """Lemma 4 of Bender et al.: MM comes near 2 - 1/(2d) times the optimum; points scaled by 1/eps."""
    for dims, scale, wanted in ((2, 100, 1.737), (3, 20, 1.75)):
        origin, step = np.zeros(dims, int), np.eye(dims, dtype=int) * scale
        heaps = [origin, step[0]]
        near = scale - 1
        single = [-near * step[0] // scale, step[0] + near * step[0] // scale]
        for axis in range(1, dims):
            side = near * step[axis] // scale
            single += [side, -side, step[0] + side, step[0] - side]
        # k/2 points each at two heaps, k/(4d) at each of 4d others: here k = 8 d, so 4 d and 2.
        points = np.array(
            [heap for heap in heaps for _ in range(4 * dims)] + [p for p in single for _ in range(2)]
        )
        k = 8 * dims
        optimum = (k // 2) ** 2 * scale
        met = np.array(list(itertools.product(*(sorted(set(column)) for column in points.T.tolist()))))
        places = np.ascontiguousarray(np.concatenate([points, met]).T) + scale
        axes = Axes(places, np.zeros(dims, np.int64), places.max(axis=1) + 1)
        nodes = np.arange(places.shape[1])
        _, cost, _ = best_centre(axes, nodes[: len(points)], nodes[len(points) :], k)
        assert cost / optimum == pytest.approx(wanted, abs=0.02)
        assert cost / optimum < 2 - 1 / (2 * dims)


@pytest.mark.parametrize(
    ("text", "machine", "told"),
    [
        ("mc1x1", "dragonfly:a=4,p=2,h=2", "mc1x1: is defined on meshes and tori, not on dragonfly:a=4"),
        ("line", "torus:8", "meshes of one dimension"),
        ("mc:5", "mesh:8x8", "expected 2 sides that fit"),
    ],
)
def test_mistakes(text, machine, told):
    with pytest.raises(ValueError, match=told):
        make_partitioner(text, parse(machine))


def test_a_job_larger_than_its_box():
    with pytest.raises(ValueError, match="26 nodes are more than the 25 of partitioner mc:5x5"):
        make_partitioner("mc:5x5", parse("mesh:8x8")).find(a_job(26))
