"""The page of a program, as ``netplace map --json`` prints it: traffic, mappings side by side, bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scipy import sparse

from netplace.checks.quantities import Quantity, quantities
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.saved import asked_of, details_of, saved_object
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.networks import traffic_figure
from netplace.report.tables.bounds import mapping_bound
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.mapping_search import Traits

_TIME = Quantity("run time alone", "cycles")
_BESIDE = ("consecutive", "random")
_ASKED = ("network", "partition", "mapping", "criterion", "tasks", "seed", "method", "iterations", "seconds")


def page(path: Path) -> Page:
    with details_of(path, "mapping"):
        return mapping_page(saved_object(path))


def mapping_page(results: dict[str, Any]) -> Page:
    """Return the page of a description by `netplace.report.tables.mapping_search.Searched`."""
    usual = results["consecutive"]
    times = results["times"]
    named = {results["mapping"]: results}
    named |= {name: {**results[name], "cycles": times.get(name)} for name in _BESIDE}
    said = {"cycles": _TIME} | {name: each for name, each in quantities(Traits).items() if each.shown}
    shown = {key: each for key, each in said.items() if results[key] is not None}
    rows = [
        [each.heading, *(own[key] for own in named.values()), _ratio(results[key], named["consecutive"][key])]
        for key, each in shown.items()
    ]
    parts: list[Part] = [
        bar_figure(
            "Mappings side by side",
            [each.name for each in shown.values()],
            {
                name: [_ratio(own[key], named["consecutive"][key]) for key in shown]
                for name, own in named.items()
                if name != "consecutive"
            },
            unit="relative to consecutive",
            base=1.0,
            caption="Relative to the consecutive mapping; below 1 is less.",
        ),
        DataTable("Mappings side by side", ["", *named, "first / consecutive"], rows),
    ]
    missing = []
    if pairs := results["traffic"]:
        parts.append(traffic_figure(_matrix(pairs, results["tasks"]), "Traffic between tasks"))
    else:
        missing = ["the traffic between tasks, which is drawn for up to 256 tasks"]
    nodes = [[task, int(node)] for task, node in enumerate(results["nodes"])]
    parts.append(DataTable("Nodes", ["task", "node"], nodes, most=0))
    if len(results["costs"]) > 1:
        seeds = [[place, cost] for place, cost in enumerate(results["costs"])]
        parts.append(DataTable("Costs by seed", ["mapping", "cost"], seeds, most=0))
    title = results.get("title") or f"Mapping {results['mapping']} on {results['network']}"
    asked = asked_of({name: results[name] for name in _ASKED if name in results})
    return Page(title, _verdict(results, usual), asked, parts, missing)


def _matrix(pairs: list[list[float]], tasks: int) -> Any:
    row, column, sent = zip(*pairs, strict=True)
    return sparse.coo_array((sent, (row, column)), shape=(tasks, tasks))


def _verdict(results: dict[str, Any], usual: dict[str, Any]) -> list[str]:
    said = [
        f"A byte travels {results['byte_hops']:.3g} hops on average, and {usual['byte_hops']:.3g} under the "
        f"consecutive mapping{_change(results['byte_hops'], usual['byte_hops'])}.",
        f"The most loaded link gets {results['most_link_load']:,.0f} bytes if all minimal routes are "
        f"equally likely, and {usual['most_link_load']:,.0f} under the consecutive mapping"
        f"{_change(results['most_link_load'], usual['most_link_load'])}.",
    ]
    if results.get("cycles") is not None:
        said.insert(0, f"Alone on the network the job takes {results['cycles']:,} cycles.")
    else:
        said.append("Nothing was simulated; netplace run simulates the run time.")
    if len(costs := results["costs"]) > 1:
        said.append(f"The costs of {len(costs)} mappings are from {min(costs):,.0f} to {max(costs):,.0f}.")
    return said + mapping_bound(results)


def _ratio(mine: float | None, theirs: float | None) -> float | None:
    return mine / theirs if mine is not None and theirs else None


def _change(mine: float, theirs: float) -> str:
    return f" ({100 * (mine / theirs - 1):+.1f} %)" if theirs else ""
