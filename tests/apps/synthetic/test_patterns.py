"""Synthetic patterns: what each task says, beside golden traces and by hand."""

from pathlib import Path

import numpy as np
import pytest

from netplace.apps import Op, application
from netplace.apps.formats import read
from netplace.apps.synthetic.rounds import near_cube
from netplace.netsim import simulate
from netplace.topologies import parse

GOLDEN = Path(__file__).parents[2] / "golden" / "traces"


def words(program, task):
    """What a task says: +peer for a send, -peer for a receive."""
    return " ".join(f"{'+' if o.kind == Op.SEND else '-'}{o.peer}" for o in program.operations(task))


def says(name, tasks, **options):
    program = application(name, tasks, **options)
    return [words(program, task) for task in range(tasks)]


def test_all_to_all():
    assert says("all-to-all", 3, order="identifier") == ["+1 +2 -1 -2", "+0 +2 -0 -2", "+0 +1 -0 -1"]


def test_binary_tree():
    assert says("binary-tree", 8) == ["-1 -2 -4", "+0", "-3 +0", "+2", "-5 -6 +0", "+4", "-7 +4", "+6"]
    assert says("binary-tree", 6) == ["-1 -2 -4", "+0", "-3 +0", "+2", "-5 +0", "+4"]


def test_a_ring_of_two_has_its_neighbour_on_both_sides():
    assert says("2d-torus", 6, grid=(3, 2))[0] == "+1 +2 +3 +3 -1 -2 -3 -3"


def test_a_ring_of_one_has_no_neighbours():
    assert says("2d-torus", 3, grid="3x1")[0] == "+1 +2 -1 -2"


def test_3d_mesh_and_torus():
    assert says("3d-mesh", 8)[0] == "+1 +2 +4 -1 -2 -4"
    assert says("3d-torus", 27)[13] == "+14 +12 +16 +10 +22 +4 -14 -12 -16 -10 -22 -4"
    assert says("3d-mesh", 12, grid="3x2x2")[4] == "+5 +3 +1 +10 -5 -3 -1 -10"


def test_sweeps():
    assert says("2d-sweep", 6, grid="3x2") == ["+1 +3", "-0 +2 +4", "-1 +5", "-0 +4", "-3 -1 +5", "-4 -2"]
    assert says("3d-sweep", 8)[3] == "-2 -1 +7"
    assert says("3d-sweep", 8)[0] == "+1 +2 +4"


@pytest.mark.parametrize(
    "name", ["2d-{}mesh", "2d-{}torus", "2d-{}sweep", "3d-{}mesh", "3d-{}torus", "3d-{}shift"]
)
def test_a_transposed_pattern_is_the_plain_one_renumbered(name):
    sizes = (4, 3) if name.startswith("2d") else (4, 3, 2)
    tasks = int(np.prod(sizes))
    plain = application(name.format(""), tasks, grid=sizes)
    turned = application(name.format("t-"), tasks, grid=sizes)
    number = np.arange(tasks).reshape(sizes[::-1]).T.ravel()  # plain number of each task of the other
    assert not np.array_equal(plain.traffic().W, turned.traffic().W)
    assert np.array_equal(plain.traffic().W[np.ix_(number, number)], turned.traffic().W)


def test_gups_is_drawn_from_the_seed():
    program = application("gups", 8, updates=50, rounds=2, seed=3)
    program.check()
    assert application("gups", 8, updates=50, rounds=2, seed=3).equals(program)
    assert not application("gups", 8, updates=50, rounds=2, seed=4).equals(program)
    found = program.traffic()
    assert found.N.sum() == 100
    assert len(program) == 200
    assert sorted(program.tag[program.kind == Op.SEND].tolist()) == list(range(100))
    assert not np.array_equal(program.cut(1, 1).traffic().N, program.cut(2, 2).traffic().N)


def test_gups_spreads_over_all_pairs():
    found = application("gups", 4, updates=12_000).traffic().N
    others = found[~np.eye(4, dtype=bool)]
    # 1000 expected for each of 12 pairs; five standard deviations are about 150.
    assert (np.diag(found) == 0).all()
    assert (abs(others - 1000) < 150).all()


@pytest.mark.parametrize(
    ("tasks", "axes", "sizes"),
    [
        (64, 2, (8, 8)),
        (12, 2, (4, 3)),
        (32, 2, (8, 4)),
        (7, 2, (7, 1)),
        (64, 3, (4, 4, 4)),
        (24, 3, (4, 3, 2)),
    ],
)
def test_grids_are_near_squares_and_cubes(tasks, axes, sizes):
    assert near_cube(tasks, axes) == sizes


@pytest.mark.parametrize(
    ("trace", "name", "options"),
    [
        ("all_to_all_16_1", "all-to-all", {"packets": 1}),
        ("all_to_all_25_4", "all-to-all", {"packets": 4}),
        ("all_to_one_25_4", "all-to-one", {"packets": 4}),
        ("one_to_all_27_4", "one-to-all", {"packets": 4}),
        ("binary_tree_64_8", "binary-tree", {"packets": 8}),
        ("butterfly_64_8", "butterfly", {"packets": 8}),
        ("halo_5x5_8", "2d-torus", {"packets": 8}),
        ("halo_8x8_16x10", "2d-torus", {"packets": 16, "rounds": 10}),
        ("halo_4x4x4_16", "3d-torus", {"packets": 16}),
        ("mesh_halo_5x5_8", "2d-mesh", {"packets": 8}),
        ("mesh_halo_8x8_8", "2d-mesh", {"packets": 8}),
        ("sweep_8x8_8", "2d-sweep", {"packets": 8}),
        ("waterfall_5x5_4x10", "waterfall", {"packets": 4}),
    ],
)
def test_patterns_are_those_of_the_golden_traces(trace, name, options):
    golden = read(GOLDEN / f"{trace}.trc.gz")
    made = application(name, golden.tasks, **options)
    for column in ("first", "kind", "peer", "size"):
        assert np.array_equal(getattr(golden, column), getattr(made, column))


def test_a_round_sends_up_every_ring_then_receives_from_below():
    assert words(application("2d-shift", 9, rounds=1), 0) == "+3 +1 -6 -2"
    assert words(application("3d-shift", 27, rounds=1), 13) == "+22 +16 +14 -4 -10 -12"
    assert words(application("2d-t-shift", 9, rounds=1), 0) == "+1 +3 -2 -6"


def test_a_ring_of_one_is_left_out():
    assert words(application("2d-shift", 3, rounds=1, grid="3x1"), 0) == "+1 -2"


@pytest.mark.parametrize(
    ("name", "tasks", "rounds"), [("2d-shift", 16, 4), ("3d-shift", 64, 4), ("2d-shift", 12, 4)]
)
def test_there_are_as_many_rounds_as_the_longest_ring_has_tasks(name, tasks, rounds):
    program = application(name, tasks)
    program.check()
    axes = int(name[0])
    assert program.traffic().N.sum() == tasks * axes * rounds


def test_on_its_own_torus_a_round_takes_the_time_of_its_messages():
    # Two messages of 64 packets of 16 phits each leave a task in every one of eight rounds.
    cycles = simulate(parse("torus:8x8"), application("2d-shift", 64, packets=64)).cycles
    assert cycles == pytest.approx(8 * 2 * 64 * 16, rel=0.02)
