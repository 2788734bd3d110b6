"""Compute nodes of several tasks: what crosses memory, what shares the interface, rails and planes."""

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import ENGINES, Config, Network, measure_load, pattern, simulate
from netplace.placement import map_tasks
from netplace.topologies import compute_nodes, parse
from netplace.topologies.faults import failing
from netplace.topologies.routing import make_routes, reach

CONFIG = Config(vcs=3)
BYTES = 64  # of a packet
SERIAL = 64 * CONFIG.packet_phits  # cycles of 64 packets on one link


def sends(*pairs: tuple[int, int]) -> Program:
    """Return a program of four tasks in which some send 64 packets to others."""
    tasks = [TaskWriter(task, 4) for task in range(4)]
    for source, target in pairs:
        tasks[source].send(target, 64 * BYTES)
    for source, target in pairs:
        tasks[target].recv(source, 64 * BYTES)
    return Program.of(tasks)


def cycles(network: str, engine: str, *pairs: tuple[int, int]) -> int:
    return int(simulate(parse(network), sends(*pairs), [0, 1, 2, 3], config=CONFIG, engine=engine).cycles)


def test_within_a_compute_node_nothing_is_on_the_wire(engine):
    topology = parse("nodes:tasks=2/torus:3x2")
    network = Network(topology, CONFIG, engine=engine)
    network.start(sends((0, 1), (3, 2)), [0, 1, 2, 3])
    network.advance(10_000)
    packets = network.counters().link_packets
    assert packets[:4].sum() == 2 * 64  # from the tasks into memory
    assert packets.sum() == 2 * 2 * 64  # and out of it: no other link
    assert topology.home[[0, 1, 2, 3]].tolist() == [18, 18, 19, 19]


@pytest.mark.parametrize(
    ("nodes", "times"),
    [
        ("tasks=2", 2),
        ("tasks=2,rails=2", 1),
        ("tasks=2,planes=2", 1),
        ("tasks=2,nic=3", 6),
        ("tasks=2,rails=2,nic=3", 3),
    ],
)
def test_what_tasks_send_to_another_node_shares_its_links(nodes, times, engine):
    taken = cycles(f"nodes:{nodes}/hyperx:2,c=2", engine, (0, 2), (1, 3))
    assert times * SERIAL < taken < times * SERIAL + 150


def test_memory_has_a_rate_and_a_latency(engine):
    plain = cycles("nodes:tasks=4/torus:3", engine, (0, 1))
    assert SERIAL < plain < SERIAL + 10
    assert cycles("nodes:tasks=4,memory=2/torus:3", engine, (0, 1)) >= 2 * SERIAL
    assert cycles("nodes:tasks=4,latency=70/torus:3", engine, (0, 1)) == plain + 2 * 70
    assert cycles("nodes:tasks=4/torus:3", engine, (0, 1), (2, 3)) == plain  # each task has a way of its own


@pytest.mark.parametrize("of", ["torus:3", "tree:2,2"])
def test_sockets_have_a_bus_that_their_tasks_share(of, engine):
    machine = f"nodes:tasks=4,sockets=2,bus=3,crossing=20/{of}"
    alone = cycles(f"nodes:tasks=4/{of}", engine, (0, 1))
    assert cycles(machine, engine, (0, 1)) == alone  # on the same socket
    across = cycles(machine, engine, (0, 2))
    assert (
        3 * SERIAL + 2 * 20 < across < 3 * SERIAL + 2 * 20 + 100
    )  # a bus at either end, one after the other
    both = cycles(machine, engine, (0, 2), (1, 3))
    assert 6 * SERIAL < both < 6 * SERIAL + 250


