"""The critical path adds up to the cycle, and is what can be worked out by hand."""

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from reference_cases import flow, program

from netplace import bundled_trace, read
from netplace.apps import APPLICATIONS
from netplace.netsim import Config, DeadlockError, simulate
from netplace.netsim.critical_path import critical_path
from netplace.topologies import parse


def path_of(network, program, config=None, nodes=None, seed=0, engine="kernel"):
    config = config or Config()
    topology = parse(network)
    result = simulate(topology, program, nodes, config=config, seed=seed, record_messages=True, engine=engine)
    return result, critical_path(topology, config, program, result.jobs[0])


def check(result, path):
    assert path.cycles == result.jobs[0].cycles
    at = 0
    for one in path.stretches:
        assert one.begin == at
        at = one.end
    assert at == result.jobs[0].cycles


def by_component(path):
    return {name: cycles for name, cycles in path.by_component().items() if cycles}


@pytest.mark.parametrize(("eager_limit", "handshake"), [(None, {}), (0, {"handshake": 34})])
def test_two_tasks_by_hand(eager_limit, handshake):
    """Two packets over an empty link between computations; request and reply are 17 cycles each."""
    two = program([("compute", 10), ("send", 1, 128)], [("recv", 0, 128), ("compute", 5)])
    result, path = path_of("torus:4x4", two, Config(eager_limit=eager_limit))
    check(result, path)
    assert by_component(path) == {"computation": 15, "sending": 1, "own packets": 15, "hops": 17} | handshake


def test_who_comes_late_did_not_wait():
    result, path = path_of("torus:4x4", program([("send", 1, 64)], [("compute", 1000), ("recv", 0, 64)]))
    check(result, path)
    assert by_component(path) == {"computation": 1000, "acting": 1}


def test_mistakes():
    program = APPLICATIONS["butterfly"].make(tasks=4)
    topology = parse("torus:4x4")
    job = simulate(topology, program).jobs[0]
    with pytest.raises(ValueError, match="no record of its messages"):
        critical_path(topology, Config(), program, job)


@pytest.mark.parametrize("sending", [[("send", 1, 64)], [("isend", 1, 64), ("wait", 0)]])
def test_who_comes_late_holds_the_sender_up(sending):
    """The receiver computes for 500 cycles before it takes the message that the sender waits to have sent."""
    two = program([*sending, ("compute", 1000)], [("compute", 500), ("recv", 0, 64)])
    result, path = path_of("torus:4x4", two, Config(eager_limit=0))
    check(result, path)
    assert by_component(path) == {"computation": 1500, "handshake": 17, "sending": 1}
    assert [one.task for one in path.stretches if one.component == "computation"] == [1, 0]


@given(st.data())
def test_it_adds_up(data):
    network = data.draw(st.sampled_from(["torus:4x4", "mesh:4x4", "tree:4,2"]))
    name = data.draw(st.sampled_from(["2d-torus", "butterfly", "all-to-all", "binary-tree", "2d-sweep"]))
    packets = data.draw(st.integers(1, 3))
    program = APPLICATIONS[name].make(tasks=16, bytes=64 * packets).repeat(data.draw(st.integers(1, 3)))
    config = Config(
        eager_limit=data.draw(st.sampled_from([None, None, 0, 64, 128])),
        vcs=data.draw(st.integers(1, 3)),
        nic_buffer=data.draw(st.integers(1, 4)),
    )
    nodes = data.draw(st.permutations(range(16)))
    engine = data.draw(st.sampled_from(["kernel", "reference"]))
    try:
        found = path_of(network, program, config, nodes, engine=engine)
    except DeadlockError:  # sends that block wait for each other
        reject()
    check(*found)


@pytest.mark.all
@pytest.mark.parametrize("eager_limit", [None, 512])
def test_a_recorded_trace_adds_up(short_trace, eager_limit):
    result, path = path_of("torus:4x4", read(bundled_trace("IS.W.16")), Config(eager_limit=eager_limit))
    check(result, path)
    assert (path.by_component()["handshake"] > 0) == (eager_limit is not None)


@pytest.mark.parametrize(
    ("network", "nodes", "more"),
    [
        ("mesh:4x1", (0, 3), {"cable_latency": "local=7", "pipeline": 4}),
        ("tree:2,2", (0, 3), {"cable_latency": "node=3,local=9", "pipeline": 2, "router_delay": 2}),
        (
            "dragonfly:a=4,p=2,h=2",
            (0, 70),
            {"cable_latency": "node=2,local=5,global=50", "routing": "minimal"},
        ),
        ("hyperx:3x2,c=2", (0, 11), {"link_delay": 4}),
        ("nodes:tasks=2,sockets=2,bus=2,latency=3,crossing=1/mesh:3x2", (0, 11), {"pipeline": 1}),
        ("faulty:slow=1,cycles=3,seed=1/torus:4x4", (0, 5), {}),
    ],
)
def test_cables_switches_and_slow_links_are_part_of_the_way(network, nodes, more):
    config = Config(**{"vcs": 4, "queue_packets": 5} | more)
    result, path = path_of(network, flow(), config, nodes, engine="reference")
    check(result, path)
    assert by_component(path) == {"hops": result.drained_cycles - 1, "acting": 1}
