"""Measure simulated time under each mapping, and write the table of ``docs/guides/placement.md``.

Run with ``python docs/figures/mapping_default.py``; takes about half an hour. Each of 21 programs of 64 tasks
is mapped onto each network by each rule and simulated. A cell of the table is the geometric mean, over the
programs, of the time under the mapping divided by the time under the consecutive one, then how many programs
the mapping slows by more than 1 %. The rows are in ``mapping_default.csv``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from marks import fill_in, table
from scipy import sparse

from netplace import map_tasks, parse
from netplace.apps import Program, application
from netplace.netsim import Config
from netplace.runs.placing import run_time_of
from netplace.topologies import Topology

HERE = Path(__file__).parent
PAGE = HERE.parent / "guides" / "placement.md"
ROWS = HERE / "mapping_default.csv"
TASKS = 64
# The job fills the first six, and takes a part of the others.
NETWORKS = (
    *("mesh:8x8", "torus:8x8", "torus:4x4x4", "tree:4,3", "thintree:4,2,3", "dragonfly:a=4,p=2,h=2"),
    *("torus:16x16", "torus:8x8x8", "tree:4,4", "dragonfly:a=6,p=3,h=3"),
)
BASE = "consecutive"
MAPPINGS = ("random", "classic", "td", "link-load", "link-load:max")
NPB = ("bt", "cg", "ft", "is", "lu", "mg", "sp")
PATTERNS = (
    *("2d-mesh", "2d-torus", "2d-t-mesh", "2d-sweep", "2d-shift", "3d-mesh", "3d-torus", "3d-t-torus"),
    *("3d-sweep", "butterfly", "binary-tree", "waterfall", "gups"),
)
SLOWER = 1.01


def programs() -> Iterator[tuple[str, Program]]:
    """Yield the names and the programs, all of 64 tasks."""
    for name in NPB:
        yield name.upper(), application(name, TASKS, problem_class="W", iterations=1)
    for name in PATTERNS:
        yield name, application(name, TASKS, bytes=4096)
    yield "training", application("training", TASKS, tp=2, pp=2, dp=16)


def measure(network: Topology, program: Program) -> Iterator[tuple[str, int, float]]:
    """Yield mappings, the simulated cycles under each, and the mean distance of a byte in hops."""
    flows = sparse.coo_array(program.traffic().W)
    run_time = run_time_of(network, program, Config(vcs=3))
    for mapping in (BASE, *MAPPINGS):
        try:
            nodes = map_tasks(mapping, network, TASKS, program=program)
        except ValueError:  # the rule is not defined on this network
            continue
        sender, receiver = (nodes[end] for end in flows.coords)
        hops = network.distance(sender, receiver) @ flows.data / flows.data.sum()
        cycles = run_time(nodes, None)
        assert cycles is not None
        yield mapping, cycles, float(hops)


def ratios_to_base(rows: list[tuple[str, str, str, int, float]]) -> str:
    """Return the table of the page."""
    cycles = {row[:3]: row[3] for row in rows}
    names = list(dict.fromkeys(row[1] for row in rows))
    lines = []
    for network in NETWORKS:
        cells = [f"`{network}`"]
        ratios = np.array(
            [
                [cycles.get((network, name, mapping), np.nan) / cycles[network, name, BASE] for name in names]
                for mapping in MAPPINGS
            ]
        )
        for ratio in (*ratios, np.fmin.reduce((*ratios, np.ones(len(names))))):
            slowed = int((ratio > SLOWER).sum())
            cells.append("" if np.isnan(ratio).any() else f"{np.exp(np.log(ratio).mean()):.2f}, {slowed}")
        lines.append(cells)
    return table(["network", *(f"`{name}`" for name in MAPPINGS), "fastest of these"], lines)


def measured() -> str:
    """Measure, keep the rows, and return the table."""
    rows = []
    for text in NETWORKS:
        network = parse(text)
        for name, program in programs():
            rows += [(text, name, *row) for row in measure(network, program)]
    with ROWS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("network", "program", "mapping", "cycles", "byte_hops"))
        writer.writerows((*row[:4], f"{row[4]:.4f}") for row in rows)
    return ratios_to_base(rows)


if __name__ == "__main__":
    fill_in(PAGE, {"mapping-default": measured})
