"""Links and routers that go down while packets are under way: by hand, by counting, and what is refused."""

import numpy as np
import pytest
from reference_cases import flow, program

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, DeadlockError, Network, Traffic, measure_load, pattern, simulate
from netplace.topologies import Cables, graph, parse

ENGINES = ["kernel", "reference"]
RING = graph("ring", Cables.of([(0, 1), (1, 2), (2, 3), (3, 0)]), [1] * 4, direct=True)


@pytest.mark.parametrize(("at", "links"), [(5, 3), (15, 3), (16, 1), (0, 3)])
def test_a_packet_is_sent_again_the_other_way_round(engine, at, links):
    # Its tail leaves node 0 in cycle 15. Sent again it is as if it had been created when the link went down.
    config = Config(vcs=3, routing="minimal", faults=f"at={at},link=0-1,packets=again")
    result = simulate(RING, flow(received=False), config=config, engine=engine)
    assert result.drained_cycles == links + 16 + (at if links == 3 else 0)
    assert (result.faults[0].lost, result.faults[0].again) == (0, int(0 < at < 16))
    assert result.packet_delay.count == 1
    assert result.packet_hops == links + (0 < at < 16)


@pytest.mark.parametrize("seed", range(4))
def test_from_a_switch_on_the_way_there_may_be_more_links_than_from_any_node(seed):
    # Up, down, up and down again, where two links between switches lead from any leaf to any other.
    faults = f"at=60,links=0.2,seed={seed},packets=again"
    config = Config(routing="ecmp", vc_discipline="hop", vcs=4, packet_phits=3, faults=faults)
    network = parse("xgft:2;2,3;1,2")
    kernel, reference = (
        measure_load(network, 0.5, config=config, warmup=10, measure=150, seed=1, engine=name).to_dict()
        for name in ENGINES
    )
    kernel |= {name: reference[name] for name in ("cpu_seconds", "events")}  # of each engine
    assert kernel == reference


def test_a_packet_is_lost_and_its_receiver_waits_for_ever(engine):
    config = Config(vcs=3, routing="minimal", faults="at=5,link=0-1")
    lost = simulate(RING, flow(received=False), config=config, engine=engine)
    assert (lost.faults[0].lost, lost.packet_delay.count) == (1, 0)
    with pytest.raises(DeadlockError, match=r"task 1 waits for task 0 to send .*; 1 packets were lost"):
        simulate(RING, flow(), config=config, engine=engine)


def test_what_has_crossed_is_thrown_away_where_its_header_is(engine):
    # Over 0-1-2 in a network whose links take 2 cycles a header: in cycle 6 the header is in node 2.
    config = Config(vcs=3, routing="minimal", link_delay=2, faults="at=6,link=0-1,packets=again")
    line = graph("ring", Cables.of([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]), [1] * 5, direct=True)
    result = simulate(line, flow(received=False), [0, 2], config=config, engine=engine)
    assert result.packet_hops == 2 + 3
    assert result.drained_cycles == 6 + 3 * 2 + 16


@pytest.mark.parametrize(
    ("faults", "drained"),
    [
        # Packets leave in cycles 0 and 16. At c cycles a phit the header of the second may leave node 1 from
        # 16 + 1 + 15 (c - 1) on, and the tail is consumed 16 cycles later.
        ("at=0,slow-link=0-1", 32 + 16 + 16),
        ("at=5,slow-link=0-1", 16 + 16 + 16),
        ("at=5,slow-link=1-0,cycles=3", 16 + 1 + 30 + 16),
        ("at=16,slow-link=0-1", 16 + 16 + 16),
        ("at=17,slow-link=0-1", 16 + 17),
        ("at=5,slow-link=2-3", 16 + 17),
        ("at=5,slow-link=0-1;at=15,slow-link=0-1,cycles=1", 16 + 17),
        ("at=0,slow=1;at=1,slow=1,cycles=1", 32 + 17),
        ("at=5,slow=1,cycles=1000", 16 + 1 + 15 * 999 + 16),
    ],
)
def test_a_packet_crosses_at_the_speed_at_which_it_began(engine, faults, drained):
    config = Config(vcs=3, routing="minimal", faults=faults)
    result = simulate(RING, flow(2, received=False), config=config, engine=engine)
    assert (result.drained_cycles, result.packet_hops) == (drained, 2)
    assert all((one.links, one.lost, one.routing) == (0, 0, "minimal") for one in result.faults)


def test_reports_tell_what_changed_speed():
    config = Config(routing="minimal", vcs=3, faults="at=3,slow=0.5,seed=1;at=9,slow-link=0-1,link=2-3")
    found = simulate(RING, flow(4, received=False), config=config).faults
    assert [one.slow for one in found] == [4, 2]
    assert str(found[0]) == "cycle 3: 4 links change speed; routing minimal"
    assert str(found[1]).startswith(
        "cycle 9: 2 links and 0 routers down, 2 links change speed; 0 packets lost"
    )


def test_half_as_fast_links_carry_half_as_much():
    ring = parse("torus:4x4")
    config = Config(routing="adaptive", vcs=4, faults="at=0,slow=1")
    slow = measure_load(ring, 1.0, config=config, warmup=1000, measure=4000).accepted
    config = Config(routing="adaptive", vcs=4)
    whole = measure_load(ring, 1.0, config=config, warmup=1000, measure=4000).accepted
    assert slow / whole == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("packets", ["lost", "again"])
