"""The demonstration as one page: mappings, and the shared machine."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from netplace.experiments.demo.results import NETWORKS, Outcome, ratios
from netplace.experiments.demo.shared_machine import MACHINE, PARTITIONS, WHY_LESS, Shared
from netplace.report.pages import page_of
from netplace.report.pages.figures import Bars, DataTable, Figure
from netplace.report.pages.html import Page
from netplace.report.tables.cosim import write_kept
from netplace.scheduling.metrics.interval import half_width_of

__all__ = ["demo_page"]


def demo_page(outcomes: Sequence[Outcome], shared: Shared) -> Page:
    """Return the page of the demonstration."""
    traces = list(dict.fromkeys(outcome.trace for outcome in outcomes))
    seeds = len({outcome.seed for outcome in outcomes})
    parts: list[DataTable | Figure] = []
    said = []
    for network, (_, mappings) in NETWORKS.items():
        by_trace = {trace: ratios(outcomes, trace, network) for trace in traces}
        parts.append(
            Bars(
                title=f"Run time on {network} by mapping",
                caption="Beside that of consecutive nodes, means over the seeds.",
                groups=traces,
                series={name: [by_trace[trace][name]["mean"] for trace in traces] for name in mappings},
                half_widths={
                    name: [half_width_of(by_trace[trace][name]["std"], seeds) for trace in traces]
                    for name in mappings
                },
                unit="run time / consecutive",
                base=0.0,
            )
        )
        most, trace, name = max(
            (by_trace[trace][name]["mean"], trace, name) for trace in traces for name in mappings
        )
        said.append(
            f"On {network} the mapping of tasks to nodes moves {trace} most: {name} takes {most:.2f} times "
            "as long as consecutive nodes."
        )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "shared"
        write_kept(folder, shared.plan, shared.outcome)
        machine = page_of(folder)
    parts.append(
        DataTable("The same jobs under three partitioners", shared.columns, shared.rows, note=WHY_LESS)
    )
    notes = [*machine.notes, WHY_LESS]
    said.append(f"The rest is of {MACHINE}, shared by jobs on {PARTITIONS[-1]} nodes.")
    title = "netplace demo: recorded programs, and jobs that share a machine"
    asked = [("traces", ", ".join(traces)), ("seeds", str(seeds)), *machine.asked]
    return Page(title, [*said, *machine.verdict], asked, [*parts, *machine.parts], machine.missing, notes)
