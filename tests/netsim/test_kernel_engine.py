"""The kernel: descriptions that never crash it, and its limits."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.native import netsim as compiled
from netplace.netsim import Config, Network, pattern
from netplace.netsim.description import described, links_described, numbers_of, routing_described
from netplace.netsim.lower import Lowered, lower
from netplace.netsim.table_router import make_table_router, uses_table_router
from netplace.topologies import parse

NETWORKS = {
    "torus:3x3": Config(),
    "torus:4x4x4": Config(),
    "twisted:4x2x2+1": Config(vcs=3, arbiter="longest", injectors=2),
    "tree:2,2": Config(),
    "thintree:4,2,2": Config(vcs=3, tree_routing="static"),
    "dragonfly:a=2,p=1,h=1": Config(routing="ugal-l", vcs=4),
    "mesh:3x3": Config(routing="minimal", vc_discipline="hop", vcs=4, crossbar_speedup=1, credit_delay=2),
}


def made(text):
    topology, config = parse(text), NETWORKS[text]
    table = make_table_router(topology, config) if uses_table_router(topology, config) else None
    return described(topology, config.of_all_classes, 1, False, False, table)


# Of networks of any wiring those with the usual settings have a router in which these are constants.
USUAL = {
    "torus:4x4": Config(routing="adaptive"),
    "mesh:3x3x2": Config(routing="adaptive", vcs=3),
    "tree:4,2": Config(routing="adaptive"),
    "dragonfly:a=4,p=2,h=2": Config(routing="ugal-l", vcs=3),
    "dragonfly:a=2,p=1,h=1": Config(routing="par", vcs=5),
}


@pytest.mark.parametrize("offered", [0.2, 1.0])
@pytest.mark.parametrize("text", USUAL)
def test_usual_settings_are_no_other_than_given_ones(text, offered):
    """A window that holds no packet back needs the router with all settings, and changes nothing."""
    results = []
    for config in (USUAL[text], replace(USUAL[text], congestion_control="window=10000")):
        network = Network(parse(text), config, seed=3, engine="kernel")
        network.generate(pattern("uniform", network.topology, offered / config.packet_phits))
        network.advance(3000)
        counters = network.counters()
        results.append((counters.delivered, counters.packet_delays.tolist(), counters.link_packets.tolist()))
    assert results[0] == results[1]
    assert results[0][0] > 100


COUNTS = ("nodes", "routers", "ports", "queue", "buffer", "vcs", "injectors", "injected", "ack")


@pytest.mark.parametrize("text", NETWORKS)
def test_wrong_descriptions_never_crash(text):
    chance = np.random.default_rng(1)
    for _ in range(150):
        settings, arrays = made(text)
        if chance.random() < 0.4:
            name = chance.choice(list(settings))
            settings[name] = int(chance.choice([-1, 0, 1, 2, 7, 63, 1 << 12, 1 << 20, 1 << 40]))
            if name in COUNTS:
                settings[name] = min(settings[name], 64)
        else:
            name = chance.choice(list(arrays))
            if chance.random() < 0.2 or not arrays[name].size:
                arrays[name] = arrays[name][:-1]
            else:
                arrays[name] = arrays[name].copy()
                arrays[name][chance.integers(arrays[name].size)] = chance.choice([-2, -1, 0, 1, 99, 1 << 30])
        with contextlib.suppress(ValueError):
            compiled.network(settings, arrays)


@pytest.mark.parametrize(
    "text", [text for text in NETWORKS if uses_table_router(parse(text), NETWORKS[text])]
)
def test_wrong_faults_never_crash(text):
    chance = np.random.default_rng(2)
    topology, config = parse(text), NETWORKS[text]
    table = make_table_router(topology, config)
    shape = topology.neighbor.shape
    for _ in range(150):
        network = compiled.network(*made(text))
        settings, arrays = routing_described(table)
        arrays |= links_described(table.cycles, table.delay)
        arrays |= numbers_of({"dead": np.zeros(shape[0]), "down": np.zeros(shape), "hops": table.hops})
        arrays = {name: array.copy() for name, array in arrays.items()}
        name = str(chance.choice([*arrays, *settings]))
        if name in settings:
            settings[name] = int(chance.choice([-1, 0, 1, 2, 63, 1 << 12, 1 << 40]))
        elif chance.random() < 0.3:
            arrays[name] = arrays[name][1:]
        elif arrays[name].size:
            arrays[name][chance.integers(arrays[name].size)] = chance.choice([-2, -1, 0, 1, 99, 1 << 30])
        with contextlib.suppress(ValueError):
            network.fail(settings, arrays, bool(chance.random() < 0.5))
        with contextlib.suppress(ValueError):
            network.pace(arrays)


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        ("torus:2x2x2x2", {"vcs": 8}, "8 ports with 8 virtual channels and 1 injectors are more inputs than"),
        ("torus:4", {"queue_packets": 40_000}, "queue_packets .* nic_buffer: 40004 is too large"),
    ],
)
def test_what_the_kernel_cannot_hold(network, options, message):
    with pytest.raises(ValueError, match=message):
        Network(parse(network), Config(**options))
    Network(parse(network), Config(**options), engine="reference")


TASKS = 5


def _lowered(tags_apart: int, seed: int) -> Lowered:
    """Return the words of random messages, whose tags are multiples of `tags_apart`."""
    draw = np.random.default_rng(seed)
    writers = [TaskWriter(task, TASKS) for task in range(TASKS)]
    for _ in range(200):
        source, target = draw.choice(TASKS, 2, replace=False).tolist()
        size, tag = int(draw.integers(1, 4)) * 512, int(draw.integers(0, 7)) * tags_apart
        writers[source].send(target, size, tag)
        writers[target].recv(source, size, tag)
    return lower(Program.of(writers), Config())


@pytest.mark.parametrize("seed", range(3))
def test_tags_far_apart_come_to_the_words_of_tags_side_by_side(seed: int) -> None:
    near, far = _lowered(1, seed), _lowered(1 << 40, seed)
    for name in ("op", "first", "key", "message"):
        assert np.array_equal(getattr(near, name), getattr(far, name)), name


def test_keys_are_in_order_and_differ() -> None:
    rows = [tuple(row[:3]) for row in _lowered(1, 0).key.tolist()]
    assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)
    assert len(rows) > TASKS * (TASKS - 1)
