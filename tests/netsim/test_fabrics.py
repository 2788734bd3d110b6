"""Cables, pipelines and credits: what they delay on an empty network, and what buffers then bear."""

from __future__ import annotations

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, Network, simulate
from netplace.netsim.cables import kinds_of_links, read_latencies
from netplace.netsim.general import verdict_on
from netplace.netsim.link_limits import limited_links
from netplace.topologies import parse

ENGINES = ("kernel", "reference")


def flow(packets, size=64):
    writers = [TaskWriter(task, 2) for task in range(2)]
    writers[0].send(1, size * packets, 0)
    return Program.of(writers, "flow")


def vcs_on(text, routing="usual"):
    return verdict_on(parse(text), routing, "usual")[2].needed


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("text", "ends", "cables", "switches"),
    [
        ("mesh:4x1", (0, 3), {"local": 3}, 4),
        ("tree:2,2", (0, 3), {"node": 2, "local": 2}, 3),
        ("dragonfly:a=2,p=1,h=1", (0, 1), {"node": 2, "local": 1}, 2),
        ("dragonfly:a=2,p=1,h=1", (0, 2), {"node": 2, "global": 1}, 2),
        ("nodes:tasks=2/mesh:2x1", (0, 3), {"node": 2, "local": 1}, 2),
    ],
)
@pytest.mark.parametrize("more", [{}, {"credit_delay": 9}])
def test_an_empty_network_takes_its_hops_cables_and_switches(text, ends, cables, switches, engine, more):
    latency = {"node": 2, "local": 7, "global": 40}
    told = ",".join(f"{kind}={latency[kind]}" for kind in cables)
    given = dict(vcs=vcs_on(text, "minimal"), routing="minimal")
    plain, long = (
        simulate(parse(text), flow(1), ends, config=Config(**given, **also), engine=engine).drained_cycles
        for also in ({}, {"cable_latency": told, "pipeline": 3, **more})
    )
    assert long - plain == 3 * switches + sum(count * latency[kind] for kind, count in cables.items())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("queue", [1, 2, 5, 9])
def test_a_long_cable_carries_what_its_buffers_bear(queue, engine):
    """Throughput is at most room / round trip (Dally and Towles, 2004, section 13.3.1), and reaches it."""
    network = parse("mesh:2x1")
    config = Config(vcs=1, cable_latency="30", credit_delay=3, queue_packets=queue, bubble=0)
    limits = limited_links(network, config)
    round_trip = 31 + 16 + 30 + 3
    assert [(limit.kind, limit.round_trip) for limit in limits] == [("local", round_trip)] * (queue < 5)
    packets = 300
    cycles = simulate(network, flow(packets), config=config, engine=engine).drained_cycles
    bound = min(1.0, queue * 16 / round_trip)
    assert 16 * packets / cycles == pytest.approx(bound, rel=0.02)
    if limits:
        assert limits[0].share == bound


def test_virtual_channels_of_a_level_bear_a_cable_together():
    network = parse("dragonfly:a=2,p=2,h=1")
    one, two = (
        limited_links(network, Config(routing="minimal", cable_latency="global=100", vcs=vcs)) for vcs in (2, 4)
    )
    assert (one[0].vcs, two[0].vcs) == (1, 2)
    assert two[0].share == 2 * one[0].share
    assert str(one[0]).startswith("global cables can not carry more than 29 % of their rate: 4 packets")


def test_nobody_is_told_of_limits_where_room_is_known_at_once():
    assert limited_links(parse("dragonfly:a=2,p=2,h=1"), Config(queue_packets=1, bubble=0)) == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_room_is_told_as_late_as_the_cable_is_long(engine):
    """With room for one packet the next follows when its credit is back; an older long link waits for none."""
    network = parse("mesh:2x1")
    usual = {"vcs": 1, "queue_packets": 1, "bubble": 0, "routing": "dor"}

    def cycles(**more):
        config = Config(**usual, **more)
        return simulate(network, flow(2), config=config, engine=engine).drained_cycles

    at_once = cycles(link_delay=11)
    assert cycles(link_delay=11, credit_delay=0) - at_once == 10
    assert cycles(link_delay=11, credit_delay=4) - at_once == 14
    assert cycles(cable_latency="10") - at_once == 10


def test_kinds_of_cables_are_those_of_the_network():
    links = kinds_of_links(parse("dragonfly:a=3,p=2,h=1"))
    assert {kind: int(table.sum()) for kind, table in links.items()} == {
        "node": 2 * 24,
        "local": 4 * 3 * 2,
        "global": 4 * 3,
    }
    inside = kinds_of_links(parse("nodes:tasks=3/torus:2x2"))
    assert int(inside["node"].sum()) == 2 * 4
    assert np.sum(list(inside.values())) == 2 * 4 + 16


def test_metres_and_nanoseconds_become_cycles():
    assert read_latencies("node=2m,local=3.2ns,global=10", 3.2) == {"node": 4, "local": 1, "global": 10}
    assert read_latencies("1m", 2.0) == dict.fromkeys(("node", "local", "global"), 3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cable_latency": "lokal=3"}, "did you mean local"),
        ({"cable_latency": "3 miles"}, "3 miles"),
        ({"cable_latency": "-1"}, "-1 is too small"),
        ({"cable_latency": "global=-4m"}, "too small"),
        ({"cable_latency": "global=1e9m"}, "more than 1048576"),
        ({"cable_latency": "3,local=4"}, "local is given twice"),
        ({"credit_delay": -1}, "credit_delay: -1 is too small"),
        ({"pipeline": 1 << 21}, "pipeline: 2097152 is too large"),
    ],
)
def test_what_is_no_setting_of_a_fabric_is_told(given, says):
    with pytest.raises(ValueError, match=says):
        Config(**given)


def test_a_kind_of_cable_that_a_network_has_not_is_told():
    with pytest.raises(ValueError, match=r"global: torus:4x4 has no cables between switches of two groups"):
        Network(parse("torus:4x4"), Config(vcs=4, cable_latency="global=3"))


def test_settings_of_a_fabric_that_are_not_set_leave_results_their_names():
    names = {"cable_latency", "pipeline", "credit_delay"}
    assert not names & set(Config().described())
    assert Config(pipeline=2).described()["pipeline"] == 2
    assert Config(credit_delay=0).described()["credit_delay"] == 0
