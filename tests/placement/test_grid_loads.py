"""Loads of links of grids in closed form: those that follow from the minimal routes, one by one."""

import numpy as np
import pytest

from netplace.placement import expected_loads
from netplace.placement.expected_loads import link_loads
from netplace.topologies import parse


@pytest.mark.parametrize(
    "text", ["torus:6x5", "mesh:4x3x2", "torus:4x4x2", "torus:2x3x1", "mesh:9", "torus:8"]
)
def test_loads_are_those_of_all_minimal_routes(text, monkeypatch):
    network, rng = parse(text), np.random.default_rng(1)
    nodes = rng.permutation(network.nodes)
    W = rng.integers(0, 100, (network.nodes, network.nodes)) * (rng.random((network.nodes,) * 2) < 0.3)
    found = link_loads(network, nodes, W)
    np.fill_diagonal(W, 0)
    assert found.sum() == pytest.approx((W * network.distances(nodes)).sum())
    monkeypatch.setattr(expected_loads, "_FACTORIALS", -1)  # the sums over routes in place of it
    assert link_loads(network, nodes, W) == pytest.approx(found)


def test_a_long_line_has_no_closed_form_and_needs_none():
    network = parse("mesh:400")
    W = np.zeros((400, 400))
    W[0, 399] = 3.0
    assert link_loads(network, range(400), W).max() == 3
