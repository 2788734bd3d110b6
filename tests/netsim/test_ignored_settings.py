"""Settings that a network ignores change nothing and are noted; some that cannot work are refused."""

import pytest

from netplace.apps import application
from netplace.netsim import ENGINES, Config, Network, simulate
from netplace.netsim.effects import ignored_settings
from netplace.runs import resolve
from netplace.runs.loads import make_load_plan
from netplace.runs.run_figures import RunFigures
from netplace.topologies import parse

OF_GRIDS = {"tree_routing": "static", "vc_discipline": "hop", "allow_deadlock": True}
OF_TREES = {"vc_policy": "random", "bubble": 1, "vc_discipline": "hop", "allow_deadlock": True}
OF_TABLES = {"vc_policy": "random", "bubble": 1, "tree_routing": "static"}
CASES = [
    ("torus:4x4", {}, OF_GRIDS),
    ("mesh:4x4", {"vcs": 1}, OF_GRIDS),
    ("tree:4,2", {}, OF_TREES),
    ("thintree:4,2,2", {}, OF_TREES),
    ("dragonfly:a=4,p=2,h=2", {"vcs": 4}, OF_TABLES),
    ("torus:4x4", {"pipeline": 3}, OF_TABLES),
    ("tree:4,2", {"routing": "up-down"}, OF_TABLES),
    ("torus:4x4x4", {"fabric": "tofu-d"}, OF_TABLES),
]


@pytest.mark.parametrize(("network", "beside", "ignored"), CASES, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("engine", ENGINES)
def test_ignored_settings_change_nothing_and_are_noted(network, beside, ignored, engine):
    topology, exchange = parse(network), application("all-to-all", 16, bytes=700)
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
