"""Curves through all nodes of a grid, and the nodes chosen along them."""

import functools
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.curves import LISTINGS, ORDERS, SELECTIONS
from netplace.scheduling.partitioner.curves.orders import curve_objective
from netplace.topologies import parse


def intervals(places: list[int]) -> list[list[int]]:
    """Return the runs of places that follow each other."""
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def squares(lengths: list[int]) -> int:
    return sum(count**2 for length, count in Counter(lengths).items() if length > 0)


def after(lengths: list[int], chosen: int, size: int) -> list[int]:
    return [length - size * (i == chosen) for i, length in enumerate(lengths)]


NAIVE = {
    "first-fit": lambda lengths, i, size: 0,
    "best-fit": lambda lengths, i, size: lengths[i],
    "sum-of-squares": lambda lengths, i, size: squares(after(lengths, i, size)),
}


@functools.cache
def grid_and_curve(machine: str, order: str):
    grid = parse(machine)
    return grid, ORDERS[order](grid).tolist()


@functools.cache
def partitioner_of(machine: str, order: str, name: str):
    """Return a partitioner to copy: the order may be the outcome of a search."""
    return make_partitioner(f"curve:{order},{name}", parse(machine))


ANY_GRID = ("row", "snake", "hilbert", "hilbert-cut")


@pytest.mark.parametrize(
    ("machine", "order"),
    [
        *itertools.product(["mesh:37", "torus:6x5", "mesh:3x3x3", "mesh:8x4"], ANY_GRID),
        ("torus:8x8", "hindex"),
        ("tree:4,2", "row"),
        ("tree:4,2", "searched"),
    ],
)
@pytest.mark.parametrize("name", SELECTIONS)
@PATIENT
@given(events=lives(events=25))
def test_along_a_curve(machine, order, name, events):
    grid, curve = grid_and_curve(machine, order)
    place = {node: i for i, node in enumerate(curve)}
    partitioner = partitioner_of(machine, order, name).copy()
    for free, size, allocation in live(partitioner, grid.nodes, events):
        if allocation is None:
            assert size > len(free)
            continue
        runs = intervals([place[node] for node in free])
        lengths = [len(run) for run in runs]
        taken = [place[node] for node in allocation.nodes.tolist()]
        fitting = [i for i, length in enumerate(lengths) if length >= size]
        if fitting:
            best = min(fitting, key=lambda i: (NAIVE[name](lengths, i, size), i))
            assert taken == runs[best][:size]
        else:
            ordered = sorted(place[node] for node in free)
            least = min(b - a for a, b in zip(ordered, ordered[size - 1 :], strict=False))
            assert taken == sorted(taken)
            assert taken[-1] - taken[0] == least


def round_the_ring(free: list[int], size: int) -> list[list[int]]:
    """Return the runs of free places round a ring, one that crosses its end the last."""
    runs = intervals(free)
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][-1] == size - 1:
        runs = [*runs[1:-1], runs[-1] + runs[0]]
    return runs


@pytest.mark.parametrize("name", SELECTIONS)
@PATIENT
@given(events=lives(events=25))
def test_round_the_ring(name, events):
    partitioner = make_partitioner(f"curve:row,{name},ring", parse("torus:24"))
    for free, size, allocation in live(partitioner, 24, events):
        if allocation is None:
            assert size > len(free)
            continue
        taken = allocation.nodes.tolist()
        runs = round_the_ring(sorted(free), 24)
        lengths = [len(run) for run in runs]
        fitting = [i for i, length in enumerate(lengths) if length >= size]
        if fitting:
            assert taken == runs[min(fitting, key=lambda i: (NAIVE[name](lengths, i, size), i))][:size]
        else:
            ordered = sorted(free)
            windows = [[ordered[(i + j) % len(ordered)] for j in range(size)] for i in range(len(ordered))]
            assert taken == min(windows, key=lambda window: ((window[-1] - window[0]) % 24, window[0]))


@PATIENT
@given(events=lives(events=25), name=st.sampled_from([*LISTINGS]))
def test_listings_ignore_intervals(events, name):
    grid = parse("mesh:8x4")
    curve = ORDERS["snake"](grid).tolist()
    partitioner = make_partitioner(f"curve:snake,{name}", grid)
    twin = make_partitioner("curve:snake,first-fit", grid)
    for free, size, allocation in live(partitioner, grid.nodes, events):
        if allocation is None:
            assert size > len(free)
        elif name == "free-list":
            assert allocation.nodes.tolist() == [node for node in curve if node in free][:size]
        else:
            # Minimum span is first fit: a run of k nodes has the least span there is.
            state = twin.copy()
            if held := sorted(set(range(grid.nodes)) - free):
                state.take(Allocation(np.array(held)))
            assert allocation.nodes.tolist() == state.find(a_job(size)).nodes.tolist()


@pytest.mark.parametrize(
    ("text", "machine", "told"),
    [
        ("curve:hilbrt", "mesh:8x8", "did you mean hilbert"),
        ("curve:row,best", "mesh:8x8", "choice of the interval"),
        ("curve:hindex", "mesh:8x4", "squares of side"),
        ("curve:hilbert", "tree:4,2", "meshes and tori"),
        ("curve:searched", "mesh:64x64", "at most 1024"),
        ("curve:optimal", "mesh:13", "13 nodes, expected at most 12"),
    ],
)
def test_mistakes(text, machine, told):
    with pytest.raises((ValueError, OSError), match=told):
        make_partitioner(text, parse(machine))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0 1 2", "node 3 is missing"),
        ("0,1\n2 1 # again\n3", ":2: node 1 appears twice, the first time in line 1"),
        ("0\nx", ":2: node: 'x' is not a whole number"),
    ],
)
def test_mistakes_in_an_order_file(tmp_path, text, told):
    path = tmp_path / "order.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=told):
        make_partitioner(f"curve:file={path}", parse("mesh:4"))


def test_an_order_from_a_file(tmp_path):
    path = tmp_path / "order.csv"
    path.write_text("3,1 # these first\n\n2 0\n")
    partitioner = make_partitioner(f"curve:file={path},first-fit", parse("mesh:4"))
    assert partitioner.find(a_job(3)).nodes.tolist() == [3, 1, 2]


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


def test_a_searched_order_is_as_good_as_hilberts():
    grid = parse("mesh:4x4")
    found = ORDERS["searched"](grid)
    assert sorted(found.tolist()) == list(range(16))
    assert curve_objective(grid, found) <= curve_objective(grid, ORDERS["hilbert"](grid))
    assert (ORDERS["searched"](grid) == found).all()


@pytest.mark.parametrize("network", ["mesh:4x2", "torus:3x2", "tree:2,3", "mesh:1", "mesh:2"])
def test_an_optimal_order_has_the_smallest_objective_of_all(network):
    topology = parse(network)
    best = min(
        curve_objective(topology, np.array(order)) for order in itertools.permutations(range(topology.nodes))
    )
    found = ORDERS["optimal"](topology)
    assert sorted(found.tolist()) == list(range(topology.nodes))
    assert curve_objective(topology, found) == best
