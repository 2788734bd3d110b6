"""Measure the tables and draw the figures of docs/background/validation.md; takes a minute or two.

Run it as ``python docs/figures/validation.py``. INSEE's counts come with the tests (tests/golden), its load
curves with this script (insee_uniform.csv); both were measured with INSEE's own simulator.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pandas as pd
from marks import fill_in, table

from netplace.apps import APPLICATIONS, Program
from netplace.apps.formats import read
from netplace.netsim import Config, measure_load, simulate
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Curve
from netplace.report.plots.points import dot_figure, load_figure
from netplace.report.tables.load import curve_frame
from netplace.runs.loads import LoadPlan, measure_plan
from netplace.topologies import Topology, parse

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
    def config(self) -> Config:
        """The settings, for ``nchan=1`` ``vcs=1``."""
        pairs = (pair.split("=") for pair in self.options.split())
        return Config(**{OPTIONS[key]: int(value) if value.isdigit() else value for key, value in pairs})

    @property
    def flags(self) -> str:
        """The settings as the command line spells them."""
        pairs = (pair.split("=") for pair in self.options.split())
        return " ".join(f"--{OPTIONS[key].replace('_', '-')} {value}" for key, value in pairs)

    def cycles(self, seed: int = 0, engine: str = "kernel") -> int:
        """Simulate."""
        return simulate(
            self.topology, program(self.trace), config=self.config, seed=seed, engine=engine
        ).cycles


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
        lines.append([row.trace, row.topology, row.flags, insee, ours, f"{score:+.2f}"])
        name = f"{row.trace} on {row.topology}\n{row.flags}".rstrip()
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
        cells = [
            name,
            line["offered"],
            f"{accepted:.3f}",
            f"{point.accepted:.3f}",
            share(point.accepted, accepted),
        ]
        if line["delay"]:
            delay = float(line["delay"])
            cells += [f"{delay:g}", f"{point.delay.mean:.1f}", share(point.delay.mean, delay)]
        else:
            cells += ["", f"{point.delay.mean:.1f}", ""]
        lines.append(cells)
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
    curves = curve_frame(plans, [measure_plan(plan) for plan in plans])
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


if __name__ == "__main__":
    fill_in(DOCUMENT, {"exact": exact, "agreement": agreement, "chance": chance, "load": load})
