"""The page of a mapping beside the consecutive one, as ``netplace map --json`` prints it."""

from __future__ import annotations

from typing import Any

from netplace.report.pages.html import DataTable, Page, Part
from netplace.report.pages.kinds.saved import asked_of
from netplace.report.plots.charts import bar_figure
from netplace.report.tables.bounds import mapping_sentences

_TRAITS = {
    "cost": "cost (bytes times the cost function)",
    "pair_hops": "distance of a pair of tasks (hops)",
    "byte_hops": "distance of a byte (hops)",
    "pair_hops_al": "distance with asymmetry, of a pair",
    "byte_hops_al": "distance with asymmetry, of a byte",
    "most_link_load": "largest link load (bytes)",
}
_DRAWN = {
    "cost": "cost",
    "pair_hops": "hops of a pair",
    "byte_hops": "hops of a byte",
    "most_link_load": "largest link load",
}
_ASKED = ("network", "partition", "mapping", "criterion", "tasks", "seed", "method", "iterations", "seconds")


def page(results: dict[str, Any]) -> Page:
    usual = results["consecutive"]
    rows = [
        [name, results[key], usual[key], _ratio(results[key], usual[key])]
        for key, name in _TRAITS.items()
        if results.get(key) is not None
    ]
    parts: list[Part] = [
        bar_figure(
            "Comparison with the consecutive mapping",
            list(_DRAWN.values()),
            {"ratio": [_ratio(results[key], usual[key]) for key in _DRAWN]},
            unit="mapping / consecutive",
            base=1.0,
            caption="Traffic under the mapping, relative to the consecutive mapping; below 1 is less.",
        ),
        DataTable("Traffic under the mapping", ["", "mapping", "consecutive", "ratio"], rows),
        DataTable(
            "Nodes", ["task", "node"], [[task, int(node)] for task, node in enumerate(results["nodes"])]
        ),
    ]
    if len(results["costs"]) > 1:
        seeds = [[place, cost] for place, cost in enumerate(results["costs"])]
        parts.append(DataTable("Costs by seed", ["mapping", "cost"], seeds))
    title = results.get("title") or f"Mapping {results['mapping']} on {results['network']}"
    asked = asked_of({name: results[name] for name in _ASKED if name in results})
    return Page(title, _verdict(results, usual), asked, parts)


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


def _ratio(mine: float, theirs: float) -> float | None:
    return mine / theirs if theirs else None


def _change(mine: float, theirs: float) -> str:
    return f" ({100 * (mine / theirs - 1):+.1f} %)" if theirs else ""
