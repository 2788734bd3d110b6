"""Random networks of any wiring, and settings with a routing that their virtual channels allow."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from strategies import configs

from netplace.netsim.table_router import verdict_on
from netplace.topologies import Cables, Graph, Kind, Topology, graph, parse
from netplace.topologies.routing import ROUTINGS
from netplace.topologies.text_form import read_numbers

SMALL = (
    "dragonfly:a=2,p=1,h=1",
    "dragonfly:a=2,p=2,h=1,links=relative",
    "dragonfly:a=3,p=1,h=1,g=3",
    "dragonfly+:leaves=2,spines=2,p=1,h=1,g=3",
    "hyperx:3x2,c=2",
    "torus:3x3,c=1",
    "torus:4,c=2",
    "mesh:3x2,c=2",
    "slimfly:3,p=1",
    "xgft:2;2,3;1,2",
    "torus:3x3",
    "mesh:4x2",
    "tree:2,2",
    "thintree:3,2,2",
    "fly:2,2",
    "nodes:tasks=2,rails=2/dragonfly:a=2,p=1,h=1",
    "nodes:tasks=4,sockets=2,bus=2,latency=3,crossing=1/mesh:3x2",
    "nodes:tasks=2,planes=2/tree:2,2",
    "nodes:tasks=1,planes=2/dragonfly:a=2,p=1,h=1",
    "nodes:tasks=2,planes=2,sockets=2/torus:3",
)


def random_wiring(seed: int, switches: int, direct: int) -> Graph:
    """Return a connected network with parallel, slow and long links, and 0 to 3 nodes at a switch."""
    rng = np.random.default_rng(seed)
    ends = [(int(rng.integers(one)), one) for one in range(1, switches)]
    for _ in range(int(rng.integers(2 * switches))):
        a, b = rng.choice(switches, 2, replace=False).tolist()
        ends.append((a, b))
    plain = rng.random() < 0.5
    cycles = rng.choice([1] if plain else [1, 1, 1, 2, 3], len(ends))
    delay = rng.choice([0] if plain else [0, 0, 1, 20], len(ends))
    nodes_at = rng.integers(0, 2 if direct > 1 else 4, switches)
    nodes_at[:2] = 1
    return graph(
        f"random:{seed},{switches},{direct}",
        Cables(np.array(ends, np.int64), cycles, delay),
        nodes_at,
        direct=direct > 1,
        group=rng.integers(0, 3, switches) if rng.random() < 0.5 else None,
    )


RANDOM = Kind(random_wiring, read_numbers("seed", "switches", "direct"), "random:1,4,1", "a random wiring")


CHOICES = [(name, discipline) for discipline in ("default", "hop", "none") for name in ROUTINGS]


def routings(topology: Topology) -> st.SearchStrategy[tuple[str, str]]:
    """Return a (routing, discipline) that the network allows: the next one after a choice that is drawn."""

    def allowed(choice: tuple[str, str]) -> bool:
        try:
            return verdict_on(topology, *choice)[2].needed <= 8
        except ValueError:
            return False

    return st.integers(0, len(CHOICES) - 1).map(
        lambda first: next(filter(allowed, CHOICES[first:] + CHOICES[:first]))
    )


@st.composite
def faults(draw):
    """Return one to three faults as they are written, in which little or much goes down or becomes slow."""
    parts = []
    at = 0
    for _ in range(draw(st.integers(1, 3))):
        at += draw(st.sampled_from([0, 7, 33, 50, 77, 200]))
        what = draw(st.sampled_from(["links", "links", "routers"]))
        share = draw(st.sampled_from(["0.1", "0.2", "0.4"]))
        packets = draw(st.sampled_from(["lost", "again"]))
        happens = draw(st.sampled_from(["down", "down", "slow", "both"]))
        slow = draw(st.sampled_from(["0.2", "0.5", "1"]))
        cycles = draw(st.sampled_from(["", ",cycles=1", ",cycles=3"]))
        one = {"down": f"{what}={share}", "slow": f"slow={slow}{cycles}"}
        text = one[happens] if happens in one else ",".join(one.values())
        parts.append(f"at={at},{text},seed={draw(st.integers(0, 99))},packets={packets}")
    return ";".join(parts)


CONTROLS = (
    "",
    "",
    "window=1",
    "window=3,ack=9",
    "rate=0.3",
    "dcqcn=1,timer=30,step=0.1",
    "dcqcn=1,every=1,timer=7,gain=3,ack=25",
    "rate=0.7,dcqcn=2,every=40,gain=16",
    "window=4,ack=11,dcqcn=1,every=3,timer=200",
)


@st.composite
def fabrics(draw, failing, queue, ordered):
    """Return settings of a fabric, some of which are set; with congestion control that faults allow.

    Marks are of no more packets than the `queue` that buffers hold; `ordered` are the values of
    `ordered_flows` that the routing allows.
    """
    controls = (
        ["", "rate=0.3"] if failing else [text for text in CONTROLS if queue > 1 or "dcqcn=2" not in text]
    )
    latency = draw(st.sampled_from(["", "0", "1", "17", "local=2", "local=40m"]))
    return {
        "cable_latency": latency,
        "pipeline": draw(st.sampled_from([0, 1, 3, 20])),
        "credit_delay": draw(st.sampled_from([None, 0, 1, 9, 50])),
        "traffic_classes": draw(st.sampled_from(["", "", "count=2", "bytes=100", "count=3,weights=1+3+2"])),
        "crossbar_speedup": draw(st.sampled_from([0, 0, 1, 2])),
        "congestion_control": draw(st.sampled_from(controls)),
        "ordered_flows": draw(st.sampled_from(ordered)),
    }


@st.composite
def wired(draw, settings=None, deadlock=False, failing=False, fabric=False, ordered=(False, True)):
    """Return the text of a network, and settings for it; `ordered` only where it can be."""
    seeds = st.integers(1, 10**6)
    several = st.builds("random:{},{},{}".format, seeds, st.integers(2, 7), st.integers(1, 2))
    text = draw(st.one_of(several, several, st.sampled_from(SMALL)))
    topology = parse(text)
    routing, discipline = draw(routings(topology))
    _, routes, verdict = verdict_on(topology, routing, discipline)
    if routes.choice in ("ugal-l", "ugal-g", "par"):
        routing += draw(st.sampled_from(["", ":0", ":1", ":7"]))
    if failing or routes.escape is not None or routes.choice == "par":
        ordered = (False,)
    config = draw(configs() if settings is None else settings)
    return text, replace(
        config,
        routing=routing,
        vc_discipline=discipline,
        vcs=verdict.needed + draw(st.integers(0, 2)),
        allow_deadlock=deadlock or not verdict.free,
        faults=draw(faults()) if failing else "",
        **(draw(fabrics(failing, config.queue_packets, ordered)) if fabric else {}),
    )
