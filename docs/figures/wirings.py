"""Networks of any wiring beside what is known: writes tables of ``docs/background/validation.md``.

Run with ``python docs/figures/wirings.py``; takes a minute.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from marks import fill_in, table

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, Network, measure_load, pattern, simulate
from netplace.netsim.table_router import verdict_on
from netplace.topologies import parse
from netplace.topologies.routing import reach, steps

PAGE = Path(__file__).parent.parent / "background" / "validation.md"
KINDS = (
    ("torus:4x3,c=2", "dor"), ("mesh:3x3,c=2", "dor"), ("torus:5x3", "dor"), ("hypercube:5", "dor"),
    ("hyperx:4x3,c=2", "dor"), ("dragonfly:a=4,p=2,h=2", "minimal"), ("dragonfly:a=4,p=2,h=2", "up-down"),
    ("dragonfly+:leaves=3,spines=2,p=2,h=2", "minimal"), ("slimfly:5", "minimal"),
    ("xgft:3;4,3,2;1,2,3", "d-mod-k"), ("tree:3,2", "d-mod-k"),
    ("faulty:links=0.1,seed=2/torus:8x8", "up-down"),
)  # fmt: skip
FAULTS = "at=500,links=0.1,slow=0.2,seed=4,packets={0};at=900,routers=0.03,seed=3,packets={0}"
FAILING = ("torus:8x8", "tree:4,3", "dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=4", "slimfly:5")


def zero_load() -> str:
    """Count the messages of an empty network that take what the model says, to the cycle."""
    lines = []
    for text, routing in KINDS:
        network = parse(text)
        switches, routes, verdict = verdict_on(network, routing, "default")
        far = reach(switches, routes.ports, steps(switches, "hop")[0], routes.name).hops
        exact = tried = 0
        rng = np.random.default_rng(1)
        for packets, delays, engine in product((1, 3), ((0, 1), (2, 3)), ("kernel", "reference")):
            config = Config(routing=routing, vcs=verdict.needed, router_delay=delays[0], link_delay=delays[1])
            for _ in range(10):
                a, b = rng.choice(network.nodes, 2, replace=False).tolist()
                hops = int(far[switches.home[a], switches.home[b]]) + (0 if switches.direct else 2)
                writers = [TaskWriter(task, 2) for task in range(2)]
                writers[0].send(1, 64 * packets, 0)
                result = simulate(network, Program.of(writers, "one"), [a, b], config=config, engine=engine)
                exact += result.drained_cycles == 16 * packets + hops * sum(delays)
                tried += 1
        lines.append([f"`{text}`", f"`{routing}`", tried, exact])
    return table(["network", "routing", "messages", "to the cycle"], lines)


def tables_of_grids() -> str:
    """Compare grids with dimension order in tables, where no bubble acts."""
    lines = []
    for text, offered in product(("torus:5x3", "mesh:5x4", "mesh:3x3x2"), (0.2, 0.6)):
        points = []
        for more in (
            {"vc_policy": "oblivious"},
            {"routing": "dor", "vc_discipline": "none", "allow_deadlock": text.startswith("torus")},
        ):
            config = Config(vcs=1, bubble=0, queue_packets=8, **more)
            points.append(measure_load(parse(text), offered, config=config, seed=3, warmup=0, measure=1500))
        cells = [f"`{text}`", offered, *(f"{point.packets:,}" for point in points)]
        cells += [f"{point.packet_hops:,}" for point in points]
        cells += [f"{point.delay.mean:.3f}" for point in points]
        lines.append(cells)
    heads = ["network", "offered", "packets: grid", "tables", "hops: grid", "tables"]
    return table([*heads, "mean delay: grid", "tables"], lines)


def faults() -> str:
    """Count packets of uniform traffic through two faults, until all have come or are lost."""
    lines = []
    for text, packets in product(FAILING, ("lost", "again")):
        counts = []
        for engine in ("kernel", "reference"):
            topology = parse(text)
            config = Config(vcs=6, faults=FAULTS.format(packets))
            network = Network(topology, config, engine=engine, seed=1)
            network.generate(pattern("uniform", topology, 0.5 / 16))
            network.advance(1500)
            network.generate(None)
            network.advance()
            counted = network.counters()
            lost, again = (
                sum(getattr(fault, name) for fault in network.faults) for name in ("lost", "again")
            )
            cut = sum(len(fault.nodes) for fault in network.faults)
            counts.append((counted.created, counted.delivered, lost, again, cut))
            assert counted.created == counted.delivered + lost
        engines = "equal" if counts[0] == counts[1] else "differ"
        lines.append([f"`{text}`", packets, *(f"{value:,}" for value in counts[0]), engines])
    heads = ["network", "packets", "created", "delivered", "lost", "sent again", "nodes cut off", "engines"]
    return table(heads, lines)


if __name__ == "__main__":
    fill_in(PAGE, {"zero-load": zero_load, "tables-of-grids": tables_of_grids, "faults": faults})
