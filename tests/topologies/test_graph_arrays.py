"""A network of any wiring made by hand: each of its arrays is as it must be, or a sentence names it."""

import contextlib
import re
from dataclasses import replace

import numpy as np
import pytest

from netplace.netsim import Network, pattern
from netplace.topologies import parse

NETWORKS = (
    "slimfly:3",
    "dragonfly:a=2,p=1,h=1",
    "torus:3x2,c=2",
    "nodes:tasks=2/torus:2x2",
    "dragonfly+:leaves=2,spines=2,p=1,h=1",
)
ARRAYS = ("neighbor", "entry", "home", "cycles", "delay", "group", "places", "closes", "axis", "cut")
NUMBERS = (-(2**62), -(2**31), -2, -1, 0, 1, 2, 5, 63, 2**10 + 1, 2**20 + 1, 2**31, 2**62)


def spoilt(values):
    """Return arrays that look like one, each wrong in its own way, or right after all."""
    yield "shorter", values[:-1]
    yield "doubled", np.concatenate([values, values])
    yield "deeper", values[None]
    yield "flat", values.ravel()[:0]
    for kind in ("float64", "uint64", "int8", "uint8", "object", "str", "complex128", "bool"):
        with np.errstate(all="ignore"):
            yield kind, values.astype(kind)
    for number in NUMBERS:
        for place in (0, values.size // 2, values.size - 1):
            changed = values.astype(np.int64)
            changed.flat[place] = number
            yield f"{number} at {place}", changed


def use(network):
    """Do what users do with a network."""
    network.distance(0, network.nodes - 1)
    assert network.bisection_width >= 0
    running = Network(network)
    running.generate(pattern("uniform", network, 0.1))
    running.advance(20)
    assert running.counters().created > 0


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("array", ARRAYS)
def test_an_array_is_right_or_named(name, array):
    network = parse(name)
    shapes = {"group": network.switches, "cut": network.nodes}
    values = getattr(network, array)
    if values is None:
        values = np.zeros(shapes.get(array, network.neighbor.shape), np.int64)
    refused, accepted = [], []
    for how, changed in spoilt(values):
        try:
            accepted.append((how, replace(network, **{array: changed})))
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 5
    assert all(re.search(rf"{array}|link|entry", sentence) for sentence in refused)
    assert max(map(len, refused)) < 400
    for how, made in accepted:
        with contextlib.suppress(ValueError):  # numbers that a routing cannot use
            use(made)
        for field in ARRAYS:
            mine, usual = getattr(made, field), getattr(network, field)
            if mine is not None:
                assert not mine.flags.writeable
                assert usual is None or mine.dtype == usual.dtype, (how, field)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"names": ("a", "b")}, "2 names, expected one for each of 18 switches"),
        ({"planes": 0}, "planes, sockets and tasks must be 1 or more"),
        ({"home": np.full(54, 10)}, "home: 10 is no router for a node, expected 54 to 71"),
        ({"group": np.full(18, 2**40)}, "group: 1099511627776 is not in 0..1000"),
    ],
)
def test_what_does_not_fit_together_is_named(more, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        replace(parse("slimfly:3"), **more)
