"""Machines with several nodes at a switch, and with switches whose nodes do not compute."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job

from netplace.placement.compactness import compactness
from netplace.scheduling.partitioner import Allocation, make_partitioner
from netplace.scheduling.partitioner.curves import ORDERS, along_curve, order_of
from netplace.topologies import parse, switch_grid

CENTRES = (
    "gen-alg",
    "gen-alg+inc",
    "mm",
    "mm+inc",
    "mc1x1",
    "mc1x1:number",
    "mc1x1:greedy",
    "mc:cubic",
    "mc:2x1",
)
CURVES = (
    "curve:row",
    "curve:snake,free-list",
    "curve:hilbert",
    "curve:hilbert-cut,sum-of-squares",
    "curve:hilbert,ring",
)
CPLANT = "service:nodes=32-63+96-127+160-191+224-255/torus:8x8,c=4"


def with_held(text: str, machine: str, held):
    partitioner = make_partitioner(text, parse(machine))
    for node in held:
        partitioner.take(Allocation(np.array([node])))
    return partitioner


@pytest.mark.parametrize("text", [*CENTRES, *CURVES, "optimal"])
@pytest.mark.parametrize("machine", ["mesh:4x3", "torus:4x5", "torus:3x2"])
@PATIENT
@given(data=st.data())
def test_one_node_a_switch_is_the_grid_itself(text, machine, data):
    nodes = parse(machine).nodes
    held = data.draw(st.sets(st.integers(0, nodes - 1), max_size=nodes - 2))
    most = min(2, nodes - len(held)) if text == "mc:2x1" else nodes - len(held)
    job = a_job(data.draw(st.integers(1, most)))
    plain, roomy = (with_held(text, name, held).find(job) for name in (machine, f"{machine},c=1"))
    assert plain.nodes.tolist() == roomy.nodes.tolist()


@pytest.mark.parametrize("name", [name for name in ORDERS if name not in ("searched", "optimal")])
def test_an_order_goes_through_all_switches_and_ranks_are_closed_up(name):
    switches, order = order_of(parse("torus:8x8"), name).tolist(), order_of(parse(CPLANT), name).tolist()
    assert order == [4 * at + one for at in switches if at // 8 % 2 == 0 for one in range(4)]


def test_an_interval_runs_across_switches_that_do_not_compute():
    partitioner = along_curve(parse(CPLANT), "row,best-fit")
    assert partitioner.free == 128
    assert partitioner.find(a_job(36)).nodes.tolist() == [*range(32), *range(64, 68)]
    line = make_partitioner("curve:row", parse("service:nodes=3/mesh:8"))
    line.take(Allocation(np.array([0, 5])))
    assert line.find(a_job(3)).nodes.tolist() == [1, 2, 4]
    with pytest.raises(ValueError, match="node 3 is occupied already"):
        line.take(Allocation(np.array([3])))


def slow(machine: str, free, size: int, centres, metric) -> tuple[int, list[int]]:
    """Return the least sum over pairs of the nodes nearest to a centre, and the first such nodes."""
    best = None
    for centre in centres:
        chosen = sorted(sorted(free, key=lambda node: (metric(centre, node), node))[:size])
        cost = sum(metric(a, b) for a, b in itertools.combinations(chosen, 2))
        if best is None or cost < best[0]:
            best = cost, chosen
    assert best is not None
    return best


@pytest.mark.parametrize("machine", ["torus:4x3,c=2", "mesh:3x3,c=3", "service:nodes=4-7/torus:5x2,c=2"])
@PATIENT
@given(data=st.data())
def test_nodes_at_one_switch_are_no_hops_apart(machine, data):
    network = parse(machine)
    grid, switch = switch_grid(network)
    held = data.draw(
        st.sets(st.sampled_from(network.computing.tolist()), max_size=len(network.computing) - 1)
    )
    free = sorted(set(network.computing.tolist()) - held)
    size = data.draw(st.integers(1, len(free)))

    hops = grid.distance(switch[:, None], switch[None, :]).tolist()

    def metric(a: int, b: int) -> int:
        return hops[a][b]

    places = grid.coordinates(switch)
    met = [set(places[free][:, d]) for d in range(grid.dims)]
    crossings = [
        node for node in range(network.nodes) if all(places[node, d] in met[d] for d in range(grid.dims))
    ]
    for text, centres in (("gen-alg", free), ("mm", crossings)):
        found = with_held(text, machine, held).choose(size)
        assert (found.cost, found.nodes.tolist()) == slow(machine, free, size, centres, metric)
    if size < 5:
        least = min(
            (sum(metric(a, b) for a, b in itertools.combinations(chosen, 2)), list(chosen))
            for chosen in itertools.combinations(free, size)
        )
        exact = with_held("optimal", machine, held).choose(size)
        assert (exact.cost, exact.nodes.tolist()) == least
    shells = with_held("mc1x1:number", machine, held).choose(size)
    costs = []
    for centre in free:
        far = np.sort(shells_of(grid, switch[centre], switch[free]))[:size].tolist()
        costs.append(sum(far))
    assert shells.cost == min(costs)
    assert free[costs.index(min(costs))] == shells.centre


def shells_of(grid, centre: int, nodes) -> np.ndarray:
    """Return the largest of the hops in each dimension, for each of some nodes."""
    gaps = np.abs(grid.coordinates(centre) - grid.coordinates(nodes))
    if grid.wraps:
        gaps = np.minimum(gaps, np.array(grid.sizes) - gaps)
    return gaps.max(axis=1)


def test_parts_are_counted_by_switches():
    assert compactness(parse("torus:8x8,c=4"), [0, 1, 4, 40]).components == 1 + 1
    assert compactness(parse("torus:8x8,c=4"), [0, 3, 4, 28]).components == 1
