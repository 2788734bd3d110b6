"""Every setting changes something on every kind of network, or is refused there in a sentence."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from features import NETWORKS, network_text

from netplace.apps import Program, TaskWriter, application
from netplace.netsim import Config, Network, simulate
from netplace.netsim.bounds import bounds
from netplace.netsim.effects import without_effect
from netplace.netsim.presets import FABRICS
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.runs import resolve
from netplace.runs.loads import make_load_plan
from netplace.topologies import parse

# Another value than the default of every setting; of some several, of which one at least has to show.
GIVEN = {
    "packet_phits": (8,),
    "phit_bytes": (8,),
    "queue_packets": (3,),
    "nic_buffer": (1,),
    "injectors": (2,),
    "vcs": (1, 4, 5, 8),
    "vc_policy": ("oblivious", "shortest", "random"),
    "arbiter": ("longest", "fifo", "random", "age"),
    "ejection": ("single",),
    "bubble": (1, 3),
    "tree_routing": ("static",),
    "router_delay": (2,),
    "link_delay": (3,),
    "eager_limit": (100,),
    "nonblocking_sends": ("in-order",),
    "outstanding_sends": (1,),
    "outstanding_bytes": (100,),
    "o_send": (100.0,),
    "o_recv": (100.0,),
    "o_byte": (1.0,),
    "cycle_ns": (1.0,),
    "routing": ("minimal", "up-down", "adaptive", "valiant"),
    "vc_discipline": ("hop", "none"),
    "allow_deadlock": (True,),
    "faults": ("at=20,slow=0.5,cycles=3",),
    "cable_latency": ("3",),
    "pipeline": (2,),
    "credit_delay": (60,),
    "crossbar_speedup": (1,),
    "congestion_control": ("window=1,ack=30",),
    "buffer_phits": (16,),
    "ordered_flows": (True,),
    "traffic_classes": ("bytes=100",),
    "fabric": ("omnipath",),
}
# Settings that are there beside each of them.
BESIDE = {
    "default": {},
    "one VC": {"vcs": 1},
    "minimal": {"vcs": 6, "routing": "minimal"},
    "adaptive": {"vcs": 6, "routing": "adaptive"},
    "fabric": {"vcs": 6, "pipeline": 1},
}
# What small networks hardly show: the bubble is of the escape channel, which alone leaves little to choose.
SHOWS_ELSEWHERE = {
    "default": {"bubble"},
    "one VC": {"vc_policy", "tree_routing", "routing", "vc_discipline"},
    "minimal": {"crossbar_speedup"},
    "fabric": {"crossbar_speedup"},
}
# What is refused is listed once more here, by where it has no effect.
IDLE_ON_GRIDS = {"tree_routing", "vc_discipline", "allow_deadlock"}
IDLE_ON_TREES = {"vc_policy", "bubble", "vc_discipline", "allow_deadlock"}
IDLE_IN_TABLES = {"vc_policy", "bubble", "tree_routing"}


@cache
def _programs(tasks: int, packet: int) -> list[Program]:
    """Return programs that press on every part of a network, with messages of less than a packet to many."""
    rng = np.random.default_rng(3)
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    requests = [list[int]() for _ in range(tasks)]
    for _ in range(5 * tasks):
        source, target = rng.choice(tasks, 2, replace=False).tolist()
        size = int(packet * rng.choice([0.6, 1.5, 5, 9]))
        requests[target].append(writers[target].irecv(source, size))
        requests[source].append(writers[source].isend(target, size))
    for task, (writer, before) in enumerate(zip(writers, requests, strict=True)):
        writer.waitall(before)
        opened = [writer.irecv((task - there) % tasks, 9 * packet) for there in (1, 2)]
        for there in (1, 2):  # what a task computes waits for what it sends
            writer.send((task + there) % tasks, 9 * packet)
            writer.compute(40)
        writer.waitall(opened)
    pairs = Program.of(writers, "random pairs")
    return [pairs, replace(pairs, interleaved=True), application("all-to-one", tasks, bytes=5 * packet)]


def _outcomes(topology, config, packet):
    """Yield what each program meets, early and late; few settings need more than the first to show."""
    for program in _programs(len(topology.computing), packet):
        network = Network(topology, config, engine=_engine(config), seed=1, record_messages=True)
        job = network.start(program, topology.computing)
        for until in (5 * packet, 100 * packet):
            network.advance(until)
            record, counters = network.job(job), network.counters()
            delays = counters.packet_delay_sum, record.message_end.tolist(), record.task_end.tolist()
            yield [network.now, counters.link_packets.tolist(), *delays, config.cycle_ns]


def _engine(config):
    return "reference" if config.buffer_phits else "kernel"


@cache
def _topology(kind, folder):
    return parse(network_text(kind, folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("networks")


def _possible(topology, given):
    """Return settings, or None where they are refused for another reason than an effect that lacks."""
    try:
        config = Config(**given)
        Network(topology, config, engine=_engine(config))
    except ValueError as error:
        return config if "has no effect on" in str(error) else None
    return config


def _same_routes(topology, one, other):
    """Tell whether settings name but the routing, or the discipline, that is the usual one."""
    if one.vc_discipline == other.vc_discipline and one.routing == other.routing:
        return False
    tables = (verdict_on(topology, config.routing, config.vc_discipline)[1] for config in (one, other))
    a, b = ((routes.name, routes.discipline) for routes in tables)
    return a == b and uses_table_router(topology, one) == uses_table_router(topology, other)


# Beside other settings one network of each kind of router is enough; the others are slow.
ROUTERS = {"torus", "tree", "hyperx", "dragonfly", "faulty", "nodes"}


@pytest.mark.all
@pytest.mark.parametrize(
    ("kind", "beside"),
    [
        pytest.param(
            kind, beside, marks=() if beside == "default" or kind in ROUTERS else pytest.mark.nightly
        )
        for kind in NETWORKS
        for beside in BESIDE
    ],
)
def test_every_setting_changes_something_or_is_refused(kind, beside, folder):
    assert set(GIVEN) == {item.name for item in fields(Config)}
    topology, same = _topology(kind, folder), BESIDE[beside]
    if (plain := _possible(topology, same)) is None:
        pytest.skip(f"{kind} cannot run so: {same}")  # adaptive routing on networks of several planes, say
    exchange = application("all-to-all", len(topology.computing))
    packet, silent = plain.packet_bytes, []
    usual = list(_outcomes(topology, plain, packet))
    for name, values in GIVEN.items():
        configs = [config for value in values if (config := _possible(topology, same | {name: value}))]
        configs = [
            config for config in configs if config != plain and not _same_routes(topology, config, plain)
        ]
        taken = [config for config in configs if name not in without_effect(topology, config)]
        for config in configs:
            if config not in taken:
                with pytest.raises(
                    ValueError, match=rf"^{name}: .* has no effect on .*(; expected |; omit it$)"
                ):
                    simulate(topology, exchange, topology.computing, config=config)
        if name in SHOWS_ELSEWHERE.get(beside, ()):
            continue
        shown = any(
            mine != theirs
            for config in taken
            for mine, theirs in zip(_outcomes(topology, config, packet), usual, strict=True)
        )
        if taken and not shown:
            silent.append(name)
    assert not silent, f"on {topology} beside {same}"


OF_NO_USE = [
    ("torus:4x4", {}, IDLE_ON_GRIDS),
    ("mesh:4x4", {}, IDLE_ON_GRIDS),
    ("twisted:4x4+2", {}, IDLE_ON_GRIDS),
    ("torus:4x4", {"vcs": 1}, IDLE_ON_GRIDS),
    ("hypercube:3", {}, IDLE_ON_GRIDS | {"bubble"}),
    ("tree:4,2", {}, IDLE_ON_TREES | {"ejection"}),
    ("thintree:4,2,2", {}, IDLE_ON_TREES | {"ejection"}),
    ("dragonfly:a=4,p=2,h=2", {"vcs": 4}, IDLE_IN_TABLES | {"ejection", "allow_deadlock"}),
    ("torus:4x4", {"pipeline": 3}, IDLE_IN_TABLES | {"allow_deadlock"}),
    ("torus:4x4", {"routing": "dor"}, IDLE_IN_TABLES | {"allow_deadlock"}),
    ("torus:4x4x4", {"fabric": "tofu-d"}, IDLE_IN_TABLES | {"allow_deadlock"}),
    ("tree:4,2", {"crossbar_speedup": 1}, IDLE_IN_TABLES | {"ejection", "allow_deadlock"}),
    ("mesh:4x4", {"faults": "at=50,links=0.1,seed=2"}, IDLE_IN_TABLES),
]


@pytest.mark.parametrize(
    ("network", "beside", "idle"),
    OF_NO_USE,
    ids=lambda value: str(sorted(value)) if isinstance(value, set) else str(value),
)
def test_what_is_of_no_use_is_refused_by_whatever_takes_settings(network, beside, idle):
    topology = parse(network)
    exchange = application("all-to-all", 4)
    for name in ("vc_policy", "bubble", "tree_routing", "vc_discipline", "allow_deadlock", "ejection"):
        given = {name: GIVEN[name][-1]}
        config = Config(**beside | given)
        assert list(without_effect(topology, config)) == [name] * (name in idle)
        if name in idle:
            for refuses in (
                lambda config=config: Network(topology, config),
                lambda config=config: simulate(topology, exchange, config=config, engine="reference"),
                lambda config=config: bounds(exchange, topology, config),
                lambda config=config: resolve(network, {"app": "all-to-all"}, config=config),
                lambda given=given: make_load_plan({"network": network, "offered": 0.1, **beside, **given}),
            ):
                with pytest.raises(
                    ValueError, match=f"^{name}: .* has no effect on {network.split(',')[0][:7]}"
                ):
                    refuses()


@pytest.mark.parametrize("fabric", FABRICS)
def test_a_fabric_leaves_no_setting_of_the_usual_router_in_silence(fabric):
    config = Config(fabric=fabric, vc_policy="oblivious", vcs=4)
    assert uses_table_router(parse("torus:4x4"), config)
    with pytest.raises(ValueError, match=r"^vc_policy: oblivious has no effect .*; expected --routing"):
        Network(parse("torus:4x4"), config)


@pytest.mark.parametrize(
    ("vcs", "crossbar", "refused"), [(2, 1, False), (2, 2, True), (1, 1, True), (3, 2, False)]
)
def test_a_crossbar_that_is_never_short_is_refused(vcs, crossbar, refused):
    idle = without_effect(parse("mesh:4x4"), Config(vcs=vcs, crossbar_speedup=crossbar))
    assert (list(idle) == ["crossbar_speedup"]) == refused


def test_flows_in_order_need_something_that_could_overtake():
    one, two = Config(vcs=1, ordered_flows=True), Config(vcs=1, injectors=2, ordered_flows=True)
    assert list(without_effect(parse("mesh:4x4"), one)) == ["ordered_flows"]
    assert not without_effect(parse("mesh:4x4"), two)


def test_no_bubble_is_what_there_is_in_tables():
    assert not without_effect(parse("torus:4x4"), Config(bubble=0, pipeline=1))


def test_what_may_go_down_may_leave_a_circle():
    config = Config(faults="at=50,links=0.1,seed=2", allow_deadlock=True)
    assert not without_effect(parse("mesh:4x4"), config)


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
def test_a_twisted_torus_does_not_lose_its_ways_in_silence(setting):
    topology = parse("twisted:8x4+4")
    for refuses in (
        lambda: resolve("twisted:8x4+4", {"app": "all-to-all"}, config=Config(**setting)),
        lambda: Network(topology, Config(**setting)),
    ):
        with pytest.raises(
            ValueError,
            match=r"expected --routing minimal --vcs 4, which keeps shortest "
            r"routes",
        ):
            refuses()
    Network(topology, Config(**setting, routing="dor"), engine="reference")


def test_a_twisted_torus_keeps_its_ways_in_tables():
    topology, exchange = parse("twisted:8x4+4"), application("all-to-all", 32, bytes=64)
    hops = [
        int(simulate(topology, exchange, config=config, engine="reference").link_packets.sum())
        for config in (Config(), Config(routing="minimal", vcs=4, pipeline=1))
    ]
    assert hops == [2688, 2688]
