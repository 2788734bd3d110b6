"""The demonstration: recorded NPB runs under several mappings, and jobs that share a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from statistics import fmean

from rich.console import Console

from netplace.checks.csv_cells import write_rows
from netplace.checks.writing import made_folder
from netplace.experiments.demo.results import NETWORKS, TRACES, Case, Outcome, ratios
from netplace.experiments.demo.shared_machine import WHY_LESS, shared_machine
from netplace.experiments.demo.summary_page import demo_page
from netplace.netsim import Config
from netplace.netsim.threads import cores
from netplace.report.pages import write_page
from netplace.report.plots.page import COLOURS, explain, page
from netplace.report.terminal.quiet import is_quiet
from netplace.report.terminal.screen import print_tables, table, with_progress
from netplace.runs import execute, resolve
from netplace.runs.executors import run_each

__all__ = ["NETWORKS", "TRACES", "Case", "Outcome", "run_demo"]

_COLOURS = dict(zip(("consecutive", "random", "column", "shuffle"), COLOURS, strict=False))


def run(case: Case) -> Outcome:
    """Simulate one case."""
    job = {"trace": case.trace, "mapping": case.mapping}
    result = execute(resolve(case.network, job, config=Config(vcs=case.vcs), seed=case.seed))
    return Outcome(
        **asdict(case),
        cycles=result.cycles,
        drained_cycles=result.drained_cycles,
        packets=result.packets,
        packet_hops=result.packet_hops,
        mean_packet_delay=round(result.packet_delay.mean, 3),
        cpu_seconds=round(result.cpu_seconds, 4),
    )


def cases(seeds: int) -> list[Case]:
    """Return all runs."""
    return [
        Case(trace, network, vcs, mapping, seed)
        for seed in range(seeds)
        for network, (vcs, mappings) in NETWORKS.items()
        for trace in TRACES
        for mapping in mappings
    ]


def write_table(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write every run as a line of a CSV file."""
    write_rows(path, [field.name for field in fields(Outcome)], map(astuple, outcomes))


def draw(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Draw run times relative to the consecutive mapping, a panel for each network."""
    with page(path, 3.1) as figure:
        panels = figure.subplots(1, len(NETWORKS), sharey=True)
        for axes, (network, (_, mappings)) in zip(panels, NETWORKS.items(), strict=True):
            per_trace = [ratios(outcomes, trace, network) for trace in TRACES]
            for number, mapping in enumerate(mappings):
                places = [place + 0.27 * (number - 1) for place in range(len(TRACES))]
                mean = [ratio[mapping]["mean"] for ratio in per_trace]
                deviation = [ratio[mapping]["std"] for ratio in per_trace]
                spread = {"yerr": deviation, "capsize": 3, "error_kw": {"linewidth": 1}}
                axes.bar(places, mean, 0.25, label=mapping, color=_COLOURS[mapping], **spread)
            axes.axhline(1, color="0.3", linewidth=0.8)
            axes.set_xticks(range(len(TRACES)), TRACES)
            axes.set_title(network)
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        panels[0].set_ylabel("run time / mean of consecutive")
        figure.suptitle("NPB class W on 16 nodes: mean and standard deviation over seeds")
        explain(figure)


def show(outcomes: Sequence[Outcome]) -> None:
    """Print mean cycles and ratios of every trace and network."""
    for network, (_, mappings) in NETWORKS.items():
        rows = []
        for trace in TRACES:
            by_mapping = ratios(outcomes, trace, network)
            base = fmean(
                o.cycles
                for o in outcomes
                if (o.trace, o.network, o.mapping) == (trace, network, "consecutive")
            )
            shares = [
                f"{by_mapping[mapping]['mean']:.3f} ± {by_mapping[mapping]['std']:.3f}"
                for mapping in mappings
            ]
            rows.append([trace, f"{base:,.0f}", *shares])
        columns = ["trace", "consecutive (cycles)", *(f"{mapping} (ratio)" for mapping in mappings)]
        print_tables(table(f"{network}: run time, mean ± standard deviation over seeds", columns, rows))


def run_demo(seeds: int, output: Path) -> None:
    """Run every case on all processors, and leave tables on the screen, a CSV and pictures in `output`."""
    with made_folder(output):
        every = cases(seeds)
        note = Console(stderr=True, quiet=is_quiet(), highlight=False, soft_wrap=True, markup=False)
        note.print(f"{len(every)} runs: {', '.join(TRACES)} on {' and '.join(NETWORKS)}")
        outcomes = with_progress(run_each(run, every, cores()), len(every), "replaying")
        write_table(output / "runs.csv", outcomes)
        draw(output / "mappings.png", outcomes)
        show(outcomes)
        shared = shared_machine(output / "sharing.png")
        print_tables(shared.table)
        note.print(WHY_LESS)
        write_page(output / "report.html", demo_page(outcomes, shared), "netplace demo")
        pictures = f"{output / 'mappings.png'}, {output / 'sharing.png'}"
        note.print(f"every run: {output / 'runs.csv'}\npictures:  {pictures}")
        note.print(f"all of it, to open or to send: {output / 'report.html'}")
