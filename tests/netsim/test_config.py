"""Settings: what makes no sense is refused; what a network ignores changes nothing and is noted."""

from dataclasses import FrozenInstanceError, replace

import pytest

from netplace.apps import APPLICATIONS, application
from netplace.netsim import (
    ARBITERS,
    EJECTIONS,
    ENGINES,
    TREE_ROUTINGS,
    VC_POLICIES,
    Config,
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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("packet_phits", 0, "packet_phits: 0 is too small, expected at least 1"),
        ("vcs", 0, "vcs: 0 is too small"),
        ("link_delay", 0, "link_delay: 0 is too small, expected at least 1"),
        ("cycle_ns", 0.0, "cycle_ns: 0 is too small"),
        ("vc_policy", "smrt", "vc_policy: unknown name 'smrt'; did you mean smart"),
        ("arbiter", "fiffo", "arbiter: unknown name 'fiffo'; did you mean fifo"),
        ("tree_routing", "x", "tree_routing: unknown name 'x'; valid: adaptive, static"),
    ],
)
def test_what_is_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        Config(**{name: value})


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


@pytest.mark.parametrize("names", [VC_POLICIES, ARBITERS, EJECTIONS, TREE_ROUTINGS])
def test_every_choice_is_explained(names):
    assert all(len(text.split()) >= 4 for text in names.values())


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
@pytest.mark.parametrize("engine", ENGINES)
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
        "eager_limit", "o_send", "o_recv", "o_byte", "traffic_classes", "nonblocking_sends",
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
