"""Whom a job is measured beside, when again, and which mixes are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.cosim import Placed, Placing, application_work
from netplace.cosim.neighbours import Neighbours, influences, presence
from netplace.cosim.possible import expected_packets, link_widths
from netplace.cosim.rates import Rates
from netplace.cosim.symmetry import same_mix
from netplace.cosim.work import Work
from netplace.netsim import Config, Network
from netplace.scheduling import Job
from netplace.topologies import parse


def placing_on(text):
    return Placing(parse(text), Config(), application_work(Config()))


def present(placing, nodes, application="all-to-all,packets=4", compute=0):
    nodes = np.asarray(nodes)
    work = Work(application, len(nodes), 100, compute)
    return presence(placing, Placed(Job(1, 0, len(nodes), 0), work, nodes), 1000.0, 1000.0 - compute)


@given(st.data(), st.sampled_from(["torus:4x4", "mesh:3x4x2", "torus:5x3"]))
def test_on_grids_packets_cross_as_many_links_as_they_have_hops(data, text):
    grid = parse(text)
    node = st.integers(0, grid.nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=4)))
    packets = np.array(
        data.draw(st.lists(st.integers(1, 9), min_size=len(pairs), max_size=len(pairs))), float
    )
    found = expected_packets(grid, *pairs.T, packets)
    hops = (packets * grid.distance(*pairs.T)).sum()
    assert found.sum() == pytest.approx(hops, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "routing"),
    [("tree:2,4", "default"), ("tree:2,4", "up-down"), ("dragonfly:a=4,p=2,h=2", "default")],
)
def test_expected_packets_are_those_that_links_carry(text, routing):
    machine, config = parse(text), Config(routing=routing)
    placing = Placing(machine, config, application_work(config))
    work = Work("all-to-all,packets=4", 8)
    nodes = np.random.default_rng(3).permutation(machine.nodes)[:8]
    placed = Placed(Job(1, 0, 8, 0), work, nodes)
    network = Network(machine, config)
    placing.start(network, placed)
    while not network.advance():
        pass
    sources, targets = np.nonzero(placing.body(placed).traffic().W)
    found = expected_packets(machine, nodes[sources], nodes[targets], np.full(len(sources), 4.0), config)
    # Links to and from nodes are no one else's, and are not among the possible ones.
    carried = int(network.counters().link_packets.sum()) - 2 * 4 * len(sources)
    assert found.sum() == pytest.approx(carried, rel=0.02)
    assert (link_widths(machine, config) >= 1).all()


def test_jobs_without_common_links_have_no_influence():
    placing = placing_on("tree:4,3")
    first, second, third = (present(placing, nodes) for nodes in ([0, 1, 4, 5], [2, 3, 6, 7], range(16, 20)))
    assert influences(first, third) == influences(third, second) == 0
    assert influences(first, second) == influences(second, first) > 0.02
    busy = present(placing, [2, 3, 6, 7], compute=900)
    assert influences(second, busy) < influences(second, first) / 5


def test_only_jobs_on_which_more_acts_are_measured_again():
    placing = placing_on("tree:4,3")
    known = Neighbours(0.01)
    known.come(1, present(placing, [0, 1, 4, 5]))
    known.come(2, present(placing, range(16, 20)))
    found = known.to_measure()
    assert [(one.watched, one.beside, one.shares) for one in found] == [((1,), (), False), ((2,), (), False)]
    assert known.to_measure() == []
    known.come(3, present(placing, [2, 3, 6, 7]))
    (found,) = known.to_measure()
    assert set(found.watched) == {1, 3}
    known.go(1)
    (found,) = known.to_measure()
    assert (found.watched, found.beside, found.shares) == ((3,), (), False)
    known.go(2)
    assert known.to_measure() == []


def test_influence_below_the_slack_is_left_out_and_told_until_it_has_added_up():
    placing = placing_on("tree:4,3")
    job = present(placing, [0, 4, 16, 20])
    weak = present(placing, [1, 17], "2d-mesh,packets=1")
    one = influences(weak, job)
    known = Neighbours(1.5 * one)
    known.come(1, job)
    known.to_measure()
    known.come(2, weak)
    (found,) = known.to_measure()
    assert found.watched == (2,)
    assert known.drift[1] == pytest.approx(one)
    known.come(3, present(placing, [2, 18], "2d-mesh,packets=1"))
    assert any(1 in found.watched for found in known.to_measure())
    assert known.drift[1] == 0


def test_subtrees_may_be_exchanged():
    tree = parse("tree:4,3")
    names, places = ["a", "b"], [np.array([0, 1, 4, 5]), np.array([2, 6, 16, 17])]
    key, order = same_mix(tree, names, places)
    image = [np.array([62, 61, 57, 59]), np.array([60, 58, 2, 0])]
    assert same_mix(tree, names, image)[0] == key
    swapped, back = same_mix(tree, names[::-1], image[::-1])
    assert swapped == key
    assert [order[0], back[0]] == [0, 1]
    assert same_mix(tree, names, [places[0], np.array([2, 6, 16, 20])])[0] != key
    assert same_mix(tree, names, [places[0], np.array([2, 3, 16, 17])])[0] != key


def test_communication_that_is_hidden_is_still_held_up():
    # Computation hides nearly all that these send, alone; side by side they take a fifth longer.
    placing = placing_on("torus:8x8")
    rates = Rates(placing, 0.05)
    nodes = np.random.default_rng(6).permutation(64)
    work = Work("binary-tree,packets=4", 16, 1000, 188)
    jobs = [Placed(Job(number, 0, 16, 0), work, np.sort(nodes[16 * number :][:16])) for number in range(2)]
    found = rates.of(jobs)
    known = [presence(placing, job, rates.loops.iteration(job), rates.loops.speaking(job)) for job in jobs]
    assert all(rates.loops.iteration(job) < 1.1 * work.compute for job in jobs)
    assert influences(known[1], known[0]) > 0.1
    assert max(found.factors) < 1 + 2 * max(influences(*known), influences(*known[::-1]))
