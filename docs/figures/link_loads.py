"""Mappings by hops, by TD and by routed link load: writes the table of ``docs/guides/placement.md``.

Run with ``python docs/figures/link_loads.py``; takes a minute.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from netplace import carried, map_tasks, parse, read, simulate
from netplace.netsim import Config
from netplace.placement.mapping.routed_links import routed_links

PAGE = Path(__file__).parent.parent / "guides" / "placement.md"
NETWORKS = ("torus:8x8", "dragonfly:a=4,p=2,h=2", "tree:4,3", "hyperx:4x4,c=4")
TRACES = ("IS.W.16", "LU.W.16", "BT.W.16")
MAPPINGS = ("consecutive", "random", "classic", "td", "link-load", "link-load:max")
SEEDS = range(5)


def main() -> None:
    """Measure, and put the table between its marks."""
    lines = ["| network | trace | " + " | ".join(f"`{name}`" for name in MAPPINGS) + " |"]
    lines.append("|---" * (2 + len(MAPPINGS)) + "|")
    for text in NETWORKS:
        network = parse(text)
        routed = routed_links(network, np.arange(network.nodes))
        for trace in TRACES:
            program = read(carried(trace))
            cells = []
            for mapping in MAPPINGS:
                most, cycles = [], []
                for seed in SEEDS:
                    try:
                        nodes = map_tasks(mapping, network, program.tasks, program=program, seed=seed)
                    except ValueError:  # not defined on this network
                        break
                    most.append(routed.loads(nodes, program.traffic().W).max() / 1e6)
                    cycles.append(
                        simulate(network, program, nodes, seed=seed, config=Config(vcs=3)).cycles / 1e6
                    )
                cells.append(f"{np.mean(most):.2f}, {np.mean(cycles):.2f}" if most else "")
            lines.append(f"| `{text}` | {trace} | " + " | ".join(cells) + " |")
    table = "\n".join(lines)
    page = PAGE.read_text()
    pattern = re.compile(r"(<!-- begin link-loads -->\n).*?(<!-- end link-loads -->)", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda match: f"{match[1]}{table}\n{match[2]}", page))


if __name__ == "__main__":
    main()