@pytest.mark.parametrize("network", ["torus:4x4", "dragonfly:a=4,p=2,h=2", "tree:4,2"])
def test_every_packet_is_delivered_or_counted_as_lost(engine, packets, network):
    topology = parse(network)
    faults = f"at=100,links=0.15,seed=4,packets={packets};at=200,links=0.1,seed=3,packets={packets}"
    running = Network(topology, Config(vcs=4, faults=faults), engine=engine, seed=1)
    running.generate(pattern("uniform", topology, 0.9 / 16))
    running.advance(300)
    running.generate(None)
    running.advance()
    found = running.counters()
    lost = sum(report.lost for report in running.faults)
    again = sum(report.again for report in running.faults)
    assert running.in_flight == 0
    cut = sum(len(report.nodes) for report in running.faults)
    assert found.created == found.delivered + lost
    if not cut:
        assert (again > 0, lost > 0) == (packets == "again", packets == "lost")


def test_a_router_takes_its_node_and_the_jobs_there_along():
    topology = parse("torus:4x4")
    network = Network(topology, Config(faults="at=20,router=5"))
    all_to_all = APPLICATIONS["all-to-all"]
    jobs = [network.start(all_to_all.make(tasks=4), np.arange(4 * n, 4 * n + 4)) for n in range(4)]
    network.finish()
    (report,) = network.faults
    assert (report.nodes, report.jobs, report.routers, report.links) == ((5,), (jobs[1],), 1, 8)
    assert network.job(jobs[1]).stopped
    assert not any(network.job(job).stopped for job in (jobs[0], jobs[2], jobs[3]))
    with pytest.raises(ValueError, match="node 5 has been cut off by a fault"):
        network.start(all_to_all.make(tasks=4), [4, 5, 6, 7])


def test_the_smaller_part_is_cut_off():
    topology = parse("mesh:5x1")
    network = Network(topology, Config(faults="at=10,link=1-2"))
    network.advance(20)
    assert network.faults[0].nodes == (0, 1)
    assert network.cut.tolist() == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("network", "vcs", "faults", "routing"),
    [
        ("torus:4x4", 2, "at=50,link=0-1", "adaptive"),
        ("torus:4x4", 2, "at=50,router=3", "adaptive"),
        ("hyperx:4x4,c=1", 1, "at=50,link=16-17", "up-down"),
        ("tree:4,2", 2, "at=50,link=16-20", "adaptive"),
        ("dragonfly:a=4,p=2,h=2", 6, "at=50,link=72-73", "minimal"),
    ],
)
def test_routes_are_made_anew(network, vcs, faults, routing):
    running = Network(parse(network), Config(vcs=vcs, faults=faults))
    running.advance(100)
    assert running.faults[0].routing == routing


def test_a_torus_carries_nearly_as_much_as_before():
    topology = parse("torus:8x8")
    config = Config(vcs=4, queue_packets=8, faults="at=1000,links=0.05,seed=1,packets=again")
    point = measure_load(topology, 0.4, config=config, warmup=2000, measure=4000)
    assert point.accepted == pytest.approx(0.4, rel=0.05)


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ("at=5,link=0-9", r"faults at cycle 5: torus:4x4: no link between routers 0 and 9"),
        ("at=5,router=99", r"faults at cycle 5: torus:4x4: router 99 is not in 0..15"),
    ],
)
def test_faults_that_the_network_has_no_place_for(faults, words):
    with pytest.raises(ValueError, match=words):
        Network(parse("torus:4x4"), Config(faults=faults)).advance(10)


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ("links=0.1", r"at= is missing, expected at=CYCLE"),
        ("at=5", r"nothing fails or becomes slow"),
        ("at=5,links=0.1,cycles=3", r"cycles given without links"),
        ("at=5,link=3", r"'3' is not a pair of routers, expected a form such as 3-4"),
        ("at=5,lins=0.1", r"'lins=0.1' does not match at=CYCLE"),
        ("at=5,at=6,links=0.1", r"at: appears twice"),
        ("at=5,links=0.1,packets=kept", r"packets: unknown name 'kept'"),
    ],
)
def test_mistakes_in_writing(faults, words):
    with pytest.raises(ValueError, match=words):
        Config(faults=faults)


def test_faults_after_the_end_do_not_happen(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=2000,link=0-1"), engine=engine)
    network.generate(pattern("uniform", network.topology, 0.001))
    network.advance(1000)
    network.generate(None)  # sources may have drawn a cycle past the fault
    network.advance()
    assert (network.in_flight, network.faults) == (0, [])
    network.advance(3000)
    assert len(network.faults) == 1


def test_what_is_stuck_waits_for_the_next_fault(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=500,router=1"), engine=engine)
    job = network.start(program([], [("recv", 0, 64)]), [0, 1])
    assert network.advance(400) == []
    network.advance()
    assert network.faults[0].jobs == (job,)
    assert network.job(job).stopped


def test_what_no_fault_sets_free_is_a_deadlock(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=500,slow=1"), engine=engine)
    network.start(program([], [("recv", 0, 64)]), [0, 1])
    with pytest.raises(DeadlockError) as caught:
        network.advance()
    assert (caught.value.cycle, len(network.faults)) == (500, 1)


def test_open_loop_traffic_goes_on_through_faults(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=500,slow=1"), engine=engine)
    quiet = pattern("uniform", network.topology, 1e-9)
    assert isinstance(quiet, Traffic)
    network.generate(quiet)
    network.advance(600)
    assert [report.at for report in network.faults] == [500]
