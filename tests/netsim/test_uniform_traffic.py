"""Uniform random traffic is accepted and delayed as by INSEE's own simulator (section 11 of the model)."""

import pytest

from netplace.netsim import Config, measure_load
from netplace.topologies import parse

TORUS = {
    0.4: (0.402, 37.5),
    0.5: (0.504, 50.6),
    0.6: (0.601, 77.6),
    0.7: (0.680, 122),
    0.8: (0.717, 166),
    1.0: (0.731, 204),
}
CUBE = {0.2: (0.199, 46.5), 0.3: (0.299, 81), 0.4: (0.395, 194)}
TREE = {
    (1, "adaptive"): (0.572, 0.02),
    (1, "static"): (0.571, 0.02),
    (2, "adaptive"): (0.766, 0.05),
    (2, "static"): (0.748, 0.05),
}


def check(network, offered, accepted, delay, **phases):
    point = measure_load(parse(network), offered, seed=1, **phases)
    assert point.accepted == pytest.approx(accepted, rel=0.02)
    assert point.delay.mean == pytest.approx(delay, rel=0.05)


@pytest.mark.parametrize("offered", TORUS)
def test_torus(offered):
    check("torus:8x8", offered, *TORUS[offered], warmup=10_000, measure=40_000)


# Phases as short as INSEE's must have been: at 0.4 it accepted less than was offered, so queues were still
# filling. In a steady state that load is accepted whole and the mean delay is 205.
@pytest.mark.parametrize("offered", CUBE)
def test_large_torus(offered):
    check("torus:16x16x16", offered, *CUBE[offered], warmup=1_000, measure=2_000)


@pytest.mark.parametrize(("vcs", "routing"), TREE)
def test_tree_at_full_load(vcs, routing):
    accepted, within = TREE[vcs, routing]
    config = Config(vcs=vcs, tree_routing=routing)
    point = measure_load(parse("tree:4,3"), 1.0, config=config, seed=1, warmup=10_000, measure=40_000)
    assert point.accepted == pytest.approx(accepted, rel=within)
