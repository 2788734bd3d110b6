"""Possible links: never fewer than packets use, and on grids no more than minimal routes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import configs, grids, with_effect

from netplace.apps import Program, TaskWriter
from netplace.cosim.possible import possible_links
from netplace.netsim import Config, Network
from netplace.netsim.table_router import verdict_on
from netplace.topologies import parse


def message(tasks, pairs):
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for source, target in pairs:
        writers[source].send(target, 64)
    for source, target in pairs:
        writers[target].recv(source, 64)
    return Program.of(writers)


def brute(grid, source, target):
    """Links on minimal routes by distances alone; the order is that of `possible_links`."""
    marks = np.zeros((grid.ports, grid.nodes), bool)
    for router, port, end, _ in grid.links().tolist():
        least = int(grid.distance(source, target))
        marks[port, router] = (
            int(grid.distance(source, router)) + 1 + int(grid.distance(end, target)) == least
        )
    return marks


def in_order(grid, marks):
    """Return marks by (port, node): they are numbered with the first dimension in front."""
    shaped = marks.reshape(grid.ports, *grid.sizes)
    return np.stack([np.transpose(one, range(one.ndim - 1, -1, -1)).ravel() for one in shaped])


@given(st.data())
def test_on_grids_they_are_the_links_of_minimal_routes(data):
    grid = parse(data.draw(grids()))
    node = st.integers(0, grid.nodes - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=4))
    found = in_order(grid, possible_links(grid, *np.array(pairs).T))
    # A side of 2 has two links to the same neighbour, a side of 1 none: both ways are minimal.
    wanted = np.logical_or.reduce([brute(grid, *pair) for pair in pairs])
    np.testing.assert_array_equal(found & (grid.neighbor.T >= 0), wanted)


@pytest.mark.parametrize("network", ["tree:2,3", "tree:4,2", "thintree:3,2,2", "thintree:4,1,2"])
def test_in_trees_jobs_without_common_links_have_none_in_use(network):
    tree = parse(network)
    rng = np.random.default_rng(1)
    disjoint = 0
    for _ in range(40):
        nodes = rng.permutation(tree.nodes)[:8]
        loads, marks = [], []
        for source, target in (nodes[:4].reshape(2, 2), nodes[4:].reshape(2, 2)):
            run = Network(tree)
            run.start(message(2, [(0, 1)]), np.array([source[0], target[0]]))
            run.finish()
            loads.append(run.counters().link_packets[tree.nodes :])
            marks.append(possible_links(tree, source[:1], target[:1]))
        if not (marks[0] & marks[1]).any():
            disjoint += 1
            up = loads[0] * loads[1]
            assert not up.any()
    assert disjoint


@given(st.data())
def test_no_packet_leaves_them(data):
    grid = parse(data.draw(grids()))
    config = with_effect(grid, data.draw(configs(bubbles=(2, 3), eager_limit=(None,))))
    tasks = min(6, grid.nodes)
    nodes = np.array(data.draw(st.permutations(range(grid.nodes)))[:tasks])
    task = st.integers(0, tasks - 1)
    pairs = data.draw(st.lists(st.tuples(task, task), min_size=1, max_size=12))
    network = Network(grid, config)
    network.start(message(tasks, pairs), nodes)
    network.finish()
    used = network.counters().link_packets.T > 0
    places = np.array(pairs)
    allowed = in_order(grid, possible_links(grid, nodes[places[:, 0]], nodes[places[:, 1]]))
    assert not (used & ~allowed).any()


def test_a_twisted_torus_is_shared_by_all():
    torus = parse("twisted:4x2")
    assert possible_links(torus, np.array([0]), np.array([1])).all()


@pytest.mark.parametrize(
    ("network", "routing"),
    [
        ("dragonfly:a=4,h=2,p=2", "default"),
        ("hyperx:3x3,c=2", "default"),
        ("torus:4x4", "dor"),
        ("mesh:4x4", "up-down"),
    ],
)
def test_under_tables_packets_use_possible_links_only(network, routing):
    machine = parse(network)
    config = Config(routing=routing, vcs=4)
    switches, _, _ = verdict_on(machine, routing, "default")
    rng = np.random.default_rng(2)
    for _ in range(10):
        pairs = np.array([rng.choice(machine.nodes, 2, replace=False) for _ in range(5)])
        marks = possible_links(machine, *pairs.T, config).reshape(switches.neighbor.shape)
        run = Network(machine, config)
        run.start(message(machine.nodes, [tuple(pair) for pair in pairs.tolist()]))
        run.finish()
        used = run.counters().link_packets[switches.first :] > 0
        used &= switches.neighbor >= 0
        assert not (used & ~marks).any()
        assert marks.sum() < marks.size


def test_detours_may_lead_anywhere():
    machine = parse("dragonfly:a=4,h=2,p=2")
    config = Config(routing="valiant", vcs=4)
    assert possible_links(machine, np.array([0]), np.array([5]), config).all()
