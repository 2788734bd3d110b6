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
    found = saved_object(path)
    with details_of(path, "neighbours"):
        job, others, links = found["job"], found["neighbours"], found["links"]
        parts: list[DataTable | Figure] = []
        if others:
            parts = [_bars(found), _neighbours(others)]
        if links:
            rows = [
                [
                    one["link"],
                    one["amount"],
                    ", ".join(f"job {name}: {much:,}" for name, much in one["others"].items()),
                ]
                for one in links
            ]
            parts.append(
                DataTable("Links where most was lost", ["link", "waited (cycles)", "for whom"], rows)
            )
        title = f"Why job {job['job']} took what it took: {job['application']} on {job['size']} nodes"
        return Page(title, _verdict(found), [], parts)


def _bars(found: dict[str, Any]) -> Bars:
    others = found["neighbours"][:20]
    return Bars(
        title="For whom its packets waited",
        caption="Cycles in which a packet of the job waited, by the job whose packet held what it waited "
        "for.",
        groups=["itself", *(f"job {one['job']}, {one['application']}" for one in others)],
        series={"cycles": [found["own"], *(one["amount"] for one in others)]},
        unit="cycles",
    )


def _neighbours(others: list[dict[str, Any]]) -> DataTable:
    rows = [
        [
            one["job"],
            one["application"],
            one["size"],
            100 * one["overlap"],
            one["links"],
            one["amount"],
            100 * one["share"],
            None if one["without"] is None else _MICRO * one["without"],
        ]
        for one in others
    ]
    return DataTable(
        "Jobs beside it",
        _NEIGHBOURS,
        rows,
        note="Without it: what the job would have taken, simulated, for those that it waited for most.",
    )


def _verdict(found: dict[str, Any]) -> list[str]:
    job, others = found["job"], found["neighbours"]
    slowdown = "" if job["slowdown"] is None else f", {job['slowdown']:.3f} times as long"
    said = [
        f"Job {job['job']} took {_MICRO * job['live']:,.4g} µs beside the others, and "
        f"{_MICRO * job['alone']:,.4g} µs alone in the same place{slowdown}."
    ]
    total = found["own"] + sum(one["amount"] for one in others)
    if not total:
        return [*said, "Its packets waited for nobody."]
    said.append(
        f"Of {total:,} cycles that its packets waited, {100 * (1 - found['own'] / total):.1f} % were for "
        "other jobs."
    )
    if others and others[0]["amount"]:
        worst = others[0]
        said.append(
            f"For job {worst['job']} ({worst['application']}) they waited longest: {worst['amount']:,} "
            "cycles."
        )
        if worst["without"] is not None:
            said.append(f"Without that one it would have taken {_MICRO * worst['without']:,.4g} µs.")
        tried = [one for one in others if one["without"] is not None]
        most = min(tried, key=lambda one: one["without"], default=worst)
        if most is not worst:
            said.append(
                f"Most would be gained without job {most['job']} ({most['application']}): it would take "
                f"{_MICRO * most['without']:,.4g} µs."
            )
    return said
