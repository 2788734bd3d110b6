"""Saturation beside BookSim 2 at equal latencies: writes tables of ``docs/guides/fabrics.md``.

BookSim's figures are those of ``docs/guides/own-network.md``, where its settings are told. Run with
``python docs/figures/booksim.py``; takes some minutes.
"""

from __future__ import annotations

from pathlib import Path

from marks import fill_in

from netplace.netsim import Config, measure_load
from netplace.topologies import parse

PAGE = Path(__file__).parent.parent / "guides" / "fabrics.md"
DRAGONFLY, HYPERX, MESH, TORUS = "dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=4", "mesh:4x4,c=4", "torus:8x8,c=1"
# network, traffic, routing, VCs, offered, BookSim with a speedup of 1 and of 2
CASES = (
    (DRAGONFLY, "uniform", "minimal", 2, 1.0, 0.51, 0.59),
    (DRAGONFLY, "uniform", "ugal-l:2", 3, 1.0, 0.49, 0.60),
    (DRAGONFLY, "adversarial", "minimal", 2, 1.0, 0.078, 0.079),
    (DRAGONFLY, "adversarial", "ugal-l:2", 3, 1.0, 0.13, 0.14),
    (HYPERX, "uniform", "dor", 4, 1.0, 0.69, 0.96),
    (HYPERX, "uniform", "valiant", 4, 1.0, 0.38, 0.51),
    (HYPERX, "uniform", "ugal-l", 4, 1.0, 0.57, 0.94),
    (MESH, "uniform", "dor", 4, 1.0, 0.20, 0.25),
    (TORUS, "uniform", "dor", 4, 0.7, 0.68, 0.71),
    (TORUS, "uniform", "dor", 4, 1.0, 0.59, 0.93),
)
BUFFERS = {64: 0.039, 128: 0.076, 256: 0.115, 512: 0.113}  # flits: BookSim, next group, minimal routing
CABLES = {DRAGONFLY: "local=9,global=99"}  # beyond the cycle that a link takes


def accepted(network: str, traffic: str, offered: float, **settings: object) -> float:
    """Return the phits accepted a node and cycle, with a router of four cycles as BookSim has it."""
    config = Config(
        **{"queue_packets": 8, "pipeline": 3, "credit_delay": 1, "cable_latency": CABLES.get(network, "")}
        | settings
    )
    found = measure_load(
        parse(network), offered, traffic=traffic, config=config, seed=1, warmup=4000, measure=6000
    )
    return found.accepted


def saturation() -> str:
    """Measure what is accepted, with one and with two packets at a time through the crossbar."""
    lines = ["| network | traffic | routing | VCs | offered | BookSim, 1 | here, 1 | BookSim, 2 | here, 2 |"]
    lines.append("|---" * 9 + "|")
    for network, traffic, routing, vcs, offered, *published in CASES:
        cells = [f"`{network}`", traffic, f"`{routing}`", str(vcs), str(offered)]
        for crossbar, figure in zip((1, 2), published, strict=True):
            found = accepted(network, traffic, offered, routing=routing, vcs=vcs, crossbar=crossbar)
            cells += [f"{figure:.3g}", f"{found:.3f}" if found < 0.2 else f"{found:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def buffers() -> str:
    """Measure traffic to the next group of a dragonfly with buffers of several depths."""
    lines = ["| flits a VC | BookSim | here | room / round trip, of 0.125 |", "|---|---|---|---|"]
    for flits, figure in BUFFERS.items():
        found = accepted(
            DRAGONFLY,
            "adversarial",
            1.0,
            routing="minimal",
            vcs=2,
            queue_packets=flits // 16,
            crossbar=1,
        )
        bound = 0.125 * min(1.0, flits / (1 + 99 + 3 + 16 + 99 + 1))
        lines.append(f"| {flits} | {figure} | {found:.3f} | {bound:.3f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and put the tables between their marks."""
    fill_in(PAGE, {f"booksim-{measure.__name__}": measure for measure in (buffers, saturation)})


if __name__ == "__main__":
    main()
