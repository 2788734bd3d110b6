"""The benchmark's table, made of what can be asserted without a clock."""

import pytest

from netplace.apps import application
from netplace.benchmarks.mapping import QAPLIB, Row, _row, read_instance
from netplace.placement.mapping import solve_qap
from netplace.topologies import parse


def test_every_instance_is_read_whole():
    files = sorted(QAPLIB.glob("*.dat"))
    assert len(files) == 15
    for path in files:
        A, B, best = read_instance(path)
        assert A.shape == B.shape
        assert best > 0


def test_a_row_is_a_median():
    assert _row("x", 1.0, "excess", [0.3, 0.1, 0.2], 0.2) == Row("x", 1.0, "excess", 0.2, 0.3, 0.2)


@pytest.mark.parametrize("name", ["2d-torus", "lu", "butterfly"])
def test_applications_cost_less_than_by_published_grasp(name):
    W, B = application(name, 64).traffic().W, parse("torus:4x4x4").distances()
    grasp = solve_qap(W, B, method="grasp")
    assert solve_qap(W, B, iterations=3000).cost <= 0.9 * grasp.cost


@pytest.mark.parametrize(
    ("name", "excess"), [("esc64a", 0), ("esc128", 0), ("sko49", 0.003), ("wil50", 0.002), ("tho40", 0.003)]
)
def test_instances_in_a_number_of_iterations(name, excess):
    A, B, best = read_instance(QAPLIB / f"{name}.dat")
    assert solve_qap(A, B, iterations=40_000).cost <= (1 + excess) * best
