"""Measure the tables and draw the figures of docs/background/validation.md; takes some minutes.

Run it as ``python docs/figures/validation.py``. INSEE's counts come with the tests (tests/golden), its load
curves with this script (insee_uniform.csv); both were measured with INSEE's own simulator.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pandas as pd
from marks import fill_in, table

from netplace.apps import APPLICATIONS, Program, TaskWriter
from netplace.apps.formats import read
from netplace.netsim import Config, Network, measure_load, pattern, simulate
from netplace.netsim.table_router import verdict_on
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Curve
from netplace.report.plots.points import dot_figure, load_figure
from netplace.report.tables.load import curve_rows
from netplace.runs.loads import LoadPlan, measure_plan
from netplace.topologies import Topology, parse
from netplace.topologies.routing import reach, steps

HERE = Path(__file__).parent
GOLDEN = HERE.parents[1] / "tests" / "golden"
DOCUMENT = HERE.parent / "background" / "validation.md"
OPTIONS = {
    "nchan": "vcs",
    "rmode": "vc_policy",
    "amode": "arbiter",
    "cmode": "ejection",
    "tql": "queue_packets",
    "iql": "nic_buffer",
    "bsize": "bubble",
    "routing": "tree_routing",
}
KINDS = {
    "torus": ("torus", "x"),
    "mesh": ("mesh", "x"),
    "fattree": ("tree", ","),
    "thintree": ("thintree", ","),
}

# Networks of any wiring, and routings.
WIRINGS = (
    ("torus:4x3,c=2", "dor"), ("mesh:3x3,c=2", "dor"), ("torus:5x3", "dor"), ("hypercube:5", "dor"),
    ("hyperx:4x3,c=2", "dor"), ("dragonfly:a=4,p=2,h=2", "minimal"), ("dragonfly:a=4,p=2,h=2", "up-down"),
    ("dragonfly+:leaves=3,spines=2,p=2,h=2", "minimal"), ("slimfly:5", "minimal"),
    ("xgft:3;4,3,2;1,2,3", "d-mod-k"), ("tree:3,2", "d-mod-k"),
    ("faulty:links=0.1,seed=2/torus:8x8", "up-down"),
)  # fmt: skip
FAULTS = "at=500,links=0.1,slow=0.2,seed=4,packets={0};at=900,routers=0.03,seed=3,packets={0}"
FAILING = ("torus:8x8", "tree:4,3", "dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=4", "slimfly:5")


@dataclass(frozen=True)
class Row:
    """One line of a golden table."""

    trace: str
    network: str
    options: str
    clock: float
    deviation: float
    runs: int

    @property
    def topology(self) -> Topology:
        """The network, for ``torus_8_8`` ``torus:8x8``."""
        kind, *numbers = self.network.split("_")
        name, separator = KINDS[kind]
        return parse(f"{name}:{separator.join(numbers)}")

    @property
    def settings(self) -> dict[str, int | str]:
        """The settings, for ``nchan=1`` ``vcs=1``."""
        pairs = (pair.split("=") for pair in self.options.split())
        return {OPTIONS[key]: int(value) if value.isdigit() else value for key, value in pairs}

    def cycles(self, seed: int = 0) -> int:
        """Simulate."""
        config = Config(**self.settings)  # type: ignore[arg-type]
        return simulate(self.topology, program(self.trace), config=config, seed=seed).cycles


@cache
def program(trace: str) -> Program:
    """Return a golden program."""
    return read(GOLDEN / "traces" / f"{trace}.trc.gz")


def rows(name: str) -> Iterator[Row]:
    """Yield the lines of a golden table; `cycles` is INSEE's final clock less one."""
    with (GOLDEN / f"{name}.csv").open() as file:
        for line in csv.DictReader(file):
            clock = float(line.get("insee_clock") or line["mean"])
            numbers = float(line.get("std") or 0), int(line.get("runs") or 1)
            yield Row(line["trace"], line["network"], line["insee_options"], clock - 1, *numbers)


def exact() -> str:
    """Count the golden rows that the kernel gives to the cycle."""
    lines = []
    for name, what in (
        ("exact", "traces on networks"),
        ("exact_more", "more of them: arbiter `fifo`, thin trees"),
        ("exact_npb", "whole NPB runs"),
    ):
        differences = [abs(row.cycles() - row.clock) for row in rows(name)]
        equal = sum(difference == 0 for difference in differences)
        lines.append([what, len(differences), equal, f"{max(differences):g} cycles"])
    return table(["table", "rows", "equal", "largest difference"], lines)


