"""Nodes that do not compute, links and routers that are down or slow: what remains, and how it is routed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, Network, Traffic, left_out, measure_load, pattern, simulate
from netplace.placement import map_tasks, partition
from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import PARTITIONERS, make_partitioner
from netplace.topologies import Graph, parse, with_faults
from netplace.topologies.routing import check, make_routes

TEXT = "service:nodes=0+5-7,every=8,first=3/torus:8x4"
SERVICE = [0, 3, 5, 6, 7, 11, 19, 27]


def test_nodes_by_list_and_by_rule():
    network = parse(TEXT)
    assert str(network) == TEXT
    assert network.service.tolist() == SERVICE
    assert sorted([*network.service.tolist(), *network.computing.tolist()]) == list(range(32))
    assert parse("torus:8x4").service.size == 0


@pytest.mark.parametrize("rule", ["whole", "random", "quadrants"])
def test_partitions_leave_them_out(rule):
    (nodes,) = partition(rule, parse(TEXT), [4], seed=1)
    assert not np.isin(nodes, SERVICE).any()
    with pytest.raises(ValueError, match="bands:1: the 4 tasks of job 0 do not fit its 3 nodes that"):
        partition("bands:1", parse(TEXT), [4])


def test_jobs_side_by_side_and_mappings():
    network = parse(TEXT)
    parts = partition("whole", network, [10, 14])
    assert np.concatenate(parts).tolist() == network.computing.tolist()
    assert not np.isin(map_tasks("random", network, 24, seed=1), SERVICE).any()
    program = APPLICATIONS["2d-mesh"].make(tasks=16)
    assert not np.isin(simulate(network, program).jobs[0].nodes, SERVICE).any()
    with pytest.raises(ValueError, match=r"node 5 of service:.* does not compute"):
        simulate(network, APPLICATIONS["2d-mesh"].make(tasks=4), [1, 2, 4, 5])
    with pytest.raises(ValueError, match="25 tasks are more than the 24 nodes"):
        partition("whole", network, [25])


@pytest.mark.parametrize("name", ["contiguous", "non-contiguous", "random", "curve", "mc", "paging"])
def test_partitioners_never_give_them(name):
    if name not in PARTITIONERS:
        pytest.fail(f"no partitioner {name}: {', '.join(PARTITIONERS)}")
    partitioner = make_partitioner(name, parse(TEXT), 1)
    given = []
    while (found := partitioner.find(Job(1, 0.0, 2, 1.0))) is not None:
        partitioner.take(found)
        given += found.nodes.tolist()
    assert given
    assert not np.isin(given, SERVICE).any()


def test_schedules_have_fewer_nodes():
    network = parse(TEXT)
    made = schedule(network, [Job(1, 0, 24, 10), Job(2, 0, 1, 10)], "fcfs", "non-contiguous")
    assert made.machine_nodes == 24
    assert made.start.tolist() == [0.0, 10.0]


def test_they_create_no_traffic():
    network = parse("service:every=2/torus:4x4")
    assert pattern("neighbour", network, 0.1).target[::2].tolist() == list(range(0, 16, 2))
    point = measure_load(network, 0.2, config=Config(), warmup=500, measure=4000)
    assert point.accepted == pytest.approx(0.1, rel=0.1)


def reached(text, engine, traffic=None, without=(), cycles=3000):
    """Return the nodes that any link led packets to, those of a tree being ends of links."""
    network = Network(parse(text), engine=engine, seed=2)
    network.generate(traffic or pattern("uniform", network.topology, 0.02, without=without))
    network.advance(cycles)
    network.generate(None)
    network.advance()
    counters = network.counters()
    links, packets = network.topology.links(), counters.link_packets
    nodes = network.topology.nodes
    return packets, {int(end) for router, port, end, _ in links if end < nodes and packets[router, port]}


@pytest.mark.parametrize("kind", ["tree:2,3", "torus:2x2,c=3", "dragonfly:a=2,p=2,h=1"])
def test_uniform_traffic_goes_to_nodes_that_compute_alone(kind, engine):
    network = parse(f"service:nodes=0+2-4/{kind}")
    packets, found = reached(str(network), engine, without=[6])
    assert found == set(network.computing.tolist()) - {6}
    assert (packets == reached(str(network), "reference", without=[6])[0]).all()


def test_drawing_among_all_is_drawing(engine):
    every = np.arange(8, dtype=np.int32)
    free = Traffic(0.02, np.full(8, -1, np.int32))
    listed = Traffic(0.02, np.full(8, -1, np.int32), among=every)
    assert (reached("torus:8", engine, free)[0] == reached("torus:8", engine, listed)[0]).all()


def test_nodes_cut_off_from_the_start_get_none(engine):
    cut = Config(faults="at=0,router=5")
    whole, torn = (
        measure_load(parse("torus:4x4"), 0.2, config=config, engine=engine, warmup=0, measure=4000)
        for config in (Config(), cut)
    )
    assert torn.accepted == pytest.approx(whole.accepted * 15 / 16, rel=0.04)  # not (15 / 16) ** 2


def test_fixed_partners_hot_nodes_and_lone_nodes():
    network = parse("service:every=2/torus:4x4")
    assert left_out("uniform", network).tolist() == left_out("transpose", parse("torus:4x4")).tolist() == []
    assert left_out("bit-complement", network).tolist() == list(range(1, 16, 2))
    assert pattern("bit-complement", network, 0.1).target.tolist() == list(range(16))
    assert pattern("hot-spot", network, 0.1).hot_node == 9
    with pytest.raises(ValueError, match=r"--hot-node: node 4 of service:every=2/torus:4x4 does not compute"):
        pattern("hot-spot", network, 0.1, hot_node=4)
    alone = pattern("uniform", parse("service:nodes=0-2/torus:4"), 0.1)
    assert alone.target.tolist() == [0, 1, 2, 3]
    with pytest.raises(
        ValueError, match="--traffic uniform: no node of service:every=2/torus:4x4 creates packets"
    ):
        pattern("uniform", network, 0.1, without=range(16))


@pytest.mark.parametrize(
    ("among", "words"),
    [([2, 1], "not in increasing order"), ([1, 2], "node 0 draws .* not one"), ([0], "no node except 0")],
)
def test_lists_that_cannot_be_drawn_from(among, words):
    with pytest.raises(ValueError, match=words):
        Traffic(0.1, np.array([-1, 1, 2], np.int32), among=np.array(among, np.int32))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("service:nodes=99/torus:4x4", r"node: 99 is too large, expected at most 15"),
        ("service:every=1/torus:4x4", r"no compute node remains"),
        ("faulty:links=0.9/torus:6x6", r"not connected, \d+ of 36 nodes cannot be reached from node 0: "),
        ("faulty:links=0.1", r"expected faults, a slash and a network"),
        ("faulty:link=0.1/torus:4x4", r"unknown 'link=0.1', expected links="),
        ("faulty:routers=1/torus:4x4", r"no node remains"),
    ],
)
def test_mistakes(text, words):
    with pytest.raises(ValueError, match=words):
        parse(text)


@given(st.sampled_from(["torus:4x3", "tree:2,3", "mesh:3x2,c=2"]), st.data())
def test_engines_draw_alike_among_some(text, data):
    nodes = parse(text).nodes
    among = sorted(data.draw(st.sets(st.integers(0, nodes - 1), min_size=2)))
    target = np.arange(nodes, dtype=np.int32)
    target[among] = data.draw(
        st.lists(st.sampled_from([-1, -1, 0]), min_size=len(among), max_size=len(among))
    )
    hot = data.draw(st.sampled_from([(-1, 0.0), (among[0], 0.3)]))
    traffic = Traffic(0.02, target, *hot, among=np.array(among, np.int32))
    kernel, reference = (reached(text, engine, traffic, cycles=1000)[0] for engine in ("kernel", "reference"))
    assert (kernel == reference).all()


@pytest.mark.parametrize(
    "text",
    [
        "faulty:links=0.1,seed=2/torus:8x8",
        "faulty:links=0.1,routers=0.1,slow=0.2,seed=3/dragonfly:a=4,p=2,h=2",
        "faulty:links=0.05,seed=1/xgft:3;4,3,2;1,2,3",
        "faulty:routers=0.05/mesh:6x6",
        "faulty:slow=1/tree:3,2",
    ],
)
@pytest.mark.parametrize("routing", ["default", "adaptive", "minimal"])
def test_what_remains_is_routed_without_deadlock(text: str, routing: str) -> None:
    network = parse(text)
    assert isinstance(network, Graph)
    assert str(network) == text
    assert check(*make_routes(network, "" if routing == "default" else routing)).free
    if routing == "default":
        point = measure_load(network, 0.1, config=Config(), warmup=300, measure=1000)
        assert point.accepted == pytest.approx(0.1, rel=0.3)


def test_one_link_of_a_torus() -> None:
    network = with_faults(parse("torus:4x4"), down=[(0, 1)])
    assert network.distance(0, 1) == 3
    assert (network.neighbor >= 0).sum() == 4 * 16 - 2
    assert (network.neighbor[0] != 1).all()
    assert (network.neighbor[1] != 0).all()


def test_a_router_takes_its_nodes_along() -> None:
    network = with_faults(parse("dragonfly:a=2,p=2,h=1"), off=[12])
    assert (network.nodes, network.switches) == (10, 5)
    assert network.home.tolist() == [10, 10, 11, 11, 12, 12, 13, 13, 14, 14]


def test_the_same_seed_draws_the_same_faults() -> None:
    first, again, other = (parse(f"faulty:links=0.1,seed={seed}/torus:6x6") for seed in (1, 1, 2))
    assert np.array_equal(first.neighbor, again.neighbor)
    assert not np.array_equal(first.neighbor, other.neighbor)


def test_links_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"no link between routers 0 and 5"):
        with_faults(parse("torus:4x4"), down=[(0, 5)])
    with pytest.raises(ValueError, match=r"router 99 is not in 0..15"):
        with_faults(parse("torus:4x4"), off=[99])


@pytest.mark.parametrize(
    ("network", "routing"),
    [("torus:4x4", "dor"), ("tree:2,3", "d-mod-k"), ("hyperx:3x2,c=2", "dor"), ("twisted:4x3+1", "dor")],
)
def test_slow_links_alone_leave_the_routing(network, routing):
    slow = parse(f"faulty:slow=0.3,cycles=3,seed=1/{network}")
    assert slow.text == f"faulty:slow=0.3,seed=1,cycles=3/{network}"
    assert slow.default_routing == routing
    assert set(slow.cycles.ravel().tolist()) == {1, 3}
    assert check(*make_routes(slow)).free
    assert parse(f"faulty:links=0.1,slow=0.3,seed=2/{network}").default_routing == "up-down"
