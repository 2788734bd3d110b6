"""Settings that make no sense are refused, ignored ones noted, large numbers carried exactly or refused."""

import tracemalloc
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from reference_cases import program as writers

from netplace.apps import APPLICATIONS, OperationError, TaskWriter, application
from netplace.apps.formats import read
from netplace.netsim import (
    ENGINES,
    Config,
    CycleLimitError,
    Network,
    simulate,
)
from netplace.netsim.effects import ignored_settings
from netplace.runs import resolve
from netplace.runs.loads import make_load_plan
from netplace.runs.run_figures import RunFigures
from netplace.topologies import parse


def test_the_defaults_are_those_of_the_model():
    config = Config()
    assert (config.packet_phits, config.phit_bytes, config.packet_bytes) == (16, 4, 64)
    assert (config.queue_packets, config.nic_buffer, config.injectors) == (4, 4, 1)
    assert (config.vcs, config.vc_policy, config.arbiter, config.ejection) == (
        2,
        "smart",
        "round-robin",
        "multiple",
    )
    assert (config.bubble, config.router_delay, config.link_delay, config.hop_delay) == (2, 0, 1, 1)
    assert (config.eager_limit, config.cycle_ns) == (None, 3.2)


def test_only_rings_ask_for_a_bubble():
    shallow = Config(queue_packets=1, vcs=1)
    for network in ("torus:4x4", "mesh:4x4"):
        with pytest.raises(
            ValueError, match=rf"bubble: 2 must be less than queue_packets \(1\) on {network}"
        ):
            Network(parse(network), shallow)
    program = APPLICATIONS["all-to-all"].make(tasks=16)
    runs = [
        simulate(parse("tree:4,2"), program, config=replace(shallow, bubble=bubble), engine=engine).cycles
        for bubble in (0, 2)
        for engine in ENGINES
    ]
    assert len(set(runs)) == 1


def test_it_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Config().vcs = 3


OF_GRIDS = {"tree_routing": "static", "vc_discipline": "hop", "allow_deadlock": True}
OF_TREES = {"vc_policy": "random", "bubble": 1, "vc_discipline": "hop", "allow_deadlock": True}
OF_TABLES = {"vc_policy": "random", "bubble": 1, "tree_routing": "static"}
CASES = [
    ("torus:4x4", {}, OF_GRIDS),
    ("mesh:4x4", {"vcs": 1}, OF_GRIDS),
    ("tree:4,2", {}, OF_TREES),
    ("thintree:4,2,2", {}, OF_TREES),
    ("dragonfly:a=2,p=2,h=1", {"vcs": 4}, OF_TABLES),
    ("torus:4x4", {"pipeline": 3}, OF_TABLES),
    ("tree:4,2", {"routing": "up-down"}, OF_TABLES),
    ("torus:4x4x4", {"fabric": "tofu-d"}, OF_TABLES),
]


@pytest.mark.parametrize(("network", "beside", "ignored"), CASES, ids=lambda value: str(value)[:24])
def test_ignored_settings_change_nothing_and_are_noted(network, beside, ignored, engine):
    topology, exchange = parse(network), application("all-to-all", 8, bytes=200)
    one, other = Config(**beside), Config(**beside, **ignored)
    usual, changed = (
        RunFigures.of(simulate(topology, exchange, config=config, engine=engine, seed=3))
        for config in (one, other)
    )
    assert ignored_settings(topology, one) == []
    notes = ignored_settings(topology, other)
    assert [note.partition(":")[0] for note in notes] == list(ignored)
    assert all(f" is ignored on {topology}, which " in note for note in notes)
    assert (changed.cycles, changed.events, changed.jobs) == (usual.cycles, usual.events, usual.jobs)


@pytest.mark.parametrize(
    "name",
    [
        "eager_limit", "o_send", "o_recv", "o_byte", "o_rendezvous", "o_copy", "o_reduce", "o_memory",
        "cache_bytes", "traffic_classes", "nonblocking_sends",
        "outstanding_sends", "outstanding_bytes",
    ],
)  # fmt: skip
def test_what_concerns_messages_is_refused_for_open_loop_traffic(name):
    value = {"traffic_classes": "count=2", "nonblocking_sends": "interleaved"}.get(name, 5)
    with pytest.raises(ValueError, match=rf"^{name}: .*has no effect on open-loop traffic"):
        make_load_plan({"network": "torus:4x4", "offered": 0.1, name: value})


