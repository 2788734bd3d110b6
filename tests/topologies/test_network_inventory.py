"""What networks are made of, beside closed formulas, and what it costs."""

import math

import pytest

from netplace.topologies import parse
from netplace.topologies.inventory import inventory


def torus(*sides, closed=True, c=0):
    """Return nodes, switches, radix, used ports and cables of a torus or mesh, by formula."""
    switches = math.prod(sides)
    cables = {
        f"dimension {d}": switches // side * (side if closed and side > 1 else side - 1)
        for d, side in enumerate(sides, 1)
    }
    return made_of(switches * (c or 1), switches, {"node": switches * c, **cables})


def tree(down, up, stages):
    """Return those of a tree of `stages` with so many ports down and up."""
    of_stage = [down ** (stages - 1 - s) * up**s for s in range(stages)]
    cables = {f"level {s + 1}-{s + 2}": of_stage[s] * up for s in range(stages - 1)}
    return made_of(down**stages, sum(of_stage), {"node": down**stages, **cables})


def dragonfly(a, p, h, g):
    pairs = g * (g - 1) // 2 * (a * h // (g - 1))
    return made_of(g * a * p, g * a, {"node": g * a * p, "local": g * math.comb(a, 2), "global": pairs})


def megafly(leaves, spines, p, h, g):
    pairs = g * (g - 1) // 2 * (spines * h // (g - 1))
    counts = {"node": g * leaves * p, "local": g * leaves * spines, "global": pairs}
    return made_of(g * leaves * p, g * (leaves + spines), counts)


def hyperx(*sides, c):
    n = math.prod(sides)
    return made_of(
        n * c, n, {"node": n * c, **{f"dimension {d}": n * (s - 1) // 2 for d, s in enumerate(sides, 1)}}
    )


def slim_fly(q, p):
    delta = {1: 1, 3: -1, 0: 0}[q % 4]
    degree = (3 * q - delta) // 2
    return made_of(2 * q * q * p, 2 * q * q, {"node": 2 * q * q * p, "all": q * q * degree})


def made_of(nodes, switches, cables):
    return nodes, switches, {kind: count for kind, count in cables.items() if count}


FORMULAS = {
    "torus:4x4x4": torus(4, 4, 4),
    "torus:5x2x1": torus(5, 2, 1),
    "mesh:7x3": torus(7, 3, closed=False),
    "hypercube:5": torus(2, 2, 2, 2, 2, closed=False),
    "torus:4x3,c=2": torus(4, 3, c=2),
    "mesh:4x3,c=3": torus(4, 3, closed=False, c=3),
    "twisted:8x4+3": torus(8, 4),
    "tree:4,3": tree(4, 4, 3),
    "tree:3,1": tree(3, 3, 1),
    "thintree:4,2,3": tree(4, 2, 3),
    "xgft:3;4,4,4;1,2,2": tree(4, 2, 3),
    "dragonfly:a=4,p=2,h=2": dragonfly(4, 2, 2, 9),
    "dragonfly:a=8,p=4,h=4": dragonfly(8, 4, 4, 33),
    "dragonfly:a=4,p=2,h=2,g=5": dragonfly(4, 2, 2, 5),
    "megafly:leaves=4,spines=3,p=2,h=2": megafly(4, 3, 2, 2, 7),
    "hyperx:4x5,c=3": hyperx(4, 5, c=3),
    "slimfly:5": slim_fly(5, 4),
    "slimfly:7,p=5": slim_fly(7, 5),
    "slimfly:8,p=2": slim_fly(8, 2),
}


@pytest.mark.parametrize("network", FORMULAS)
def test_counts_are_those_of_closed_formulas(network):
    nodes, switches, cables = FORMULAS[network]
    made = inventory(parse(network))
    found = {of.kind: of.count for of in made.cables}
    if "all" in cables:
        found = {"node": found["node"], "all": found["local"] + found["global"]}
    assert (made.nodes, made.switches, found) == (nodes, switches, cables)
    ends = 2 * sum(cables.values()) - cables.get("node", 0)
    assert made.ports_used == ends
    assert made.ports_used + made.ports_free == made.switches * made.radix
    assert made.interfaces == made.nodes
    assert made.in_nodes == (0 if "node" in cables else nodes)


def test_free_ports():
    told = {"tree:4,3": (8, 4 * 16), "thintree:4,2,3": (6, 2 * 4), "torus:4x4": (4, 0), "mesh:3x3": (4, 12)}
    made = {network: inventory(parse(network)) for network in told}
    assert {network: (of.radix, of.ports_free) for network, of in made.items()} == told


@pytest.mark.parametrize("options", ["", ",sockets=2", ",rails=2", ",planes=2"])
@pytest.mark.parametrize("network", ["torus:4x4", "tree:2,3", "dragonfly:a=4,p=2,h=2", "torus:4x4,c=1"])
def test_the_inside_of_a_compute_node_is_no_network(network, options):
    alone = inventory(parse(network))
    made = inventory(parse(f"nodes:tasks=4{options}/{network}"))
    planes, cables_each = (2, 2) if "planes" in options else (1, 2 if "rails" in options else 1)
    assert (made.nodes, made.switches) == (alone.nodes, planes * alone.switches)
    assert made.interfaces == made.nodes * cables_each == made.cables[0].count
    assert [cables.count for cables in made.cables[1:]] == [
        planes * cables.count for cables in alone.cables if cables.kind != "node"
    ]


def test_what_is_down_is_not_counted():
    whole, hurt = (inventory(parse(text)) for text in ("torus:4x4", "faulty:links=0.25,seed=1/torus:4x4"))
    assert (whole.cables[0].count + whole.cables[1].count, hurt.cables[0].count) == (32, 24)
    assert hurt.ports_used == 48
