"""Dragonfly, fat tree and torus of 1,000 nodes: tables and picture of ``docs/guides/three-networks.md``.

Run with ``python docs/figures/three_networks.py``; takes some minutes. Measured points are kept in
``three_networks.csv`` beside this file, and measured once.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from marks import fill_in, table

from netplace import parse, simulate
from netplace.apps import application
from netplace.netsim import Config, Network, Traffic
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Axis, Bars, Curve, Figure, Panel
from netplace.scheduling import Job, make_partitioner
from netplace.topologies import Graph, Topology

HERE = Path(__file__).parent
PAGE = HERE.parent / "guides" / "three-networks.md"
TABLE = HERE / "three_networks.csv"
VCS = 6
WARMUP, MEASURE = 600, 1000
OFFERED = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
NETWORKS = {
    "dragonfly": "dragonfly:a=8,p=4,h=4",
    "fat tree": "xgft:3;8,8,16;1,8,8",
    "torus": "torus:8x8x16",
}
# Name of a routing: the settings that ask for it. The first of a network is its default.
ROUTINGS = {
    "dragonfly": {"minimal": {}, "ugal-l": {"routing": "ugal-l"}},
    "fat tree": {"d-mod-k": {}, "adaptive": {"routing": "adaptive"}},
    "torus": {"smart (adaptive)": {}, "dimension order": {"vc_policy": "oblivious"}},
}
# By which rule jobs get nodes: close together, and as Slurm's rule for dragonflies has it.
PLACED = {
    "dragonfly": {"jobs": "slurm:tree", "jobs spread": "slurm:dragonfly"},
    "fat tree": {"jobs": "slurm:tree"},
    "torus": {"jobs": "slurm:flat"},
}
JOBS = (
    ("all-to-all", 128, {"packets": 1}),
    ("3d-torus", 125, {"packets": 64}),
    ("butterfly", 128, {"packets": 64}),
    ("2d-torus", 144, {"packets": 64}),
    ("gups", 100, {}),
    ("3d-t-torus", 216, {"packets": 32}),
    ("all-to-all", 64, {"packets": 4}),
)


def main() -> None:
    """Measure what is not there yet, and write tables and picture."""
    rows = {tuple(row[:4]): float(row[4]) for row in _kept()}
    for name, text in NETWORKS.items():
        network = parse(text)
        for routing, settings in ROUTINGS[name].items():
            config = Config(vcs=VCS, **settings)  # type: ignore[arg-type]
            for traffic, target in _patterns(name, network).items():
                points = OFFERED if traffic == "uniform" else (1.0,)
                for offered in points:
                    key = (name, routing, traffic, f"{offered:g}")
                    if (*key[:3], f"{offered:g} accepted") not in rows:
                        accepted, delay = _load(network, config, target, offered)
                        rows[*key[:3], f"{offered:g} accepted"] = accepted
                        rows[*key[:3], f"{offered:g} delay"] = delay
                        _keep(rows)
            for jobs, rule in PLACED[name].items():
                if (name, routing, jobs, "together") not in rows:
                    together, alone = _mix(network, config, rule)
                    rows |= {
                        (name, routing, jobs, "together"): together,
                        (name, routing, jobs, "alone"): alone,
                    }
                    _keep(rows)
    _draw(rows)
    fill_in(PAGE, {"networks": lambda: _tables(rows)})


def _kept() -> list[list[str]]:
    return list(csv.reader(TABLE.read_text().splitlines())) if TABLE.exists() else []


def _keep(rows: dict[tuple[str, ...], float]) -> None:
    with TABLE.open("w", newline="") as file:
        csv.writer(file).writerows([*key, repr(value)] for key, value in rows.items())


def _patterns(name: str, network: Topology) -> dict[str, np.ndarray]:
    """Return targets: uniform, and the permutation that is hard for the default routing of a network."""
    node = np.arange(network.nodes)
    if name == "dragonfly":  # every group to the next: one cable carries all of a group
        hard = (node + 32) % network.nodes
    elif name == "torus":  # tornado: half a ring less one in every dimension
        at, sizes = np.stack([node % 8, node // 8 % 8, node // 64]), np.array([[8], [8], [16]])
        x, y, z = (at + (sizes - 1) // 2) % sizes
        hard = x + 8 * y + 64 * z
    else:  # node i of leaf j to node j of leaf i: all of a leaf go up by one cable
        hard = node // 8 % 8 + 8 * (node % 8) + node // 64 * 64
    return {"uniform": np.full(network.nodes, -1), "hard permutation": hard}


def _load(network: Topology, config: Config, target: np.ndarray, offered: float) -> tuple[float, float]:
    """Return the accepted load, phits per node and cycle, and the mean delay of packets in cycles."""
    driven = Network(network, config, seed=1)
    driven.generate(Traffic(offered / config.packet_phits, target.astype(np.int32)))
    driven.advance(WARMUP)
    driven.reset_counters()
    driven.advance(WARMUP + MEASURE)
    counters = driven.counters()
    accepted = counters.delivered * config.packet_phits / (network.nodes * MEASURE)
    return accepted, counters.packet_delay_sum / max(1, counters.delivered)


def _mix(network: Topology, config: Config, rule: str) -> tuple[float, float]:
    """Return the geometric mean of the jobs' times in cycles: all at once, and each alone on its nodes."""
    scheduler = make_partitioner(rule, network)
    programs, places = [], []
    for number, (app, tasks, options) in enumerate(JOBS):
        allocation = scheduler.find(Job(number, 0.0, tasks, 1.0))
        assert allocation is not None
        scheduler.take(allocation)
        programs.append(application(app, tasks, **options))
        places.append(allocation.nodes)
    together = [job.cycles for job in simulate(network, programs, places, config=config, seed=1).jobs]
    alone = [
        simulate(network, program, where, config=config, seed=1).cycles
        for program, where in zip(programs, places, strict=True)
    ]
    return float(np.exp(np.log(together).mean())), float(np.exp(np.log(alone).mean()))