@pytest.mark.parametrize(
    ("routing", "discipline"),
    [("valiant", "hop"), ("minimal", "hop"), ("adaptive", "default"), ("ugal-g", "default"), ("ecmp", "hop")],
)
@pytest.mark.parametrize("planes", [1, 2])
def test_packets_leave_for_a_socket_by_any_virtual_channel(routing, discipline, planes):
    # Their level may be above all there are: after the last hop of the network nothing waits any more.
    topology = parse(f"nodes:tasks=4,sockets=2,planes={planes}/mesh:3x2")
    config = Config(vcs=6, routing=routing, vc_discipline=discipline, queue_packets=2)
    points = [
        measure_load(topology, 0.2, config=config, engine=engine, seed=3, warmup=0, measure=400).to_dict()
        for engine in ENGINES
    ]
    for name in ("packets", "packet_hops", "mean_delay"):
        assert points[0][name] == points[1][name]
    assert points[0]["packets"] > 50


@pytest.mark.parametrize("of", ["torus:3x3", "dragonfly:a=2,p=2,h=1", "tree:2,2", "xgft:2;2,3;1,2"])
def test_a_socket_each_adds_a_link_to_all_ways_that_leave_it(of):
    plain, more = (parse(f"nodes:tasks=4,{sockets}planes=1/{of}") for sockets in ("", "sockets=2,"))
    here, there = np.divmod(np.arange(plain.nodes**2), plain.nodes)
    leaving = here // 2 != there // 2
    assert np.array_equal(more.distance(here, there), plain.distance(here, there) + 2 * leaving)


@pytest.mark.parametrize("of", ["dragonfly:a=2,p=2,h=1", "xgft:2;2,3;1,2", "torus:3x3,c=1", "tree:2,2"])
def test_one_task_a_node_adds_a_link_at_either_end(of):
    plain, more = parse(of), compute_nodes(parse(of), 1)
    here, there = np.divmod(np.arange(plain.nodes**2), plain.nodes)
    apart = here != there
    assert np.array_equal(more.distance(here, there), plain.distance(here, there) + 2 * apart)
    assert more.average_distance == pytest.approx(plain.average_distance + 2)


@pytest.mark.parametrize("routing", ["minimal", "valiant", "ugal-l", "ugal-g", "par"])
@pytest.mark.parametrize("parts", ["tasks=2", "tasks=2,planes=2"])
def test_detours_are_chosen_in_the_network_and_lead_through_no_compute_node(routing, parts):
    hops = []
    for text in ("dragonfly:a=4,p=2,h=2", f"nodes:{parts}/dragonfly:a=4,p=1,h=2"):
        topology = parse(text)
        network = Network(topology, Config(vcs=8, routing=routing), seed=1)
        network.generate(pattern("uniform", topology, 0.2 / 16 * getattr(topology, "planes", 1)))
        network.advance(6_000)
        counted = network.counters()
        first, last = topology.first_switch, topology.routers - topology.compute_nodes
        router, port, end, _ = topology.links().T
        inside = (router >= first) & (router < last) & (end >= first) & (end < last)
        hops.append(counted.link_packets[router[inside], port[inside]].sum() / counted.delivered)
    assert hops[1] == pytest.approx(hops[0], rel=0.05)  # between switches, a packet


