"""Why a job was slow, and what a change would make of it: ``netplace explain`` and ``netplace whatif``."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.cosim.explanation import VERDICTS, Explanation, Neighbour, WhatIf
from netplace.report.pages.html import Page, Part
from netplace.report.tables.data_table import DataTable, record_table

_MICRO = 1e6
_NOTE = "Time without it: mean of draws without the other job, for those for which the job waited most."


def explanation_page(explanation: Explanation) -> Page:
    job, others, links = explanation.job, explanation.neighbours, explanation.links
    parts: list[Part] = []
    if others:
        parts.append(record_table("Other jobs", Neighbour, others, _NOTE))
    if links:
        rows = [
            [
                link.link,
                link.amount,
                ", ".join(f"job {name}: {much:,}" for name, much in link.others.items()),
            ]
            for link in links
        ]
        columns = ["link", "waited for others (cycles)", "for whom"]
        parts.append(DataTable("Links with the most waiting", columns, rows))
    question = f"What slowed job {job.job}, {job.application} on {job.size} nodes?"
    return Page(question, _reasons(explanation), parts=parts)


def _reasons(explanation: Explanation) -> list[str]:
    job, others = explanation.job, explanation.neighbours
    if (times := job.times) is None:
        return [f"Job {job.job} did not finish."]
    alone = (
        f"Job {job.job} took {_MICRO * times.live:,.4g} µs with other jobs and {_MICRO * times.alone:,.4g} "
        f"µs alone on the same nodes: a slowdown of {times.slowdown:.3f}."
    )
    total = explanation.own + sum(neighbour.amount for neighbour in others)
    if not total:
        return [alone, "Its packets did not wait."]
    waited = (
        f"Its packets waited {total:,} cycles, {100 * (1 - explanation.own / total):.1f} % of them for "
        f"other jobs."
    )
    return [*_verdict(explanation), alone, waited]


def _verdict(explanation: Explanation) -> list[str]:
    """Return who slows the job most, with the time that it saves without that job, and how sure this is."""
    job, others = explanation.job.job, explanation.neighbours
    if not others or (saved := others[0].saved) is None or (half := others[0].half_width) is None:
        return []
    first, known = others[0], VERDICTS[explanation.verdict]
    low, high = (100 * (saved + side * half) for side in (-1, 1))
    saves = (
        f"without it, job {job} takes {100 * saved:.1f} % less time (95 % interval {low:.1f} to "
        f"{high:.1f} %, {explanation.draws} draws)."
    )
    name = f"ob {first.job} ({first.application})"
    if known is None:
        return [f"Which job slows job {job} most is not known: j{name} seems to; {saves}"]
    most = (
        f"slows job {job} most"
        if explanation.verdict == "first"
        else f"is one of the three that slow job {job} most"
    )
    return [
        f"J{name} {most}: {saves}",
        "Such a verdict was right in {} of {} foreign workloads.".format(*known),
    ]


def changes_page(jobs: Sequence[WhatIf]) -> Page:
    changed = [(job, 100 * (job.change - 1)) for job in jobs if job.change not in (None, 1)]
    live, what_if = sum(job.live for job in jobs), sum(job.what_if for job in jobs)
    share = f", {100 * (what_if / live - 1):+.1f} %" if live else ""
    sentences = [
        f"All {len(jobs)} jobs together run for {_MICRO * what_if:,.4g} µs instead of {_MICRO * live:,.4g} µs"
        f"{share} (one run: how much of it is chance is not known)."
    ]
    if changed:
        most, change = max(changed, key=lambda pair: abs(pair[1]))
        sentences.append(
            f"Job {most.job} ({most.application}) changes most: {_MICRO * most.what_if:,.4g} µs instead of "
            f"{_MICRO * most.live:,.4g} µs, {change:+.1f} %.",
        )
    sentences.append(f"{len(changed)} of {len(jobs)} jobs have a different run time.")
    if late := sum(bool(job.late) for job in jobs):
        sentences.append(
            f"{late} jobs start later, because their nodes are occupied longer, and meet other jobs."
        )
    return Page("What does the change do to the jobs?", sentences, parts=[record_table("Jobs", WhatIf, jobs)])
