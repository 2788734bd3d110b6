"""Curves through all nodes of a grid."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lives import PATIENT

from netplace.scheduling.partitioner.curves import ORDERS
from netplace.scheduling.partitioner.curves.orders import best_order, curve_objective
from netplace.topologies import parse

MOST = {1: 40, 2: 17, 3: 9, 4: 5, 5: 4, 6: 3}
SIDES = st.integers(1, 6).flatmap(
    lambda dims: st.lists(st.integers(1, MOST[dims]), min_size=dims, max_size=dims)
)


def walk(curve: str, sides) -> np.ndarray:
    """Return the coordinates along a curve, once it is known to be a permutation of the nodes."""
    grid = parse(f"mesh:{'x'.join(map(str, sides))}")
    order = ORDERS[curve](grid)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(grid.nodes))
    return grid.coordinates(order)


@pytest.mark.parametrize("curve", ["snake", "hilbert"])
@PATIENT
@given(sides=SIDES)
def test_each_node_is_a_neighbour_of_the_one_before(curve, sides):
    assert (np.abs(np.diff(walk(curve, sides), axis=0)).sum(axis=1) == 1).all()


@PATIENT
@given(sides=SIDES)
def test_rows_come_in_node_order(sides):
    assert (walk("row", sides) @ np.cumprod([1, *sides[:-1]]) == np.arange(math.prod(sides))).all()


@PATIENT
@given(sides=SIDES)
def test_ends_of_hilbert(sides):
    path = walk("hilbert", sides)
    even = [side for side in sides if side % 2 == 0]
    assert path[0].tolist() == [0] * len(sides)
    assert path[-1].sum() == path[-1].max() == max(even or sides) - 1


def hilbert_2d(bits: int, place: int) -> tuple[int, int]:
    """Return where a place lies on Hilbert's curve through 2^bits x 2^bits nodes, quarter by quarter."""
    if bits == 0:
        return 0, 0
    half = 1 << (bits - 1)
    quarter, rest = divmod(place, half * half)
    x, y = hilbert_2d(bits - 1, rest)
    return [(y, x), (x, half + y), (half + x, half + y), (2 * half - 1 - y, half - 1 - x)][quarter]


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_squares_of_powers_of_two_are_hilberts_own(bits):
    side = 2**bits
    assert walk("hilbert", (side, side)).tolist() == [list(hilbert_2d(bits, i)) for i in range(side * side)]


@pytest.mark.parametrize("curve", ["hilbert", "hilbert-cut"])
@pytest.mark.parametrize(("dims", "bits"), [(2, 5), (3, 3), (4, 2), (5, 2), (6, 1)])
def test_cubes_of_powers_of_two_are_walked_block_by_block(curve, dims, bits):
    path = walk(curve, [2**bits] * dims)
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()
    for level in range(bits):
        blocks = (path >> level).reshape(-1, 2 ** (level * dims), dims)
        assert (blocks == blocks[:, :1]).all()


def test_examples():
    grid = parse("torus:4x3")
    assert ORDERS["snake"](grid).tolist() == [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11]
    assert ORDERS["hilbert"](parse("mesh:7")).tolist() == list(range(7))


def test_hilbert_keeps_neighbourhoods():
    """Among 64 nodes in line the mean distance is far below that of rows, in an odd box as well."""

    def spread(curve):
        path = walk(curve, (27, 25))[: 25 * 27 // 64 * 64].reshape(-1, 64, 2)
        return np.abs(path[:, :, None] - path[:, None]).sum(axis=-1).mean()

    assert spread("hilbert") < 6.5
    assert spread("row") > 9


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5])
def test_the_cut_curve_is_hilberts_on_squares(bits):
    side = 2**bits
    assert (walk("hilbert-cut", (side, side)) == walk("hilbert", (side, side))).all()


@PATIENT
@given(sides=SIDES)
def test_a_cut_curve_is_that_of_the_cube_around_it(sides):
    assume(max(sides) ** len(sides) <= 4096)
    side = 2 ** (max(sides) - 1).bit_length()
    around = walk("hilbert-cut", [side] * len(sides))
    inside = around[(around < sides).all(axis=1)]
    assert (walk("hilbert-cut", sides) == inside).all()


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5])
def test_hindex_is_closed_and_keeps_within_its_bound(bits):
    side = 2**bits
    path = walk("hindex", (side, side))
    assert (np.abs(path - np.roll(path, 1, axis=0)).sum(axis=1) == 1).all()
    apart = np.abs(np.arange(side**2)[:, None] - np.arange(side**2))
    apart = np.minimum(apart, side**2 - apart)
    squared = ((path[:, None] - path) ** 2).sum(axis=-1)
    assert (squared[apart > 0] <= 4 * apart[apart > 0] - 2).all()


@pytest.mark.parametrize("machine", ["mesh:3x2", "torus:5", "tree:2,2"])
@pytest.mark.parametrize("decay", [0.5, 0.9])
def test_the_best_order_is_that_of_all_orders(machine, decay):
    topology = parse(machine)
    weights = decay ** np.arange(-1.0, topology.nodes - 1)
    orders = map(np.array, itertools.permutations(range(topology.nodes)))
    least = min(curve_objective(topology, order, weights) for order in orders)
    assert curve_objective(topology, best_order(topology, weights), weights) == pytest.approx(least)


def test_a_best_order_is_of_a_small_machine():
    with pytest.raises(ValueError, match="order best: mesh:4x4 has 16 nodes, expected at most 9"):
        best_order(parse("mesh:4x4"))


def test_a_searched_order_is_as_good_as_hilberts():
    grid = parse("mesh:4x4")
    found = ORDERS["searched"](grid)
    assert sorted(found.tolist()) == list(range(16))
    assert curve_objective(grid, found) <= curve_objective(grid, ORDERS["hilbert"](grid))
    assert (ORDERS["searched"](grid) == found).all()