def chance(seeds: int = 31) -> str:
    """Compare means where chance matters, and draw them."""
    lines, measured = [], []
    for row in rows("chance"):
        cycles = [row.cycles(seed) for seed in range(seeds)]
        error = math.hypot(row.deviation / math.sqrt(row.runs), stdev(cycles) / math.sqrt(seeds))
        score = (fmean(cycles) - row.clock) / error
        insee, ours = f"{row.clock:.1f} ± {row.deviation:.1f}", f"{fmean(cycles):.1f} ± {stdev(cycles):.1f}"
        flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in row.settings.items())
        lines.append([row.trace, row.topology, flags, insee, ours, f"{score:+.2f}"])
        name = f"{row.trace} on {row.topology}\n{flags}".rstrip()
        for series, mean, deviation in (
            ("INSEE", row.clock, row.deviation),
            ("netplace", fmean(cycles), stdev(cycles)),
        ):
            measured.append((name, series, mean / row.clock, deviation / row.clock))
    frame = pd.DataFrame(measured, columns=["name", "series", "value", "half"])
    title = f"Means over {seeds} seeds"
    whiskers = "one standard deviation"
    figure = dot_figure(title, {"": frame}, "cycles / INSEE's mean", whiskers=whiskers, line=1.0)
    write_figure(HERE / "chance.png", figure)
    heads = ["trace", "network", "settings", "INSEE", "netplace", "difference in standard errors"]
    return table(heads, lines)


def load() -> str:
    """Compare accepted load and delay with INSEE's, and draw the curves."""
    lines = []
    with (HERE / "insee_uniform.csv").open() as file:
        theirs = list(csv.DictReader(file))
    for line in theirs:
        config = Config(vcs=int(line["vcs"]), tree_routing=line["tree_routing"])
        point = measure_load(parse(line["network"]), float(line["offered"]), config=config)
        name = line["network"]
        if name.startswith("tree"):
            name += f", {line['vcs']} VC, {line['tree_routing']}"
        accepted = float(line["accepted"])
        cells = [name, line["offered"], f"{accepted:.3f}", f"{point.accepted:.3f}"]
        cells += [share(point.accepted, accepted), line["delay"], f"{point.delay.mean:.1f}"]
        lines.append([*cells, line["delay"] and share(point.delay.mean, float(line["delay"]))])
    draw_curves(theirs)
    heads = ["network", "offered", "accepted: INSEE", "ours", "difference"]
    return table([*heads, "delay: INSEE", "ours", "difference"], lines)


def draw_curves(theirs: list[dict[str, str]]) -> None:
    """Draw our curves on the tori and INSEE's points."""
    loads = {
        "torus:8x8": np.arange(0.05, 1.01, 0.05).round(2).tolist(),
        "torus:16x16x16": np.arange(0.05, 0.46, 0.05).round(2).tolist(),
    }
    plans = [
        LoadPlan(network=name, offered=offered, measure=8000) for name in loads for offered in loads[name]
    ]
    curves = curve_rows(plans, [measure_plan(plan) for plan in plans])
    figure = load_figure(curves, "Uniform traffic")
    panels = []
    for panel, column, high in zip(figure.panels, ("accepted", "delay"), (None, 420.0), strict=True):
        points = [line for line in theirs if line["network"] in loads]
        x, y = ([float(line[name]) for line in points] for name in ("offered", column))
        insee = Curve(x=x, y=y, line="", mark="x", colour="#000000", label="INSEE")
        panels.append(replace(panel, marks=[*panel.marks, insee], y=replace(panel.y, high=high)))
    write_figure(HERE / "load.png", replace(figure, panels=panels))


def share(ours: float, theirs: float) -> str:
    """Return a relative difference."""
    return f"{(ours / theirs - 1) * 100:+.1f} %"


def agreement() -> str:
    """Run applications on both engines under many settings, and compare what they took."""
    settings = [
        ("torus:4x4", Config()),
        ("torus:4x4", Config(vc_policy="shortest", arbiter="age", vcs=3)),
        ("torus:5x3", Config(vc_policy="random", arbiter="random", injectors=2)),
        ("torus:4x4", Config(vc_policy="oblivious", ejection="single", router_delay=2)),
        ("mesh:4x2x2", Config(arbiter="longest", queue_packets=3, bubble=1)),
        ("tree:4,2", Config(vcs=2)),
        ("thintree:4,2,2", Config(vcs=1, tree_routing="static", arbiter="fifo")),
    ]
    names = ("all-to-all", "2d-torus", "butterfly", "gups", "waterfall")
    runs = equal = 0
    for network, config in settings:
        topology = parse(network)
        for name in names:
            made = APPLICATIONS[name].make(8 if name == "butterfly" else 12, bytes=512)
            kernel, reference = (
                simulate(topology, made, config=config, engine=engine, record_messages=True, seed=runs)
                for engine in ("kernel", "reference")
            )
            runs += 1
            equal += all(
                np.array_equal(a.task_cycles, b.task_cycles)
                and np.array_equal(a.message_start, b.message_start)
                and np.array_equal(a.message_end, b.message_end)
                for a, b in zip(kernel.jobs, reference.jobs, strict=True)
            ) and np.array_equal(kernel.link_packets, reference.link_packets)
    return f"{equal} of {runs} runs ({len(names)} applications under {len(settings)} settings) are equal."


def zero_load() -> str:
    """Count the messages of an empty network that take what the model says, to the cycle."""
    lines = []
    for text, routing in WIRINGS:
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
    known = {"exact": exact, "agreement": agreement, "chance": chance, "load": load}
    wirings = {"zero-load": zero_load, "tables-of-grids": tables_of_grids, "faults": faults}
    fill_in(DOCUMENT, known | wirings)
