"""The pages of ``netplace map --json``: which mapping is fastest, and one mapping beside others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scipy import sparse

from netplace.quantities import Quantity, quantities
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.saved import asked_of, details_of, saved_object
from netplace.report.plots.charts import bar_figure, interval_figure
from netplace.report.plots.figure import HELD, Figure
from netplace.report.plots.networks import traffic_figure
from netplace.report.tables.bounds import mapping_bound
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.mapping_choice import CONSECUTIVE, choice_tables
from netplace.report.tables.mapping_search import Traits

_TIME = Quantity("run time alone", "cycles")
_COLOURS: dict[str, int | str] = {
    "faster": 2,
    "slower": 3,
    CONSECUTIVE: 6,
    **dict.fromkeys(("equal", "not clear", "not decided"), HELD),
}
_BESIDE = ("consecutive", "random")
_ASKED = ("network", "partition", "mapping", "criterion", "tasks", "seed", "method", "iterations", "seconds")


def page(path: Path) -> Page:
    with details_of(path, "mapping"):
        return mapping_page(saved_object(path))


def mapping_page(results: dict[str, Any]) -> Page:
    """Return the page of a comparison of mappings, or of one mapping, in JSON-compatible form."""
    return _choice_page(results) if "candidates" in results else _search_page(results)


def _choice_page(results: dict[str, Any]) -> Page:
    verdict = [results["answer"], *results["sentences"], *mapping_bound(results)]
    figure, (drawn, missing) = _times_figure(results), _traffic_parts(results)
    parts: list[Part] = [*figure, *choice_tables(results), *drawn]
    request = ("network", "partition", "tasks", "seed", "budget", "cpu_seconds")
    return Page(
        results["title"],
        verdict,
        asked_of({name: results[name] for name in request}),
        parts,
        missing,
        results["notes"],
    )


def _times_figure(results: dict[str, Any]) -> list[Figure]:
    """Return the mean times relative to the consecutive mapping, if this one was simulated."""
    means = {one["mapping"]: one["mean"] for one in results["candidates"] if one["mean"] is not None}
    if CONSECUTIVE not in means:
        return []
    default, names = means[CONSECUTIVE], list(means)
    half = {one["mapping"]: one["half_width"] for one in results["candidates"]}
    words = {CONSECUTIVE: CONSECUTIVE}
    for each in results["verdicts"]:
        if each["than"] == CONSECUTIVE:
            words[each["mapping"]] = each["verdict"]
        elif each["mapping"] == CONSECUTIVE:
            turned = {"faster": "slower", "slower": "faster"}
            words[each["than"]] = turned.get(each["verdict"], each["verdict"])
    return [
        interval_figure(
            "Run time relative to the consecutive mapping",
            names,
            [100 * (means[name] / default - 1) for name in names],
            [100 * half[name] / default if half[name] is not None else None for name in names],
            [words[name] for name in names],
            unit="% (negative: faster)",
            colours=_COLOURS,
            whiskers="95 % intervals of the means",
        )
    ]


def _search_page(results: dict[str, Any]) -> Page:
    default = results["consecutive"]
    named = {results["mapping"]: results}
    named |= {name: {**results[name], "cycles": None} for name in _BESIDE}
    columns = {"cycles": _TIME} | {name: each for name, each in quantities(Traits).items() if each.shown}
    shown = {key: each for key, each in columns.items() if results[key] is not None}
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
    drawn, missing = _traffic_parts(results)
    parts += drawn
    if len(results["costs"]) > 1:
        seeds = [[place, cost] for place, cost in enumerate(results["costs"])]
        parts.append(DataTable("Costs by seed", ["mapping", "cost"], seeds, maximum=0))
    title = results.get("title") or f"{results['mapping']} on {results['network']}"
    request = asked_of({name: results[name] for name in _ASKED if name in results})
    return Page(f"How far do bytes travel? {title}", _verdict(results, default), request, parts, missing)


def _traffic_parts(results: dict[str, Any]) -> tuple[list[Part], list[str]]:
    """Return the traffic and the node of each task, and what is missing."""
    nodes = [[task, int(node)] for task, node in enumerate(results["nodes"])]
    table = DataTable("Nodes", ["task", "node"], nodes, maximum=0)
    if not (pairs := results["traffic"]):
        return [table], ["the traffic between tasks, which is drawn for up to 256 tasks"]
    row, column, sent = zip(*pairs, strict=True)
    W = sparse.coo_array((sent, (row, column)), shape=(results["tasks"],) * 2)
    return [traffic_figure(W, "Traffic between tasks"), table], []


def _verdict(results: dict[str, Any], default: dict[str, Any]) -> list[str]:
    sentences = [
        f"A byte travels {results['byte_hops']:.3g} hops on average, and {default['byte_hops']:.3g} under "
        f"the consecutive mapping{_change(results['byte_hops'], default['byte_hops'])}.",
        f"The most loaded link gets {results['most_link_load']:,.0f} bytes if all minimal routes are "
        f"equally likely, and {default['most_link_load']:,.0f} under the consecutive mapping"
        f"{_change(results['most_link_load'], default['most_link_load'])}.",
    ]
    if results.get("cycles") is not None:
        sentences.insert(0, f"Alone on the network the job takes {results['cycles']:,} cycles.")
    else:
        sentences.append("Nothing was simulated; without --mapping, netplace map simulates several mappings.")
    if len(costs := results["costs"]) > 1:
        sentences.append(
            f"The costs of {len(costs)} mappings are from {min(costs):,.0f} to {max(costs):,.0f}."
        )
    return sentences + mapping_bound(results)


def _ratio(mine: float | None, theirs: float | None) -> float | None:
    return mine / theirs if mine is not None and theirs else None


def _change(mine: float, theirs: float) -> str:
    return f" ({100 * (mine / theirs - 1):+.1f} %)" if theirs else ""
