"""The demonstration: recorded NPB runs under several mappings, and jobs that share a machine."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rich.console import Console

from netplace.checks.csv_cells import write_rows
from netplace.checks.writing import made_folder
from netplace.cosim import cosimulate, job_rows_of, make_cosim_plan
from netplace.netsim import Config
from netplace.netsim.threads import cores
from netplace.report.pages import page_of, write_page
from netplace.report.pages.html import Page, Part
from netplace.report.plots import write_figure
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.jobs import sharing_figure
from netplace.report.tables.cosim import title_of, write_kept
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.summary import spread
from netplace.report.terminal.pulse import is_quiet
from netplace.report.terminal.screen import number, print_tables, table, with_progress
from netplace.runs import execute, resolve
from netplace.runs.executors import run_each
from netplace.scheduling.metrics.interval import half_width_of

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.cosim import CosimPlan

TRACES = ("BT.W.16", "FT.W.16", "IS.W.16", "LU.W.16", "MG.W.16")
# network: (virtual channels, mappings)
NETWORKS = {
    "torus:4x4": (2, ("consecutive", "column", "random")),
    "tree:4,2": (2, ("consecutive", "shuffle", "random")),
}


@dataclass(frozen=True)
class Case:
    trace: str
    network: str
    vcs: int
    mapping: str
    seed: int


@dataclass(frozen=True)
class Outcome(Case):
    """What a run took; times in cycles, but `cpu_seconds`."""

    cycles: int
    drained_cycles: int
    packets: int
    packet_hops: int
    mean_packet_delay: float
    cpu_seconds: float


@dataclass(frozen=True)
class _Ratio:
    """Cycles divided by the mean of the consecutive mapping's: the mean over seeds and its 95 % interval."""

    mean: float
    half: float


def _ratios(outcomes: Sequence[Outcome], trace: str, network: str) -> dict[str, _Ratio]:
    """Return the ratio of each mapping."""
    chosen = [outcome for outcome in outcomes if (outcome.trace, outcome.network) == (trace, network)]
    base = fmean(outcome.cycles for outcome in chosen if outcome.mapping == "consecutive")
    found = {}
    for mapping in NETWORKS[network][1]:
        ratios = [outcome.cycles / base for outcome in chosen if outcome.mapping == mapping]
        own = spread(ratios)
        found[mapping] = _Ratio(own["mean"], half_width_of(own["std"], len(ratios)))
    return found


_MACHINE, _JOBS = "torus:8x8", 40
_PARTITIONS = ("contiguous", "non-contiguous", "random")
_GIVEN = {
    "machine": _MACHINE, "workload": "applications", "sizes": "small", "classes": "2d,3d",
    "intensity": "low", "repeats": "2:10", "mean_interarrival": 3e-6, "policy": "easy", "explain": True,
}  # fmt: skip
_WHY_LESS = (
    "A slowdown below 1 is not an error: next to other jobs, packets arrive in a different order, and a "
    "single run can happen to be slightly faster than the run alone."
)


@dataclass(frozen=True)
class _Shared:
    table: Table  # of all partitioners
    columns: list[str]  # its headings
    rows: list[list[str]]  # its cells
    # The last co-simulation, which is drawn.
    plan: CosimPlan
    outcome: dict[str, Any]


def _shared_machine(picture: Path) -> _Shared:
    rows = []
    for partition in _PARTITIONS:
        plan = make_cosim_plan(_GIVEN | {"partition": partition, "jobs": _JOBS})
        outcome = cosimulate(plan).outcome
        figures = outcome["figures"]
        sharing, per_job = figures["sharing"], figures["schedule"]["per_job"]
        rows.append(
            [
                partition,
                number(sharing["mean_slowdown"], 3),
                number(sharing["most_slowdown"], 3),
                number(1e6 * per_job["wait"]["mean"], 1),
                number(1e6 * per_job["run"]["mean"], 1),
                number(100 * figures["table_error"]["all"]["mean"], 1),
            ]
        )
    write_figure(picture, sharing_figure(job_rows_of(outcome), title_of(plan)))
    columns = [
        "partitioner",
        "slowdown due to sharing",
        "most",
        "wait (µs)",
        "run (µs)",
        "error of a table (%)",
    ]
    title = f"{_JOBS} jobs share {_MACHINE} under EASY, packet by packet"
    return _Shared(table(title, columns, rows), columns, rows, plan, outcome)


