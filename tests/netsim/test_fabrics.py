"""Cables, pipelines and credits: what they delay on an empty network, and what buffers then bear."""

from dataclasses import replace

import numpy as np
import pytest
from reference_cases import flow, program

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, Network, measure_load, pattern, simulate
from netplace.netsim.cable_cycles import kinds_of_links
from netplace.netsim.fabric_texts import read_latencies
from netplace.netsim.link_limits import limited_links
from netplace.netsim.presets import FABRICS, fabric_of
from netplace.netsim.table_router import verdict_on
from netplace.topologies import parse


def vcs_on(text, routing="default"):
    return verdict_on(parse(text), routing, "default")[2].needed


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
    given = {"vcs": vcs_on(text, "minimal"), "routing": "minimal"}
    plain, long = (
        simulate(
            parse(text), flow(1, received=False), ends, config=Config(**given, **also), engine=engine
        ).drained_cycles
        for also in ({}, {"cable_latency": told, "pipeline": 3, **more})
    )
    assert long - plain == 3 * switches + sum(count * latency[kind] for kind, count in cables.items())


@pytest.mark.parametrize("queue", [1, 2, 5, 9])
def test_a_long_cable_carries_what_its_buffers_bear(queue, engine):
    """Throughput is at most room / round trip (Dally and Towles, 2004, section 13.3.1), and reaches it."""
    network = parse("mesh:2x1")
    config = Config(vcs=1, cable_latency="30", credit_delay=3, queue_packets=queue, bubble=0)
    limits = limited_links(network, config)
    round_trip = 31 + 16 + 30 + 3
    assert [(limit.kind, limit.round_trip) for limit in limits] == [("local", round_trip)] * (queue < 5)
    packets = 300
    cycles = simulate(network, flow(packets, received=False), config=config, engine=engine).drained_cycles
    bound = min(1.0, queue * 16 / round_trip)
    assert 16 * packets / cycles == pytest.approx(bound, rel=0.02)
    if limits:
        assert limits[0].share == bound


def test_virtual_channels_of_a_level_bear_a_cable_together():
    network = parse("dragonfly:a=2,p=2,h=1")
    one, two = (
        limited_links(network, Config(routing="minimal", cable_latency="global=100", vcs=vcs))
        for vcs in (2, 4)
    )
    assert (one[0].vcs, two[0].vcs) == (1, 2)
    assert two[0].share == 2 * one[0].share
    assert str(one[0]).startswith("global cables cannot carry more than 29 % of their rate: 4 packets")


def test_nobody_is_told_of_limits_where_room_is_known_at_once():
    assert limited_links(parse("dragonfly:a=2,p=2,h=1"), Config(queue_packets=1, bubble=0)) == ()


def test_room_is_told_as_late_as_the_cable_is_long(engine):
    """With room for one packet the next follows when its credit is back; without credits, at once."""
    network = parse("mesh:2x1")
    usual = {"vcs": 1, "queue_packets": 1, "bubble": 0, "routing": "dor"}

    def cycles(**more):
        config = Config(**usual, **more)
        return simulate(network, flow(2, received=False), config=config, engine=engine).drained_cycles

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
        ({"cable_latency": "global=1e9m"}, "more than 1048576"),
        ({"cable_latency": "3,local=4"}, "'3' does not match CYCLES"),
        ({"fabric": "infiniband"}, "did you mean infiniband-ndr"),
        ({"congestion_control": "speed=3"}, "key: unknown name 'speed'; valid: window"),
        ({"congestion_control": "window=3,window=4"}, "window: appears twice"),
        ({"congestion_control": "window=3", "faults": "at=3,links=0.1"}, "expected no faults"),
        ({"traffic_classes": "count=2,weights=1+2+3"}, "weights: 3 are given, expected 2"),
        ({"traffic_classes": "high,low"}, "'high' does not match count=CLASSES"),
    ],
)
def test_what_is_no_setting_of_a_fabric_is_told(given, says):
    with pytest.raises(ValueError, match=says):
        Config(**given)


def test_a_kind_of_cable_that_a_network_has_not_is_told():
    with pytest.raises(ValueError, match=r"global: torus:4x4 has no cables between switches of two groups"):
        Network(parse("torus:4x4"), Config(vcs=4, cable_latency="global=3"))


def incast(control, engine, network="tree:4,2"):
    """Return the cycles of a flow from node 14 to 4, and of twelve nodes that all send to node 0."""
    senders = np.array([0, 1, 2, 3, *range(5, 14)])
    to_one = APPLICATIONS["all-to-one"].make(tasks=13, bytes=64 * 30)
    config = Config(vcs=2, pipeline=1, congestion_control=control)
    found = simulate(
        parse(network),
        [to_one, flow(30, received=False)],
        [senders, np.array([14, 4])],
        config=config,
        engine=engine,
    )
    return found.jobs[1].cycles, found.jobs[0].cycles


def test_bounds_by_pair_of_nodes_protect_the_victims_of_incast(engine):
    """As Slingshot's congestion control does (De Sensi et al., SC 2020); the incast itself loses nothing."""
    victim, all_to_one = incast("", engine)
    protected, bounded = incast("window=2", engine)
    assert victim > 2 * protected
    assert bounded < 1.01 * all_to_one


