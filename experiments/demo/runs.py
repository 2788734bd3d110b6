"""The demonstration: recorded NPB runs under several mappings, and schedules with their run times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

import pandas as pd
from rich.console import Console

from netplace.csv_files import write_frame
from netplace.files import made_folder
from netplace.netsim import Config
from netplace.netsim.threads import cores
from netplace.report.pages import write_page
from netplace.report.pages.html import Page
from netplace.report.plots import write_figure
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable
from netplace.report.terminal.progress import is_quiet, sweep_progress, with_progress
from netplace.report.terminal.screen import number, print_tables, table
from netplace.runs import execute, resolve
from netplace.runs.executors import run_each
from netplace.runs.placement_file import read_placement_file
from netplace.runs.resources import simulators
from netplace.runs.schedules import run_schedule, workload_of
from netplace.runs.tabled_jobs import complete_tables
from netplace.scheduling.metrics.interval import half_width_of

TRACES = ("BT.W.16", "FT.W.16", "IS.W.16", "LU.W.16", "MG.W.16")
# network: (virtual channels, mappings)
NETWORKS = {
    "torus:4x4": (2, ("consecutive", "classic", "td", "random")),
    "tree:4,2": (2, ("consecutive", "classic", "random")),
}


class Case(NamedTuple):
    trace: str
    network: str
    vcs: int
    mapping: str
    seed: int


def _ratios(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by network, trace and mapping what runs take relative to the consecutive mapping's mean.

    The columns are ``base``, that mean in cycles; ``mean``, over the seeds; and ``half``, of a 95 % interval.
    """
    consecutive = runs[runs["mapping"] == "consecutive"].groupby(["network", "trace"])["cycles"].mean()
    runs = runs.join(consecutive.rename("base"), on=["network", "trace"])
    runs["ratio"] = runs["cycles"] / runs["base"]
    by_case = runs.groupby(["network", "trace", "mapping"], sort=False)
    found = by_case["ratio"].agg(["mean", "std", "count"]).assign(base=by_case["base"].first())
    return found.assign(half=list(map(half_width_of, found["std"], found["count"])))


# What the second half runs: the programs in every box that an allocator can give them, and their schedules.
STUDY = (resources.files("netplace.experiments.demo") / "study.toml").read_text(encoding="utf-8")


def _schedules(output: Path) -> DataTable:
    """Simulate the run times that the jobs of the study need, and schedule every combination."""
    path = output / "study.toml"
    path.write_text(STUDY)
    plans = read_placement_file(path).plans
    with sweep_progress("run times", True) as progress:
        complete_tables(plans, workload_of, lambda: simulators(cores()), progress)
    found = [(plan, run_schedule(plan).figures.metrics) for plan in plans]
    rows = [
        [
            plan.policy,
            plan.partition,
            plan.mapping,
            number(1e3 * metrics.per_job["wait"].mean, 2),
            number(1e3 * metrics.per_job["run"].mean, 2),
            number(1e3 * metrics.makespan, 2),
        ]
        for plan, metrics in found
    ]
    base, best = found[0], min(found, key=lambda pair: pair[1].makespan)
    saved = 100 * (1 - best[1].makespan / base[1].makespan)
    first, fastest = (
        f"{plan.policy} on {plan.partition} boxes with mapping {plan.mapping}" for plan in (base[0], best[0])
    )
    answer = f"{fastest} ends the jobs {saved:.0f} % earlier than {first}."
    columns = ["policy", "allocator", "mapping", "wait (ms)", "run (ms)", "makespan (ms)"]
    return DataTable("Schedules with the run times of a table", columns, rows, note=answer)


def criteria(ratios: pd.DataFrame, network: str) -> str:
    """Return a sentence on TD and the classic criterion on a network; their times are means over seeds."""
    means = ratios.loc[network, "mean"].unstack()
    shares = means["td"] / means["classic"]
    return (
        f"On {network}, td takes {geometric_mean(shares):.3f} times as long as the classic criterion "
        f"(geometric mean of {len(shares)} programs), and is faster for {(shares < 1).sum()} of them."
    )


