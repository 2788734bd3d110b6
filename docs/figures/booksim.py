"""Delays and saturation beside BookSim 2 at equal latencies: writes tables of ``docs/background/booksim.md``.

BookSim's figures are those of ``booksim.csv``, taken with the settings that the page tells: `delay` is its
mean packet latency, `accepted` the flits a cycle of a node that sends to others. Run with
``python docs/figures/booksim.py``; takes a minute.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from marks import fill_in, table
from numpy.typing import NDArray

from netplace.netsim import Config, measure_load
from netplace.netsim.traffic import PATTERNS, LoadPoint
from netplace.topologies import Topology, parse

HERE = Path(__file__).parent
PAGE = HERE.parent / "background" / "booksim.md"
DRAGONFLY, HYPERX, MESH, TORUS = "dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=4", "mesh:4x4,c=4", "torus:8x8,c=1"
TREE = "tree:4,3"
BUFFERS = {64: 0.039, 128: 0.076, 256: 0.115, 512: 0.113}  # flits: BookSim, next group, minimal routing
CABLES = {DRAGONFLY: "local=9,global=99"}  # beyond the cycle that a link takes
SIDE = 8  # BookSim numbers the 64 nodes of its grids by rows, also where four of them share a switch
OWN_DELAY = {1: 22.0, 2: 20.0}  # by speedup: cycles of such a packet, over one router
LIMITS = {"delay": 0.05, "accepted": 0.10}

Step = Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]


def on_grid(step: Step) -> Callable[[Topology], NDArray[np.int64]]:
    """Return the pattern that sends each node of BookSim's grid to that of the coordinates after a step."""

    def number(topology: Topology, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        if topology.text in (HYPERX, MESH):  # here the nodes of a switch follow each other
            return ((y // 2) * 4 + x // 2) * 4 + (y % 2) * 2 + x % 2
        return y * SIDE + x

    def targets(topology: Topology) -> NDArray[np.int64]:
        y, x = np.divmod(np.arange(SIDE * SIDE), SIDE)
        target = np.empty(SIDE * SIDE, np.int64)
        target[number(topology, x, y)] = number(topology, *step(x, y))
        return target

    return targets


def next_digits(topology: Topology) -> NDArray[np.int64]:
    """Return BookSim's tornado on its fat tree: each of three digits of base 4 one up."""
    node = np.arange(topology.nodes)
    return sum(((node // place + 1) % 4 * place for place in (1, 4, 16)), np.zeros_like(node))


PATTERNS.add("rows-and-columns", on_grid(lambda x, y: (y, x)))
PATTERNS.add("three-on", on_grid(lambda x, y: ((x + 3) % SIDE, (y + 3) % SIDE)))
PATTERNS.add("next-digits", next_digits)


def pattern_here(network: str, traffic: str) -> str:
    """Return the name here of the traffic that has the same destinations on BookSim's network."""
    known = {"next group": "adversarial", "transpose": "rows-and-columns", "tornado": "three-on"}
    return "next-digits" if (network, traffic) == (TREE, "tornado") else known.get(traffic, traffic)


def measured(network: str, traffic: str, offered: float, measure: int, **settings: object) -> LoadPoint:
    """Drive a network whose routers have four stages, which take half a cycle at a speedup of 2."""
    speedup = 2 if settings.setdefault("crossbar_speedup", 1) == 2 else 1
    config = Config(
        **{
            "queue_packets": 8,
            "pipeline": 4 // speedup,
            "credit_delay": 1,
            "cable_latency": CABLES.get(network, ""),
        }
        | settings
    )
    return measure_load(
        parse(network),
        offered,
        traffic=pattern_here(network, traffic),
        config=config,
        seed=1,
        warmup=12_000,
        measure=measure,
    )


def rows() -> list[dict[str, str]]:
    """Return BookSim's figures as they are in the file."""
    with (HERE / "booksim.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def case_of(row: dict[str, str]) -> tuple[str, ...]:
    """Return network, traffic, routing, virtual channels and offered load of a row."""
    return tuple(row[name] for name in ("network", "traffic", "routing", "vcs", "offered"))


def cases(kind: str) -> dict[tuple[str, ...], dict[int, float]]:
    """Return figures of a kind, `delay` or `accepted`, of BookSim as it is, by case and speedup."""
    figures: dict[tuple[str, ...], dict[int, float]] = {}
    for row in rows():
        if row[kind] and not row["changed"]:
            figures.setdefault(case_of(row), {})[int(row["speedup"])] = float(row[kind])
    return figures


def own_share(network: str, traffic: str) -> float:
    """Return the share of packets that BookSim's nodes send to themselves; here there are none."""
    return {"uniform": 1 / parse(network).nodes, "transpose": 1 / SIDE}.get(traffic, 0.0)


def side_by_side(kind: str, case: tuple[str, ...], speedup: int, figure: float) -> tuple[float, float]:
    """Return BookSim's figure and that measured here, both without packets of a node to itself."""
    network, traffic, routing, vcs, offered = case
    own = own_share(network, traffic)
    cycles = 1_000_000 if kind == "delay" else 12_000
    point = measured(
        network, traffic, float(offered), cycles, routing=routing, vcs=int(vcs), crossbar_speedup=speedup
    )
    if kind == "delay":
        return (figure - own * OWN_DELAY[speedup]) / (1 - own), point.delay.mean
    return figure, point.accepted / (1 - own * (traffic == "transpose"))  # those nodes are silent here


def compared(kind: str, names: list[str], digits: int) -> str:
    """Return the table of one kind of figure, with how far those here are from BookSim's."""
    heads = [*names, "BookSim, 1", "netplace, 1", "difference", "BookSim, 2", "netplace, 2", "difference"]
    lines: list[list[str]] = []
    within = []
    for case, figures in cases(kind).items():
        network, traffic, routing, vcs, offered = case
        cells = [f"`{network}`", traffic, f"`{routing}`", vcs, offered][: len(names)]
        for speedup, published in sorted(figures.items()):
            figure, value = side_by_side(kind, case, speedup, published)
            apart = value / figure - 1
            within.append(abs(apart) <= LIMITS[kind])
            mark = "" if within[-1] else "**"
            cells += [f"{figure:.{digits}f}", f"{value:.{digits}f}", f"{mark}{apart:+.1%}{mark}"]
        lines.append(cells)
    share = f"{sum(within)} of {len(within)} values differ from BookSim's by at most {LIMITS[kind]:.0%}"
    return f"{table(heads, lines)}\n\n{share}; the others are in bold."


def delays() -> str:
    """Measure delays of networks that are nearly empty."""
    return compared("delay", ["network", "traffic", "routing"], 1)


def saturation() -> str:
    """Measure what is accepted, with one and with two packets at a time through the crossbar."""
    return compared("accepted", ["network", "traffic", "routing", "VCs", "offered"], 3)


def changed() -> str:
    """Measure here what BookSim accepts with one thing changed that is different here."""
    heads = ["changed in BookSim", "network", "traffic", "routing", "offered", "speedup"]
    heads += ["BookSim", "BookSim, changed", "netplace", "difference"]
    lines, before = [], cases("accepted")
    for row in rows():
        if not row["changed"]:
            continue
        case, speedup = case_of(row), int(row["speedup"])
        figure, value = side_by_side("accepted", case, speedup, float(row["accepted"]))
        cells = [row["changed"], f"`{row['network']}`", row["traffic"], f"`{row['routing']}`", row["offered"]]
        cells += [str(speedup), *(f"{number:.3f}" for number in (before[case][speedup], figure, value))]
        lines.append([*cells, f"{value / figure - 1:+.1%}"])
    return table(heads, lines)


def buffers() -> str:
    """Measure traffic to the next group of a dragonfly with buffers of several depths."""
    lines = []
    for flits, figure in BUFFERS.items():
        outcome = measured(
            DRAGONFLY, "next group", 1.0, 12_000, routing="minimal", vcs=2, queue_packets=flits // 16
        )
        bound = 0.125 * min(1.0, flits / (1 + 99 + 4 + 16 + 99 + 1))
        lines.append([flits, figure, f"{outcome.accepted:.3f}", f"{bound:.3f}"])
    heads = ["flits per VC", "BookSim", "netplace", "buffer size / round-trip time, at most 0.125"]
    return table(heads, lines)


if __name__ == "__main__":
    fill_in(
        PAGE, {f"booksim-{measure.__name__}": measure for measure in (delays, buffers, saturation, changed)}
    )