@pytest.mark.parametrize(
    "setting", [{"pipeline": 1}, {"credit_delay": 0}, {"faults": "at=5,links=0.1"}], ids=str
)
def test_a_twisted_torus_does_not_lose_its_shortest_routes_in_silence(setting):
    topology = parse("twisted:8x4+4")
    for refuses in (
        lambda: resolve("twisted:8x4+4", {"app": "all-to-all"}, config=Config(**setting)),
        lambda: Network(topology, Config(**setting)),
    ):
        with pytest.raises(
            ValueError, match="expected --routing minimal --vcs 4, which keeps shortest routes"
        ):
            refuses()
    Network(topology, Config(**setting, routing="dor"), engine="reference")


def test_a_twisted_torus_keeps_its_shortest_routes_in_tables():
    topology, exchange = parse("twisted:8x4+4"), application("all-to-all", 32, bytes=64)
    hops = [
        int(simulate(topology, exchange, config=config, engine="reference").link_packets.sum())
        for config in (Config(), Config(routing="minimal", vcs=4, pipeline=1))
    ]
    assert hops == [2688, 2688]


RING = parse("torus:4")


@pytest.mark.parametrize("size", [1 << 37, 1 << 40, (1 << 62) - 1])
def test_a_message_of_very_many_packets_does_not_end_early(size):
    program = writers([("send", 1, size)], [("recv", 0, size)])
    told = []
    for engine in ENGINES:
        network = Network(RING, engine=engine)
        job = network.start(program)
        assert network.advance(2000) == []
        counters = network.counters()
        told.append((counters.created, counters.delivered, network.job(job).end, network.in_flight))
    assert told[0] == told[1]
    assert told[0][2] == -1


@pytest.mark.parametrize("cycles", [1 << 33, 1 << 58, (1 << 59) - 1])
def test_a_long_computation_takes_its_time(engine, cycles):
    program = writers([("compute", cycles)], [("compute", cycles), ("send", 0, 64)])
    job = simulate(RING, program, engine=engine).jobs[0]
    assert job.task_cycles.tolist() == [cycles, cycles + 1]


def test_a_computation_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match=r"cycles in task 0: 576460752303423488 is too large, .* 2\*\*59"):
        TaskWriter(0, 1).compute(1 << 59)
    program = writers([("compute", 7)], [])
    program = replace(program, size=np.array([1 << 59]))
    for engine in ENGINES:
        with pytest.raises(
            OperationError, match=r"task 0, operation 0 .* too long, expected less than 2\*\*59"
        ):
            simulate(RING, program, engine=engine)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("c 0 1152921504606846976\n", ["line 1", "2**59"]),
        ("0 compute -1 1152921504606846976 0 0 -1 0.0\n", ["line 1", "2**59"]),
    ],
)
def test_files_name_the_line(tmp_path, text, words):
    path = tmp_path / ("a.trc" if text.startswith("c") else "a.trace")
    path.write_text(text)
    with pytest.raises(ValueError, match="2") as caught:
        read(path)
    for word in words:
        assert word in str(caught.value)


def test_time_has_an_end_that_is_told(engine):
    cycles = (1 << 59) - 1
    program = writers([("compute", cycles)] * 3, [])
    with pytest.raises(CycleLimitError, match="cycle 1152921504606846976 is the last"):
        simulate(RING, program, engine=engine)
    with pytest.raises(ValueError, match="start cycle"):
        Network(RING, engine=engine).start(program, at=1 << 61)


def test_a_message_that_waited_for_ages_is_counted(engine):
    program = writers([("send", 1, 640)], [("compute", 1 << 50), ("recv", 0, 640)])
    result = simulate(RING, program, engine=engine, config=Config(eager_limit=0))
    assert result.message_delay.count == 1
    assert result.message_delay.mean > 1 << 50


@pytest.mark.all
def test_a_packet_under_way_for_more_cycles_than_32_bits_count_is_counted():
    config = Config(router_delay=1 << 20)
    program = writers([("send", 1, 64)], [("recv", 0, 64)])
    result = simulate(parse("mesh:5000"), program, [0, 4999], config=config)
    assert result.packet_delay.mean == result.message_delay.mean == 4999 * ((1 << 20) + 1) + 15


def test_a_long_delay_needs_no_memory():
    config = Config(router_delay=1 << 20)
    tracemalloc.start()
    Network(RING, config, engine="reference")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20
    with pytest.raises(ValueError, match="router_delay: 2147483648 is too large"):
        Config(router_delay=1 << 31)


def test_engines_agree_on_long_delays():
    program = writers([("send", 1, 640), ("recv", 1, 64)], [("recv", 0, 640), ("send", 0, 64)])
    config = Config(router_delay=70, link_delay=50)
    ends = [simulate(RING, program, config=config, engine=engine).cycles for engine in ENGINES]
    assert ends[0] == ends[1] > 240
