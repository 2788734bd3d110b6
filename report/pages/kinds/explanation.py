"""The page of who slowed a job, as ``netplace explain --json`` prints it."""

from __future__ import annotations

from typing import Any

from netplace.cosim.explanation import Explanation, Neighbour
from netplace.report.pages.html import Page, Part
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable, record_table

_MICRO = 1e6
_NOTE = "Time without it: simulated again without the other job, for those that delayed the job most."


def page(results: dict[str, Any]) -> Page:
    explanation = Explanation.from_dict(results)
    job, others, links = explanation.job, explanation.neighbours, explanation.links
    parts: list[Part] = []
    if others:
        parts = [_bars(explanation), record_table("Other jobs", Neighbour, others, _NOTE)]
    if links:
        rows = [
            [
                link.link,
                link.amount,
                ", ".join(f"job {name}: {much:,}" for name, much in link.others.items()),
            ]
            for link in links
        ]
        parts.append(
            DataTable("Links with the most waiting", ["link", "waited for others (cycles)", "for whom"], rows)
        )
    title = f"Run time of job {job.job}: {job.application} on {job.size} nodes"
    return Page(title, _verdict(explanation), [], parts)


def _bars(explanation: Explanation) -> Figure:
    others = explanation.neighbours[:20]
    return bar_figure(
        "Jobs that its packets waited for",
        ["itself", *(f"job {neighbour.job}, {neighbour.application}" for neighbour in others)],
        {"cycles": [explanation.own, *(neighbour.amount for neighbour in others)]},
        unit="cycles",
        caption="Cycles in which a packet of the job waited, by the job whose packet blocked it.",
    )


def _verdict(explanation: Explanation) -> list[str]:
    job, others = explanation.job, explanation.neighbours
    if (times := job.times) is None:
        return [f"Job {job.job} did not finish."]
    said = [
        f"Job {job.job} took {_MICRO * times.live:,.4g} µs with other jobs and {_MICRO * times.alone:,.4g} "
        f"µs alone on the same nodes: a slowdown of {times.slowdown:.3f}."
    ]
    total = explanation.own + sum(neighbour.amount for neighbour in others)
    if not total:
        return [*said, "Its packets did not wait."]
    said.append(
        f"Its packets waited {total:,} cycles, {100 * (1 - explanation.own / total):.1f} % of them for "
        f"other jobs."
    )
    worst = max(others, key=lambda other: other.amount, default=None)
    if worst is not None and worst.amount:
        said.append(
            f"They waited longest for job {worst.job} ({worst.application}): {worst.amount:,} cycles."
        )
        if worst.without is not None:
            said.append(f"Without this job, the time is {_MICRO * worst.without:,.4g} µs.")
        first = others[0]  # of those without which the run was made again, the one that saves most
        if first is not worst and first.without is not None:
            said.append(
                f"Most would be gained without job {first.job} ({first.application}): it would take "
                f"{_MICRO * first.without:,.4g} µs."
            )
    return said
