"""The quality of the search for mappings, in a number of iterations."""

from pathlib import Path

import numpy as np
import pytest

from netplace.apps import application
from netplace.placement.mapping import solve_qap
from netplace.topologies import parse

QAPLIB = Path(__file__).parent / "qaplib"


def read_instance(path):
    """Return flows, costs and best known cost of a QAPLIB file."""
    numbers = np.array(path.read_text(encoding="utf-8").split(), np.int64)
    A, B = numbers[2:].reshape(2, numbers[0], numbers[0])
    return A, B, int(numbers[1])


def test_every_instance_is_read_whole():
    files = sorted(QAPLIB.glob("*.dat"))
    assert len(files) == 15
    for path in files:
        A, B, best = read_instance(path)
        assert A.shape == B.shape
        assert best > 0


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
