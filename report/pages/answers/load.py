"""Latency-throughput curves: ``netplace load``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netplace.netsim.effects import routing_of
from netplace.report.pages.html import Page
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.load import saturation_notes
from netplace.runs.loads import LoadFigures, LoadPlan
from netplace.runs.networks import network_of

_COLUMNS = {  # heading, and digits on the terminal
    "curve": ("curve", 0),
    "offered": ("offered", 3),
    "accepted": ("accepted", 4),
    "accepted_half_width": ("±", 4),
    "mean": ("mean delay (cycles)", 1),
    "mean_half_width": ("± (cycles)", 1),
    "p50": ("median (cycles)", 1),
    "p95": ("95th percentile (cycles)", 1),
    "p99": ("99th percentile (cycles)", 1),
    "seeds": ("seeds", 0),
    "packets": ("packets", 0),
    "cpu_seconds": ("CPU (s)", 2),
    "rate": ("M packet-hops/s", 2),
}


def title_of(plans: Sequence[LoadPlan]) -> str:
    """Return the title of the figure."""
    traffic, networks = _named(plans)
    return f"Accepted load and delay: {traffic} traffic on {networks}"


def _named(plans: Sequence[LoadPlan]) -> tuple[str, str]:
    """Return the patterns, and each network with what determines its routing."""
    networks = (f"{plan.network} with {routing_of(network_of(plan.network), plan.config)}" for plan in plans)
    return " and ".join(dict.fromkeys(plan.traffic for plan in plans)), " and ".join(dict.fromkeys(networks))


def page(plans: Sequence[LoadPlan], figures: Sequence[LoadFigures], rows: Sequence[dict[str, Any]]) -> Page:
    """Return the page; `rows` are those of `netplace.report.tables.load.curve_rows`."""
    traffic, networks = _named(plans)
    question = f"How much {traffic} traffic do{'es' * (' and ' not in networks)} {networks} accept?"
    if len(figures) > 1:
        sentences = saturation_notes(plans, figures)
    else:
        offered, accepted = plans[0].offered, figures[0].accepted
        sentences = [f"Of {offered:g} phits per node and cycle, {accepted:.4g} are accepted."]
    shown = [name for name in _COLUMNS if any(row[name] is not None for row in rows)]
    note = "Loads in phits per node and cycle; delays from creation, waiting at the source included."
    if "accepted_half_width" in shown:
        note += " ± is half of a 95 % interval over the seeds."
    headings, digits = zip(*(_COLUMNS[name] for name in shown), strict=True)
    points = DataTable("Points", headings, [[row[name] for name in shown] for row in rows], note, digits)
    return Page(question, sentences, parts=[points])
