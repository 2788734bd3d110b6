"""Shifts: up one way along every ring, as many rounds as a ring has tasks."""

import numpy as np
import pytest

from netplace.apps import Op, application
from netplace.netsim import simulate
from netplace.topologies import parse


def words(program, task):
    return " ".join(f"{'+' if o.kind == Op.SEND else '-'}{o.peer}" for o in program.operations(task))


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


def test_the_transposed_one_is_the_plain_one_renumbered():
    sizes = (4, 3, 2)
    number = np.arange(24).reshape(sizes[::-1]).T.ravel()
    plain, turned = (application(name, 24, grid=sizes).traffic().W for name in ("3d-shift", "3d-t-shift"))
    assert not np.array_equal(plain, turned)
    assert np.array_equal(plain[np.ix_(number, number)], turned)


def test_on_its_own_torus_a_round_takes_the_time_of_its_messages():
    # Two messages of 64 packets of 16 phits each leave a task in every one of eight rounds.
    cycles = simulate(parse("torus:8x8"), application("2d-shift", 64, packets=64)).cycles
    assert cycles == pytest.approx(8 * 2 * 64 * 16, rel=0.02)