def _demo_page(outcomes: Sequence[Outcome], pictures: Sequence[Figure], shared: _Shared) -> Page:
    parts: list[Part] = list(pictures)
    said = []
    for network in NETWORKS:
        most, trace, name = max(
            (ratio.mean, trace, name)
            for trace in TRACES
            for name, ratio in _ratios(outcomes, trace, network).items()
        )
        said.append(
            f"On {network}, the mapping of tasks to nodes matters most for {trace}: {name} nodes take "
            f"{most:.2f} times as long as consecutive ones."
        )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "shared"
        write_kept(folder, shared.plan, shared.outcome)
        machine = page_of(folder)
    parts.append(
        DataTable("The same jobs under three partitioners", shared.columns, shared.rows, note=_WHY_LESS)
    )
    notes = [*machine.notes, _WHY_LESS]
    said.append(f"The rest of this page shows {_MACHINE}, shared by jobs on {_PARTITIONS[-1]} nodes.")
    title = "netplace demo: recorded programs, and jobs that share a machine"
    seeds = len({outcome.seed for outcome in outcomes})
    asked = [("traces", ", ".join(TRACES)), ("seeds", str(seeds)), *machine.asked]
    return Page(title, [*said, *machine.verdict], asked, [*parts, *machine.parts], machine.missing, notes)


def run(case: Case) -> Outcome:
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
    return [
        Case(trace, network, vcs, mapping, seed)
        for seed in range(seeds)
        for network, (vcs, mappings) in NETWORKS.items()
        for trace in TRACES
        for mapping in mappings
    ]


def write_table(path: Path, outcomes: Sequence[Outcome]) -> None:
    write_rows(path, [field.name for field in fields(Outcome)], map(astuple, outcomes))


_COLOURS = ("consecutive", "random", "column", "shuffle")


def mappings_figure(outcomes: Sequence[Outcome], network: str) -> Figure:
    """Return the run times on a network relative to the consecutive mapping, for each program."""
    per_trace = [_ratios(outcomes, trace, network) for trace in TRACES]
    values, half = (
        {mapping: [getattr(ratio[mapping], name) for ratio in per_trace] for mapping in NETWORKS[network][1]}
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


def show(outcomes: Sequence[Outcome]) -> None:
    for network, (_, mappings) in NETWORKS.items():
        rows = []
        for trace in TRACES:
            by_mapping = _ratios(outcomes, trace, network)
            base = fmean(
                o.cycles
                for o in outcomes
                if (o.trace, o.network, o.mapping) == (trace, network, "consecutive")
            )
            shares = [f"{by_mapping[name].mean:.3f} ± {by_mapping[name].half:.3f}" for name in mappings]
            rows.append([trace, f"{base:,.0f}", *shares])
        columns = ["trace", "consecutive (cycles)", *(f"{mapping} (ratio)" for mapping in mappings)]
        print_tables(table(f"{network}: run time, means over seeds with 95 % intervals", columns, rows))


def run_demo(seeds: int, output: Path) -> None:
    """Run every case on all processors, and leave tables on the screen, a CSV and pictures in `output`."""
    with made_folder(output):
        every = cases(seeds)
        note = Console(stderr=True, quiet=is_quiet(), highlight=False, soft_wrap=True, markup=False)
        note.print(f"{len(every)} runs: {', '.join(TRACES)} on {' and '.join(NETWORKS)}")
        outcomes = with_progress(run_each(run, every, cores()), len(every), "replaying")
        write_table(output / "runs.csv", outcomes)
        by_network = {network: mappings_figure(outcomes, network) for network in NETWORKS}
        write_figure(output / "mappings.png", _together(by_network))
        show(outcomes)
        shared = _shared_machine(output / "sharing.png")
        print_tables(shared.table)
        note.print(_WHY_LESS)
        write_page(
            output / "report.html", _demo_page(outcomes, [*by_network.values()], shared), "netplace demo"
        )
        pictures = f"{output / 'mappings.png'}, {output / 'sharing.png'}"
        note.print(f"every run: {output / 'runs.csv'}\npictures:  {pictures}")
        note.print(f"all of it, to open or to send: {output / 'report.html'}")
