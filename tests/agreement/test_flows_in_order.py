"""Flows that keep their order: packets come as they were created, under any routing; what that costs."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import configs
from wirings import RANDOM, wired

from netplace.apps import Program, TaskWriter
from netplace.cosim import make_cosim_plan
from netplace.netsim import Config, Network, measure_load, simulate
from netplace.runs.sweep import read_sweep
from netplace.topologies import TOPOLOGIES, parse

FEW = settings(
    derandomize=True, deadline=None, database=None, max_examples=12, suppress_health_check=list(HealthCheck)
)
CASES = {  # network, routing, VCs, injectors: where packets overtake each other, and by what
    "ports of a tree": ("tree:4,2", "adaptive", 1, 1),
    "virtual channels": ("mesh:4x1", "dor", 3, 1),
    "injectors": ("mesh:4x1", "dor", 1, 2),
    "intermediate switches": ("torus:4x4", "valiant", 4, 1),
    "detours of some": ("dragonfly:a=4,p=2,h=2", "ugal-l", 4, 1),
    "detours by all queues": ("dragonfly:a=4,p=2,h=2", "ugal-g", 4, 1),
    "detours behind compute nodes": ("nodes:tasks=2/dragonfly:a=4,p=2,h=2", "valiant", 4, 1),
    "several planes": ("nodes:tasks=2,planes=2/tree:2,2", "default", 2, 1),
}


def overtaken(text, config, engine, seed, packets=30):
    """Return how many packets come after one of their flow that was created later.

    Every task sends packets to two others, drawn for it, in random order.
    """
    topology = parse(text)
    rng = np.random.default_rng(seed)
    tasks = min(len(topology.computing), 16)
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    peers: list[list[int]] = []
    for task, writer in enumerate(writers):
        others = np.delete(np.arange(tasks), task)
        pair = rng.choice(others, min(2, len(others)), replace=False)
        peers.append(rng.choice(pair, packets).tolist())
        for tag, peer in enumerate(peers[-1]):
            writer.send(peer, 1, tag)
    program = Program.of(writers, "flows")
    nodes = rng.permutation(topology.computing)[:tasks]
    result = simulate(topology, program, nodes, config=config, engine=engine, seed=seed, record_messages=True)
    ends = result.jobs[0].message_end.reshape(tasks, packets)
    assert ends.min() > 0
    late = 0
    for task in range(tasks):
        for peer in set(peers[task]):
            of_flow = ends[task, np.array(peers[task]) == peer]
            late += int((of_flow[1:] <= np.maximum.accumulate(of_flow)[:-1]).sum())
    return late


@pytest.mark.parametrize("case", CASES)
def test_packets_overtake_each_other_unless_flows_are_in_order(case, engine):
    text, routing, vcs, injectors = CASES[case]
    seeds = (1, 2) if engine == "kernel" else (1,)
    usual = {"routing": routing, "vcs": vcs, "injectors": injectors, "bubble": 0, "pipeline": 1}
    free, ordered = (
        sum(overtaken(text, Config(**usual, ordered_flows=flag), engine, seed) for seed in seeds)
        for flag in (False, True)
    )
    assert free > 0
    assert ordered == 0


def test_flows_are_in_order_in_random_cases(engine, monkeypatch):
    monkeypatch.setitem(TOPOLOGIES._entries, "random", RANDOM)

    @FEW
    @given(wired(configs(eager_limit=(None,)), fabric=True, ordered=(True,)), st.integers(0, 3))
    def in_order(where, seed):
        text, config = where
        assume(config.ordered_flows and not config.allow_deadlock)
        assert overtaken(text, config, engine, seed, packets=9) == 0

    in_order()


def accepted(ordered, engine="kernel", text="tree:4,2", **settings):
    """Return the phits a node and cycle that a network accepts of a permutation, where all is offered."""
    topology = parse(text)
    config = Config(pipeline=1, ordered_flows=ordered, **settings)
    return measure_load(
        topology, 1.0, traffic="transpose", config=config, engine=engine, measure=2000
    ).accepted


def test_order_costs_throughput_under_adaptive_routing():
    """Packets of a flow can not be spread over ways: permutations then collide as under static routing.

    So it is told of ECMP beside adaptive routing, in "Flowcut switching", arXiv:2506.21406, 2025, section I.
    """
    free, ordered, hashed = (
        accepted(flag, routing=routing, vcs=2)
        for flag, routing in ((False, "adaptive"), (True, "adaptive"), (False, "ecmp"))
    )
    assert ordered < 0.8 * free
    assert ordered == pytest.approx(hashed, rel=0.15)


def test_a_flow_chooses_its_way_anew_only_when_nothing_of_it_is_under_way(engine):
    """Packets one by one take ways of their own, packets one behind the other the way of the first."""

    def links_used(gap):
        writers = [TaskWriter(task, 2) for task in range(2)]
        for tag in range(12):
            writers[0].send(1, 64, tag)
            writers[0].compute(gap)
        config = Config(vcs=4, routing="valiant", pipeline=1, ordered_flows=True)
        network = Network(parse("torus:4x4"), config, engine=engine, seed=4)
        network.start(Program.of(writers, "flow"), [0, 10])
        network.finish()
        counts = network.counters().link_packets
        return int((counts > 0).sum()), set(counts[counts > 0].tolist())

    few, packets = links_used(1)
    assert packets == {12}
    many, packets = links_used(300)
    assert many > few
    assert packets != {12}


@pytest.mark.parametrize(
    ("text", "routing", "says"),
    [
        ("torus:4x4", "adaptive", "can change to the escape channel at any switch"),
        ("dragonfly:a=3,p=1,h=1", "par", "can change their route at any switch of their group"),
    ],
)
def test_a_routing_that_can_not_keep_order_is_told(text, routing, says):
    with pytest.raises(ValueError, match=says):
        Network(parse(text), Config(vcs=8, routing=routing, ordered_flows=True))


def test_a_sweep_has_flows_in_order_beside_others(tmp_path):
    path = tmp_path / "sweep.toml"
    lines = ['network = "tree:2,2"', 'app = "all-to-all"', "[config]", 'routing = "adaptive"']
    path.write_text("\n".join([*lines, "ordered_flows = [false, true]"]))
    assert [run.config.ordered_flows for run in read_sweep(path).runs()] == [False, True]
    path.write_text("\n".join([*lines, 'ordered_flows = "yes"']))
    with pytest.raises(ValueError, match=r"toml:5: ordered_flows = 'yes': expected true or false"):
        read_sweep(path)


def test_a_co_simulation_has_flows_in_order():
    asked = {"workload": "applications", "jobs": 2, "sizes": "small", "machine": "tree:4,2"}
    plan = make_cosim_plan(asked | {"routing": "adaptive", "ordered_flows": True}, seed=1)
    assert plan.config.ordered_flows