@pytest.mark.parametrize(("packets", "ack"), [(1, 0), (1, 12), (3, 40)])
def test_a_bound_of_packets_is_a_bound_of_the_rate(packets, ack, engine):
    """One pair has no more than the bound in each round trip: 17 cycles and the acknowledgement."""
    control = f"window={packets},ack={ack}"
    config = Config(vcs=1, routing="dor", congestion_control=control, bubble=0)
    cycles = simulate(
        parse("mesh:2x1"), flow(90, received=False), config=config, engine=engine
    ).drained_cycles
    assert cycles == pytest.approx(90 / packets * (17 + ack), rel=0.03)


def test_less_is_accepted_where_the_virtual_channels_of_a_port_share_a_way_through_the_crossbar():
    accepted = [
        measure_load(
            parse("hyperx:4x4,c=4"),
            1.0,
            config=Config(vcs=4, crossbar_speedup=crossbar),
            warmup=500,
            measure=1500,
        ).accepted
        for crossbar in (1, 2, 0)
    ]
    assert accepted[0] < 0.95 * accepted[1]
    assert accepted[1] < accepted[2]


def to_and_fro(load, engine, classes):
    """Return the cycles of 20 messages from node 0 to node 40 and back, beside uniform traffic."""
    network = parse("dragonfly:a=4,p=2,h=2")
    both = program([("send", 1, 64), ("recv", 1, 64)] * 20, [("recv", 0, 64), ("send", 0, 64)] * 20)
    config = Config(vcs=2, routing="minimal", credit_delay=0, traffic_classes=classes)
    run = Network(network, config, seed=1, engine=engine)
    run.generate(pattern("uniform", network, load / 16) if load else None)
    run.advance(600)
    job = run.start(both, [0, 40])
    run.advance()
    return run.job(job).end - 600


def test_priority_keeps_latency():
    alone, beside, first = (
        to_and_fro(load, "kernel", classes) for load, classes in ((0, ""), (0.6, ""), (0.6, "count=2"))
    )
    assert beside > 3 * alone
    assert first < min(2.2 * alone, beside / 2)


def shared_link(engine, classes, sizes=(64, 64)):
    """Return when each of two flows over one link has sent 200 packets, in packets on the link."""
    counts = [200 * 64 // size for size in sizes]
    programs = [
        program([("send", 1, size)] * count, [("recv", 0, size)] * count)
        for size, count in zip(sizes, counts, strict=True)
    ]
    config = Config(vcs=2, routing="dor", traffic_classes=classes, bubble=0, credit_delay=0)
    found = simulate(parse("mesh:2x1,c=2"), programs, [[0, 2], [1, 3]], config=config, engine=engine)
    return [job.cycles / 16 for job in found.jobs]


@pytest.mark.parametrize(
    ("classes", "first"),
    [("", 400), ("count=2", 200), ("weights=3+1", 267), ("weights=1+1", 400), ("weights=1+15", 400)],
)
def test_classes_share_a_link_by_priority_or_weights(classes, first, engine):
    ends = shared_link(engine, classes)
    assert ends[0] == pytest.approx(first, rel=0.03)
    assert max(ends) == pytest.approx(400, rel=0.03)


def test_messages_are_of_a_class_by_their_size(engine):
    ends = shared_link(engine, "bytes=100", sizes=(640, 64))
    assert ends[1] == pytest.approx(200, rel=0.03)


def small_ones_come(engine, classes):
    """Return when 200 packets have come to a node with one way in, beside 200 of others, in packets."""
    two = program([("send", 1, 64)] * 200, [], [("send", 1, 640)] * 20)
    config = Config(
        vcs=2, routing="dor", traffic_classes=classes, bubble=0, credit_delay=0, ejection="single"
    )
    found = simulate(parse("mesh:3x1"), two, config=config, engine=engine, record_messages=True)
    return [part.max() / 16 for part in (found.jobs[0].message_end[:200], found.jobs[0].message_end[200:])]


@pytest.mark.parametrize(
    ("classes", "first"),
    [("", 400), ("bytes=100", 200), ("bytes=100,weights=3+1", 267), ("weights=3+1", 400)],
)
def test_classes_share_a_single_way_into_a_node(classes, first, engine):
    ends = small_ones_come(engine, classes)
    assert ends[0] == pytest.approx(first, rel=0.03)
    assert max(ends) == pytest.approx(400, rel=0.03)


@pytest.mark.parametrize("name", FABRICS)
def test_a_named_fabric_has_its_settings_and_tells_others(name):
    config = Config(fabric=name)
    assert not config.overridden
    assert config.fabric_set
    assert all(getattr(config, key) == value for key, value in fabric_of(name).settings.items())
    other = Config(fabric=name, queue_packets=99)
    assert other.overridden == ("queue_packets",)
    assert "fabric" not in config.described()
    for text in ("dragonfly:a=4,p=2,h=2", "torus:4x4", "tree:4,2"):
        assert not limited_links(parse(text), replace(config, vcs=4))
