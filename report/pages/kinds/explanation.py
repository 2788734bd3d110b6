"""The page of who slowed a job, as ``netplace explain --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.report.pages.figures import Bars, DataTable, Figure
from netplace.report.pages.html import Page
from netplace.report.pages.kinds.saved import details_of, holds, saved_object

__all__ = ["page", "recognises"]

_MICRO = 1e6
_NEIGHBOURS = [
    "job",
    "application",
    "nodes",
    "time %",
    "links",
    "waited for it (cycles)",
    "%",
    "without it (µs)",
]


def recognises(path: Path) -> bool:
    """Tell whether a file holds the reasons why a job was slow."""
    return holds(path, "explanation", ("job", "own", "neighbours", "links"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace explain --json`` printed.

    Raises
    ------
    ValueError
        If the file holds something else under these keys.
    """
    explanation = saved_object(path)
    with details_of(path, "neighbours"):
        job, others, links = explanation["job"], explanation["neighbours"], explanation["links"]
        parts: list[DataTable | Figure] = []
        if others:
            parts = [_bars(explanation), _neighbours(others)]
        if links:
            rows = [
                [
                    link["link"],
                    link["amount"],
                    ", ".join(f"job {name}: {much:,}" for name, much in link["others"].items()),
                ]
                for link in links
            ]
            parts.append(
                DataTable("Links where most was lost", ["link", "waited (cycles)", "for whom"], rows)
            )
        title = f"Why job {job['job']} took what it took: {job['application']} on {job['size']} nodes"
        return Page(title, _verdict(explanation), [], parts)


def _bars(explanation: dict[str, Any]) -> Bars:
    others = explanation["neighbours"][:20]
    return Bars(
        title="For whom its packets waited",
        caption="Cycles in which a packet of the job waited, by the job whose packet held what it waited "
        "for.",
        groups=["itself", *(f"job {neighbour['job']}, {neighbour['application']}" for neighbour in others)],
        series={"cycles": [explanation["own"], *(neighbour["amount"] for neighbour in others)]},
        unit="cycles",
    )


def _neighbours(others: list[dict[str, Any]]) -> DataTable:
    rows = [
        [
            neighbour["job"],
            neighbour["application"],
            neighbour["size"],
            100 * neighbour["overlap"],
            neighbour["links"],
            neighbour["amount"],
            100 * neighbour["share"],
            None if neighbour["without"] is None else _MICRO * neighbour["without"],
        ]
        for neighbour in others
    ]
    return DataTable(
        "Jobs beside it",
        _NEIGHBOURS,
        rows,
        note="Without it: what the job would have taken, simulated, for those that it waited for most.",
    )


def _verdict(explanation: dict[str, Any]) -> list[str]:
    job, others = explanation["job"], explanation["neighbours"]
    slowdown = "" if job["slowdown"] is None else f", {job['slowdown']:.3f} times as long"
    said = [
        f"Job {job['job']} took {_MICRO * job['live']:,.4g} µs beside the others, and "
        f"{_MICRO * job['alone']:,.4g} µs alone in the same place{slowdown}."
    ]
    total = explanation["own"] + sum(neighbour["amount"] for neighbour in others)
    if not total:
        return [*said, "Its packets waited for nobody."]
    said.append(
        f"Of {total:,} cycles that its packets waited, {100 * (1 - explanation['own'] / total):.1f} % were "
        "for other jobs."
    )
    if others and others[0]["amount"]:
        worst = others[0]
        said.append(
            f"For job {worst['job']} ({worst['application']}) they waited longest: {worst['amount']:,} "
            "cycles."
        )
        if worst["without"] is not None:
            said.append(f"Without that one it would have taken {_MICRO * worst['without']:,.4g} µs.")
        tried = [neighbour for neighbour in others if neighbour["without"] is not None]
        most = min(tried, key=lambda neighbour: neighbour["without"], default=worst)
        if most is not worst:
            said.append(
                f"Most would be gained without job {most['job']} ({most['application']}): it would take "
                f"{_MICRO * most['without']:,.4g} µs."
            )
    return said