def _facts(network: Topology) -> list[str]:
    """Return nodes, switches, cables between switches, cables of a bisection a node, and mean distance."""
    first = network.first_switch if isinstance(network, Graph) else 0
    cables = int((network.neighbor[first:] >= first).sum()) // 2
    switches = network.routers - first
    return [
        f"{network.nodes:,}",
        f"{switches:,}",
        f"{cables:,}",
        f"{cables / network.nodes:.2f}",
        f"{network.bisection_width / network.nodes:.2f}",
        f"{network.average_distance:.2f}",
    ]


def _tables(rows: dict[tuple[str, ...], float]) -> str:
    heads = ["network", "nodes", "switches", "cables", "cables a node", "bisection a node", "mean hops"]
    facts = table(heads, ([f"{name}, `{text}`", *_facts(parse(text))] for name, text in NETWORKS.items()))
    lines = []
    best = min(value for key, value in rows.items() if key[3] == "together")
    for name, routings in ROUTINGS.items():
        for place, routing in enumerate(routings):
            of = (name, routing)
            times = [(rows[*of, jobs, "together"], rows[*of, jobs, "alone"]) for jobs in PLACED[name]]
            cells = [
                name,
                f"{routing}{'' if place else ', default'}",
                f"{rows[*of, 'uniform', '1 accepted']:.2f}",
                f"{rows[*of, 'hard permutation', '1 accepted']:.2f}",
                f"{rows[*of, 'uniform', '0.2 delay']:.0f}",
                ", spread ".join(f"{together / best:.2f}" for together, _ in times),
                ", spread ".join(f"{round(100 * (together / alone - 1))}" for together, alone in times),
            ]
            lines.append(cells)
    heads = ["network", "routing", "uniform, accepted", "hard permutation, accepted", "delay at 0.2", "jobs"]
    return f"{facts}\n\n{table([*heads, 'slowdown due to sharing (%)'], lines)}"


def _draw(rows: dict[tuple[str, ...], float]) -> None:
    delays, loads, jobs, names = [], [], [], []
    for place, (name, routings) in enumerate(ROUTINGS.items()):
        names += [""] if names else []  # a gap between networks
        for number, routing in enumerate(routings):
            of, at = (name, routing), len(names)
            names.append(f"{name}, {routing.partition(' (')[0]}")
            look = {"colour": place, "alpha": 1.0 if number == 0 else 0.45}
            x, y = (
                [rows[*of, "uniform", f"{load:g} {kind}"] for load in OFFERED]
                for kind in ("accepted", "delay")
            )
            line, label = ("solid", "dotted")[number], f"{name}, {routing}"
            delays.append(Curve(x=x, y=y, line=line, mark="", width=1.6, label=label, colour=place))
            for side, traffic in ((-0.2, "uniform"), (0.2, "hard permutation")):
                most = rows[*of, traffic, "1 accepted"]
                loads.append(Bars(at=[at + side], values=[most], width=0.38, hatch=int(side > 0), **look))
            together, alone = (rows[*of, "jobs", which] / 1e3 for which in ("together", "alone"))
            jobs.append(Bars(at=[at], values=[together], width=0.7, **look))
            jobs.append(Curve(x=[at - 0.35, at + 0.35], y=[alone] * 2, mark="", width=1.5, colour="#000000"))
    accepted = Axis(label="accepted load (phits per node and cycle)")
    delay = Axis(label="delay of a packet (cycles)", low=0.0, high=400.0)
    panels = [Panel(marks=delays, x=accepted, y=delay, title="Uniform traffic", weight=(1.2, 1.0))]
    for marks, unit, title in (
        (loads, "phits per node and cycle", "Accepted, at most: uniform,\nand hard permutation (hatched)"),
        (jobs, "mean time (1,000 cycles)", "Seven jobs at once\n(line: each alone)"),
    ):
        panels.append(Panel(marks=marks, x=Axis(names=names), y=Axis(label=unit), title=title))
    figure = Figure(title="Three networks of about 1,000 nodes", panels=panels, columns=3, height=3.6)
    write_figure(HERE / "three-networks.png", figure)


if __name__ == "__main__":
    main()
