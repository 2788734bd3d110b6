"""A network of any wiring made by hand: arrays and sizes are as they must be, or a sentence says why not."""

import contextlib
import re
import tracemalloc
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


@pytest.mark.parametrize(
    "text", ["torus:100000x100000", "torus:" + "x".join(["2"] * 40), "tree:10,1000000000"]
)
def test_more_ports_than_can_be_numbered(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"too large, its wiring would need .* GB and more ports than"
    ) as caught:
        parse(text)
    assert str(caught.value).startswith(f"{text}: ")


@pytest.mark.parametrize("kind", ["faulty:links=0/", "nodes:tasks=1/", "service:nodes=0/"])
def test_networks_in_networks_have_so_many_levels(kind: str) -> None:
    with pytest.raises(ValueError, match="has 3000 modifiers, expected at most 16"):
        parse(kind * 3000 + "torus:4x4")


WIDE = {
    "graph:cables.txt": "a b width=4194305\n",
    "tree-file:wide.tree": "n0 a\nn1 b\na b 4194305\n",
    "slurm:wide.conf,links=links.txt": "SwitchName=a Nodes=n[0-1]\nSwitchName=b Switches=a\n",
    "graph:nccl.xml": '<system><pci busid="x"><gpu dev="0"><nvlink target="y" count="4194305" '
    'tclass="0x0680"/></gpu></pci></system>',
    "xgft:2;4,2;1,2;1,4194305": "",
}


@pytest.mark.parametrize("network", WIDE)
def test_parallel_cables_are_counted_before_they_are_made(tmp_path, monkeypatch, network):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("a b width=4194305\n")
    (tmp_path / network.partition(":")[2].partition(",")[0].replace(";", "")).write_text(WIDE[network])
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"4194305.* 4096"):
        parse(network)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20  # NetworkX itself takes 11 MB
