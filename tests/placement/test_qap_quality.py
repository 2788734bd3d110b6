"""Costs that the default method reaches in a number of iterations: QAPLIB and problems of known optimum."""

from pathlib import Path

import numpy as np
import pytest

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