def _demo_page(runs: pd.DataFrame, pictures: Sequence[Figure], scheduled: DataTable) -> Page:
    ratios = _ratios(runs)
    both = [network for network, (_, names) in NETWORKS.items() if {"td", "classic"} <= {*names}]
    answers = [criteria(ratios, network) for network in both]
    for network in NETWORKS:
        means = ratios.loc[network, "mean"]
        trace, name = means.idxmax()
        answers.append(
            f"On {network}, the mapping of tasks to nodes matters most for {trace}: {name} nodes take "
            f"{means.max():.2f} times as long as consecutive ones."
        )
    title = "netplace demo: which mapping, and which schedule?"
    seeds = runs["seed"].nunique()
    request = [("traces", ", ".join(TRACES)), ("seeds", str(seeds)), ("study", STUDY)]
    return Page(title, [*answers, scheduled.note], request, [*pictures, scheduled])


def run(case: Case) -> dict[str, Any]:
    """Return what a run took; times in cycles, but `cpu_seconds`."""
    job = {"trace": case.trace, "mapping": case.mapping}
    result = execute(resolve(case.network, job, config=Config(vcs=case.vcs), seed=case.seed))
    return case._asdict() | {
        "cycles": result.cycles,
        "drained_cycles": result.drained_cycles,
        "packets": result.packets,
        "packet_hops": result.packet_hops,
        "mean_packet_delay": round(result.packet_delay.mean, 3),
        "cpu_seconds": round(result.cpu_seconds, 4),
    }


def cases(seeds: int) -> list[Case]:
    return [
        Case(trace, network, vcs, mapping, seed)
        for seed in range(seeds)
        for network, (vcs, mappings) in NETWORKS.items()
        for trace in TRACES
        for mapping in mappings
    ]


_COLOURS = ("consecutive", "random", "classic", "td")


def mappings_figure(ratios: pd.DataFrame, network: str) -> Figure:
    """Return the run times on a network relative to the consecutive mapping, for each program."""
    values, half = (
        {
            mapping: own.loc[list(TRACES)].tolist()
            for mapping, own in ratios.loc[network, name].unstack().items()
        }
        for name in ("mean", "half")
    )
    figure = bar_figure(
        f"Run time on {network} by mapping",
        TRACES,
        values,
        half=half,
        unit="run time / consecutive",
        caption="Relative to consecutive nodes; means over the seeds.",
        whiskers="95 % intervals",
    )
    [panel] = figure.panels
    bars = [replace(bar, colour=_COLOURS.index(name)) for bar, name in zip(panel.marks, values, strict=True)]
    return replace(figure, panels=[replace(panel, marks=bars)])


def _together(by_network: dict[str, Figure]) -> Figure:
    """Return one picture of the figures of all networks."""
    return Figure(
        title="NPB class W on 16 nodes: means over seeds",
        panels=[replace(figure.panels[0], title=network) for network, figure in by_network.items()],
        whiskers="95 % intervals",
        columns=len(by_network),
        height=3.1,
        share_y=True,
    )


def show(ratios: pd.DataFrame) -> None:
    for network, (_, mappings) in NETWORKS.items():
        rows = []
        for trace in TRACES:
            own = ratios.loc[network, trace]
            shares = [f"{own['mean'][name]:.3f} ± {own['half'][name]:.3f}" for name in mappings]
            rows.append([trace, f"{own['base'].iloc[0]:,.0f}", *shares])
        columns = ["trace", "consecutive (cycles)", *(f"{mapping} (ratio)" for mapping in mappings)]
        print_tables(table(f"{network}: run time, means over seeds with 95 % intervals", columns, rows))


def run_demo(seeds: int, output: Path) -> None:
    """Run every case on all processors, and leave tables on the screen, a CSV and pictures in `output`."""
    with made_folder(output):
        every = cases(seeds)
        note = Console(stderr=True, quiet=is_quiet(), highlight=False, soft_wrap=True, markup=False)
        note.print(f"{len(every)} runs: {', '.join(TRACES)} on {' and '.join(NETWORKS)}")
        runs = pd.DataFrame(with_progress(run_each(run, every, cores()), len(every), "replays"))
        write_frame(runs, output / "runs.csv")
        ratios = _ratios(runs)
        by_network = {network: mappings_figure(ratios, network) for network in NETWORKS}
        write_figure(output / "mappings.png", _together(by_network))
        show(ratios)
        scheduled = _schedules(output)
        print_tables(table(scheduled.title, scheduled.columns, scheduled.rows))
        note.print(scheduled.note)
        page = _demo_page(runs, [*by_network.values()], scheduled)
        write_page(output / "report.html", page, "netplace demo")
        files = [output / name for name in ("runs.csv", "mappings.png", "study.toml", "times.sqlite")]
        note.print(f"runs, picture, study and its run times: {', '.join(map(str, files))}")
        note.print(f"all of it, to open or to send: {output / 'report.html'}")
