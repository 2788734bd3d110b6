"""The page of a program, as ``netplace map --json`` prints it: traffic, mappings side by side, bounds."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from netplace.report.pages.html import DataTable, Page, Part
from netplace.report.pages.kinds.saved import asked_of
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.networks import traffic_figure
from netplace.report.tables.bounds import mapping_sentences

_TRAITS = {
    "cycles": "run time alone (cycles)",
    "cost": "cost (bytes times the cost function)",
    "pair_hops": "distance of a pair of tasks (hops)",
    "byte_hops": "distance of a byte (hops)",
    "pair_hops_al": "distance with asymmetry, of a pair",
    "byte_hops_al": "distance with asymmetry, of a byte",
    "most_link_load": "largest link load (bytes)",
}
_SHOWN = {
    "cycles": "run time",
    "cost": "cost",
    "pair_hops": "hops of a pair",
    "byte_hops": "hops of a byte",
    "most_link_load": "largest link load",
}
_BESIDE = ("consecutive", "random")
_ASKED = ("network", "partition", "mapping", "criterion", "tasks", "seed", "method", "iterations", "seconds")


def page(results: dict[str, Any]) -> Page:
    usual = results["consecutive"]
    times = results["times"]
    named = {results["mapping"]: results}
    named |= {name: {**results[name], "cycles": times.get(name)} for name in _BESIDE}
    rows = [
        [name, *(own[key] for own in named.values()), _ratio(results[key], named["consecutive"][key])]
        for key, name in _TRAITS.items()
        if results[key] is not None
    ]
    shown = [key for key in _SHOWN if results[key] is not None]
    parts: list[Part] = [
        bar_figure(
            "Mappings side by side",
            [_SHOWN[key] for key in shown],
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
    parts.append(
        DataTable(
            "Nodes", ["task", "node"], [[task, int(node)] for task, node in enumerate(results["nodes"])]
        )
    )
    if len(results["costs"]) > 1:
        seeds = [[place, cost] for place, cost in enumerate(results["costs"])]
        parts.append(DataTable("Costs by seed", ["mapping", "cost"], seeds))
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
    return said + [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in mapping_sentences(results)]


def _ratio(mine: float | None, theirs: float | None) -> float | None:
    return mine / theirs if mine is not None and theirs else None


def _change(mine: float, theirs: float) -> str:
    return f" ({100 * (mine / theirs - 1):+.1f} %)" if theirs else ""
