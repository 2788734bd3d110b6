"""Wormhole switching on the reference engine: what small buffers carry, hold up, and lock."""

import numpy as np
import pytest
from reference_cases import flow, program

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, DeadlockError, Network, measure_load, simulate
from netplace.topologies import parse


def run(text, programs, places, **settings):
    config = Config(**{"vcs": 1, "routing": "dor"} | settings)
    return simulate(parse(text), programs, places, config=config, engine="reference")


@pytest.mark.parametrize("more", [{}, {"pipeline": 3}, {"cable_latency": "4", "pipeline": 2}])
@pytest.mark.parametrize("room", [5, 16, 40])
def test_a_packet_that_is_alone_takes_as_long_as_under_cut_through(room, more):
    room *= 1 + 2 * len(more)
    worm, through = (
        run("mesh:5x1", flow(1), [0, 4], **more, **switching).drained_cycles
        for switching in ({"buffer_phits": room}, {"credit_delay": 0})
    )
    assert worm == through


@pytest.mark.parametrize(("cable", "credit"), [(0, 0), (6, 0), (6, 4), (20, 3)])
@pytest.mark.parametrize("room", [1, 2, 7, 12, 40])
def test_a_flow_has_the_rate_of_its_room_over_the_round_trip(room, cable, credit):
    """A place is taken from a phit's departure until room is known (Dally and Towles, section 13.3.1)."""
    packets = 100
    found = run(
        "mesh:2x1", flow(packets), [0, 1], buffer_phits=room, cable_latency=str(cable), credit_delay=credit
    )
    trip = 1 + cable + 1 + cable + credit
    assert 16 * packets / found.drained_cycles == pytest.approx(min(1, room / trip), rel=0.03)


def victim(vcs, room):
    """Return the cycles of a flow over a link that it shares with one that has a third of another."""
    to_one = [("send", 1, 64 * 100)]
    jobs = [program(to_one, [], to_one, to_one), flow(100)]
    places = [np.array([0, 7, 2, 4]), np.array([1, 3])]
    return run("mesh:5x2", jobs, places, vcs=vcs, buffer_phits=room).jobs[1].cycles


def test_virtual_channels_let_packets_pass_others_that_stand_still():
    """The same room in more lanes, as in W. J. Dally, "Virtual-channel flow control", 1992."""
    one, two, four = (victim(vcs, 16 // vcs) for vcs in (1, 2, 4))
    assert one > two > 1.5 * four


def test_more_room_accepts_more_of_uniform_traffic():
    accepted = [
        measure_load(
            parse("mesh:4x4"),
            1.0,
            config=Config(vcs=1, routing="dor", buffer_phits=room),
            engine="reference",
            warmup=300,
            measure=1000,
        ).accepted
        for room in (2, 16, 64)
    ]
    assert accepted[0] < 0.95 * accepted[1] < 0.9 * accepted[2]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("torus:3x3", {"vcs": 2}),
        ("mesh:3x3", {"vcs": 3, "routing": "adaptive", "traffic_classes": "count=2"}),
        ("dragonfly:a=3,p=1,h=1", {"vcs": 4, "routing": "ugal-l", "cable_latency": "global=9"}),
        ("tree:3,2", {"vcs": 2, "routing": "adaptive", "ordered_flows": True, "injectors": 2}),
    ],
)
@pytest.mark.parametrize("room", [1, 3, 17])
def test_no_buffer_holds_more_than_it_has_room_for_and_all_packets_come(text, settings, room):
    topology = parse(text)
    config = Config(**{"routing": "dor", "buffer_phits": room} | settings)
    network = Network(topology, config, engine="reference", seed=2, explain=True)
    for part in range(2):
        nodes = np.asarray(topology.computing)[part::2][:4]
        network.start(APPLICATIONS["all-to-all"].make(tasks=len(nodes), bytes=300), nodes)
    fabric = network._engine._fabric
    untold = fabric.untold
    buffers = [fifo for router in fabric.routers for fifo in router.fifos if fifo.port >= 0]
    while network.in_flight or not network.now:
        network.advance(network.now + 7)
        assert max(fifo.present for fifo in buffers) <= room
        assert min(fifo.room - untold[fifo] for fifo in buffers) >= 0
    network.finish()
    counters = network.counters()
    assert counters.created == counters.delivered > 0
    assert network.waiting().total == network.waiting().waited


def test_worms_that_stand_in_a_circle_end_the_run():
    ring = program(*([("send", (task + 2) % 5, 640), ("recv", (task - 2) % 5, 640)] for task in range(5)))
    config = Config(vcs=1, routing="dor", vc_discipline="none", allow_deadlock=True, buffer_phits=2)
    with pytest.raises(DeadlockError):
        simulate(parse("torus:5"), ring, config=config, engine="reference")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"faults": "at=3,links=0.1"}, "wormhole switching, which does not support faults 'at=3,links=0.1'"),
        ({"crossbar_speedup": 1}, "does not support crossbar_speedup 1"),
        ({"congestion_control": "dcqcn=1"}, "does not support congestion_control 'dcqcn=1'"),
        ({"buffer_phits": -1}, "buffer_phits: -1 is too small"),
    ],
)
def test_what_wormhole_switching_can_not_be_had_with_is_told(given, says):
    with pytest.raises(ValueError, match=says):
        Config(**{"buffer_phits": 4} | given)


def test_engines_and_links_without_wormhole_switching_are_told():
    config = Config(vcs=1, routing="dor", buffer_phits=4)
    with pytest.raises(ValueError, match="only the reference engine simulates; expected engine reference"):
        Network(parse("mesh:3x3"), config)
    with pytest.raises(ValueError, match="links with 2 cycles per phit, expected 1"):
        Network(parse("nodes:tasks=4,sockets=2,bus=2/mesh:2x2"), config, engine="reference")
