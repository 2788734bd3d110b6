"""Costs that the default method reaches in a number of iterations: QAPLIB and problems of known optimum."""

from pathlib import Path

import numpy as np
import pytest

from netplace.apps import application
from netplace.placement.mapping import solve_qap
from netplace.topologies import parse

QAPLIB = Path(__file__).parent / "qaplib"


def instance(name: str):
    """Return flows, costs and the best known cost."""
    numbers = np.array((QAPLIB / f"{name}.dat").read_text().split(), np.int64)
    n = numbers[0]
    A, B = numbers[2:].reshape(2, n, n)
    return A, B, int(numbers[1])


@pytest.mark.parametrize(
    ("name", "iterations"),
    [
        ("nug12", 2_000),
        ("nug20", 10_000),
        ("nug30", 50_000),
        ("kra30a", 100_000),
        ("esc32e", 2_000),
        ("lipa50a", 30_000),
        ("tai64c", 300_000),
    ],
)
def test_the_best_known_cost_is_reached(name, iterations):
    A, B, best = instance(name)
    shuffled = np.random.default_rng(1).permutation(len(A))
    A = A[np.ix_(shuffled, shuffled)]
    found = solve_qap(A, B, iterations=iterations)
    assert found.cost == best
    assert found.cost == (A * B[np.ix_(found.mapping, found.mapping)]).sum()
    assert found.iterations <= iterations


def test_a_halo_finds_its_torus():
    distance = parse("torus:4x4x4").distances()
    shuffled = np.random.default_rng(2).permutation(64)
    halo = (distance == 1)[np.ix_(shuffled, shuffled)] * 1000
    assert solve_qap(halo, distance, iterations=10_000).cost == halo.sum()


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
