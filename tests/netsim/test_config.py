"""Settings that make no sense are refused with a sentence that names the value and what was expected."""

from dataclasses import FrozenInstanceError, replace

import pytest

from netplace.apps import APPLICATIONS
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
        ("phit_bytes", 2.5, "phit_bytes: 2.5 is not a whole number"),
        ("queue_packets", -1, "queue_packets: -1 is too small"),
        ("nic_buffer", 0, "nic_buffer: 0 is too small"),
        ("injectors", 0, "injectors: 0 is too small"),
        ("vcs", 0, "vcs: 0 is too small"),
        ("link_delay", 0, "link_delay: 0 is too small, expected at least 1"),
        ("router_delay", -1, "router_delay: -1 is too small, expected at least 0"),
        ("bubble", -1, "bubble: -1 is too small, expected at least 0"),
        ("eager_limit", -1, "eager_limit: -1 is too small, expected at least 0"),
        ("cycle_ns", 0.0, "cycle_ns: 0 is too small"),
        ("cycle_ns", float("nan"), "cycle_ns: nan is not a number"),
        ("vc_policy", "smrt", "vc_policy: unknown name 'smrt'; did you mean smart"),
        ("arbiter", "fiffo", "arbiter: unknown name 'fiffo'; did you mean fifo"),
        ("ejection", "double", "ejection: unknown name 'double'"),
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