def test_a_mapping_puts_tasks_that_talk_much_on_the_same_compute_node():
    topology = parse("nodes:tasks=4/torus:4x4")
    tasks = [TaskWriter(task, 16) for task in range(16)]
    for first in range(4):  # those of the same remainder talk, in a ring
        ring = range(first, 16, 4)
        for task, other in zip(ring, [*ring[1:], ring[0]], strict=True):
            tasks[task].send(other, BYTES)
            tasks[other].recv(task, BYTES)
    nodes = map_tasks("classic", topology, 16, nodes=np.arange(16), program=Program.of(tasks), seed=1) // 4
    assert all(len(set(nodes[first::4].tolist())) == 1 for first in range(4))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nodes:tasks=0/torus:4x4", r"tasks: 0 .*expected .*1"),
        ("nodes:rails=2/torus:4x4", r"tasks is missing"),
        ("nodes:tasks=2/nodes:tasks=2/torus:4x4", r"already has nodes with several tasks"),
        ("faulty:links=0.1/nodes:tasks=2/torus:4x4", r"faulty: after nodes:"),
        ("nodes:tasks=3,sockets=2/torus:4x4", r"sockets=2 does not divide tasks=3"),
        ("nodes:tasks=100000000000/torus:4x4", r"network too large"),
    ],
)
def test_what_is_wrong_is_said(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse(text)


PLANES = ("nodes:tasks=2,planes=2/torus:4x4", "nodes:tasks=2,planes=3,sockets=2/hyperx:3x3,c=2")


@pytest.mark.parametrize("routing", ["up-down", "minimal", "adaptive", "valiant", "ugal-g"])
@pytest.mark.parametrize("text", PLANES)
@pytest.mark.parametrize("shares", [{"links": 0.2}, {"links": 0.1, "routers": 0.1}], ids=str)
def test_where_planes_fail_in_part_routes_lead_from_all_that_remain_to_all(text, routing, shares):
    for seed in range(3):
        after = failing(parse(text), seed=seed, **shares)
        switches, routes = make_routes(after, routing)
        assert not switches.planes_alike
        ends = switches.with_nodes
        hops = reach(switches, routes.ports, np.zeros(switches.neighbor.shape, np.int8), routing).hops
        assert (hops[np.ix_(ends, ends)] >= 0).all()
        first = switches.count - switches.compute_nodes
        for number in range(switches.planes):  # no way leaves a plane but to a compute node
            here = slice(number * switches.of_plane, (number + 1) * switches.of_plane)
            ports = routes.ports[here]
            end = switches.neighbor[here][np.nonzero(ports >= 0)[0], ports[ports >= 0]]
            assert (((end >= here.start) & (end < here.stop)) | (end >= first)).all()


def test_who_loses_the_plane_of_most_is_cut_off_and_the_others_keep_both():
    machine = parse("nodes:tasks=2,planes=2/torus:2x2")
    switch = machine.first_switch  # 4 of each plane, then compute nodes
    down = [(switch, switch + 8), (switch + 5, switch + 9), (switch + 6, switch + 10)]
    after = failing(machine, down=down)
    assert np.flatnonzero(after.cut).tolist() == [0, 1]  # those of compute node 0, joined to plane 1 alone
    _, routes = make_routes(after, "minimal")
    ways = {(a, b): (routes.ports[8 + a, 8 + b] >= 0).sum() for a in (1, 2, 3) for b in (1, 2, 3) if a != b}
    assert set(ways.values()) == {1}  # of 1, 2 and 3 only the last has both planes


def test_messages_take_the_plane_that_is_left(engine):
    machine = parse("nodes:tasks=1,planes=2/torus:3x3")
    first = machine.first_switch
    network = Network(machine, Config(vcs=4, faults=f"at=0,link={first + 9}-{first + 18}"), engine=engine)
    network.start(sends((0, 1)), [0, 1, 2, 3])
    network.advance(10_000)
    carried = network.counters().link_packets.reshape(machine.routers, -1)[first : first + 18].sum(axis=1)
    assert carried[:9].sum() > 0
    assert carried[9:].sum() == 0


def test_a_packet_in_a_plane_that_its_destination_lost_is_lost_in_both_engines():
    machine = parse("nodes:tasks=1,planes=2/torus:3x3")
    first = machine.first_switch
    reports = []
    for engine in ENGINES:
        network = Network(
            machine, Config(vcs=4, faults=f"at=150,link={first + 10}-{first + 19}"), engine=engine
        )
        network.generate(pattern("uniform", machine, 0.1))
        network.advance(600)
        reports.append(network.faults)
    assert reports[0] == reports[1]
    assert reports[0][0].lost > 0
    assert not reports[0][0].nodes
