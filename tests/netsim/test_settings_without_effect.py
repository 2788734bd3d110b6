"""A setting that has no effect on a network is refused in a sentence where runs and loads are described."""

from __future__ import annotations

import pytest

from netplace.apps import application
from netplace.netsim import Config, simulate
from netplace.netsim.general import without_effect
from netplace.runs import resolve
from netplace.runs.loads import make_load_plan
from netplace.topologies import parse

GIVEN = {
    "policy": "oblivious",
    "bubble": 3,
    "tree_routing": "static",
    "vc_discipline": "hop",
    "allow_deadlock": True,
}
OF_NO_USE = [
    ("torus:4x4", {}, ("tree_routing", "vc_discipline", "allow_deadlock")),
    ("mesh:4x4", {}, ("tree_routing", "vc_discipline", "allow_deadlock")),
    ("twisted:4x4+2", {}, ("tree_routing", "vc_discipline", "allow_deadlock")),
    ("tree:4,2", {}, ("policy", "bubble", "vc_discipline", "allow_deadlock")),
    ("thintree:4,2,2", {}, ("policy", "bubble", "vc_discipline", "allow_deadlock")),
    ("dragonfly:a=4,p=2,h=2", {"vcs": 4}, ("policy", "bubble", "tree_routing")),
    ("torus:4x4", {"pipeline": 3}, ("policy", "bubble", "tree_routing")),
    ("torus:4x4", {"routing": "dor"}, ("policy", "bubble", "tree_routing")),
    ("torus:4x4x4", {"fabric": "tofu-d"}, ("policy", "bubble", "tree_routing")),
    ("tree:4,2", {"crossbar": 1}, ("policy", "bubble", "tree_routing")),
    ("mesh:4x4", {"faults": "at=50,links=0.1,seed=2"}, ("policy", "bubble", "tree_routing")),
]


@pytest.mark.parametrize(("network", "given", "idle"), OF_NO_USE, ids=str)
def test_what_is_of_no_use_is_refused(network, given, idle):
    for name, value in GIVEN.items():
        config = Config(**given | {name: value})
        assert without_effect(parse(network), config) == [name] * (name in idle)
        if name in idle:
            sentence = f"^--{name.replace('_', '-')}: {value} has no effect on {network.split(',')[0]}"
            with pytest.raises(ValueError, match=sentence.replace("+", r"\+")):
                resolve(network, {"app": "all-to-all"}, config=config)
            with pytest.raises(ValueError, match="has no effect on"):
                make_load_plan({"network": network, "offered": 0.1, **given, name: value})


# A setting that is refused changes nothing indeed, one that is not does.
@pytest.mark.parametrize(
    ("network", "given"), [("torus:4x4", {}), ("thintree:4,2,2", {}), ("torus:4x4", {"pipeline": 3})], ids=str
)
def test_only_what_changes_nothing_is_refused(network, given):
    topology, exchange = parse(network), application("all-to-all", 12, bytes=200)

    def told(**more):
        result = simulate(topology, exchange, config=Config(**given | more), engine="reference", seed=1)
        return result.cycles, result.link_packets.tolist(), result.packet_delay.mean

    for name in ("policy", "bubble", "tree_routing"):
        idle = name in without_effect(topology, Config(**given, **{name: GIVEN[name]}))
        more = {"vcs": 1} if name == "bubble" and not given else {}  # on the escape channel alone
        assert (told(**more, **{name: GIVEN[name]}) == told(**more)) == idle, name


def test_no_bubble_is_what_there_is_in_tables():
    assert without_effect(parse("torus:4x4"), Config(bubble=0, pipeline=1)) == []


@pytest.mark.parametrize("name", ["rendezvous", "o_send", "o_recv", "o_byte"])
def test_what_concerns_messages_is_refused_for_open_loop_traffic(name):
    with pytest.raises(ValueError, match=rf"^{name}: .*has no effect on open-loop traffic"):
        make_load_plan({"network": "torus:4x4", "offered": 0.1, name: 5})


@pytest.mark.parametrize(
    "setting", [{"pipeline": 1}, {"credit_delay": 0}, {"faults": "at=5,links=0.1"}], ids=str
)
def test_a_twisted_torus_does_not_lose_its_ways_in_silence(setting):
    with pytest.raises(ValueError, match=r"expected --routing minimal --vcs 4, which keeps them"):
        resolve("twisted:8x4+4", {"app": "all-to-all"}, config=Config(**setting))
    resolve("twisted:8x4+4", {"app": "all-to-all"}, config=Config(**setting, routing="dor"))


def test_a_twisted_torus_keeps_its_ways_in_tables():
    topology, exchange = parse("twisted:8x4+4"), application("all-to-all", 32, bytes=64)
    hops = [
        int(simulate(topology, exchange, config=config, engine="reference").link_packets.sum())
        for config in (Config(), Config(routing="minimal", vcs=4, pipeline=1))
    ]
    assert hops == [2688, 2688]
