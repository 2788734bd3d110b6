"""Orders and allocations of the literature on curves and centres, to the node."""

from pathlib import Path

import numpy as np
import pytest
from golden_folder import folders, listed, rows

from netplace.placement.compactness import pairwise_sum
from netplace.scheduling import Job, make_partitioner
from netplace.scheduling.partitioner import Allocation
from netplace.scheduling.partitioner.curves import LISTINGS, SELECTIONS, order_of
from netplace.scheduling.partitioner.curves.along import linear_span, ring_span
from netplace.scheduling.partitioner.curves.orders import curve_objective
from netplace.topologies import parse

CASES = rows("cpa_golden*.csv")
CURVES = [case for case in CASES if case["order"]]
CENTRES = [case for case in CASES if not case["order"]]


def held(case, partitioner):
    nodes = listed(case["held"])
    if nodes:
        partitioner.take(Allocation(np.array(nodes)))
    return partitioner


def name(case) -> str:
    return case["id"]


def test_there_are_cases():
    assert CASES or rows("cpa_orders*.csv") or not any(Path(f).rglob("cpa_*.csv") for f in folders())
    assert {case["algorithm"] for case in CURVES} <= {*SELECTIONS, *LISTINGS}


@pytest.mark.parametrize(
    "case", rows("cpa_orders*.csv"), ids=lambda case: f"{case['order']}-{case['machine']}"
)
def test_orders(case):
    grid = parse(case["machine"])
    order = order_of(grid, case["order"])
    assert order.tolist() == listed(case["nodes_along_the_curve"])
    steps = grid.distance(order[:-1], order[1:])
    assert int((steps > 1).sum()) == int(case["steps_longer_than_one"])
    assert int(steps.max()) == int(case["longest_step"])
    assert int(grid.distance(order[-1], order[0])) == int(case["step_from_last_to_first"])


@pytest.mark.parametrize(
    "case", rows("cpa_curve_objective*.csv"), ids=lambda case: f"{case['order']}-{case['machine']}"
)
def test_objective_of_orders(case):
    grid = parse(case["machine"])
    order = order_of(grid, case["order"])
    first = np.zeros(grid.nodes)
    first[1] = 1
    assert curve_objective(grid, order, first) == int(case["line_w1_only"])
    assert curve_objective(grid, order) == pytest.approx(float(case["line_halving_weights"]), abs=2e-6)
    assert curve_objective(grid, order, ring=True) == pytest.approx(
        float(case["ring_halving_weights"]), abs=2e-6
    )


@pytest.mark.parametrize("case", CURVES, ids=name)
def test_along_curves(case):
    grid, ring = parse(case["machine"]), case["ring"] == "yes"
    text = f"curve:{case['order']},{case['algorithm']}" + (",ring" if ring else "")
    partitioner = held(case, make_partitioner(text, grid))
    nodes = partitioner.find(Job(0, 0.0, int(case["request"]), 1.0)).nodes
    assert nodes.tolist() == listed(case["nodes"])
    ranks = partitioner.ranks(nodes)
    spans = linear_span(ranks), ring_span(ranks, grid.nodes)
    assert spans == (int(case["linear_span"]), int(case["ring_span"]))
    assert int(case["allocator_cost"]) == spans[ring]
    assert pairwise_sum(grid, nodes) == int(case["pairwise_sum"])


@pytest.mark.parametrize("case", CENTRES, ids=name)
def test_around_centres(case):
    grid, text = parse(case["machine"]), case["algorithm"]
    if text == "mc":
        text += f":{case['shape']},{case['tie'] or 'distance'}"
    elif case["tie"]:
        text += f":{case['tie']}"
    partitioner = held(case, make_partitioner(text, grid))
    request = int(case["request"])
    choice = partitioner.choose(request)
    assert choice.nodes.tolist() == listed(case["nodes"])
    assert choice.cost == int(case["allocator_cost"])
    if case["centre"]:
        assert choice.centre == int(case["centre"])
    assert pairwise_sum(grid, choice.nodes) == int(case["pairwise_sum"])
    assert partitioner.find(Job(0, 0.0, request, 1.0)).nodes.tolist() == choice.nodes.tolist()


@pytest.mark.parametrize("case", rows("cpa_unconstrained*.csv"), ids=lambda case: case["k"])
def test_on_an_empty_plane(case):
    """MM+Inc reaches the least sum there is for every k listed except 13."""
    grid, size = parse("mesh:9x9"), int(case["k"])
    for text in ("mm", "mm+inc", "mc1x1"):
        nodes = make_partitioner(text, grid).choose(size).nodes
        found = pairwise_sum(grid, nodes)
        assert found == int(case[f"{text.replace('+', '_')}_on_empty_9x9"])
        assert found >= int(case["least_pairwise_sum"])
    if size <= 8:
        best = make_partitioner("optimal", grid).choose(size)
        assert best.cost == int(case["least_pairwise_sum"])
