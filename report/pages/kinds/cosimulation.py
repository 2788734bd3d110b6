"""A co-simulation: the cost of sharing the network for each job, and the jobs that caused it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netplace.cosim.figures import CosimFigures, Sharing
from netplace.cosim.job_row import JobRow, ended, job_rows_of
from netplace.cosim.serialization import read_plan
from netplace.cosim.waiting import Waiting
from netplace.quantities import LESS, quantities
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.links import waiting_map
from netplace.report.pages.kinds.outcome import (
    Entry,
    Figures,
    Outcome,
    Result,
    Sample,
    compared,
    figure_results,
)
from netplace.report.pages.kinds.saved import asked_of, versions_of, written_versions
from netplace.report.pages.kinds.schedule import stream_of
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.jobs import held_panel, waiting_panel
from netplace.report.tables.cosim import cost_rows, figure_tables, remarks, title_of
from netplace.report.tables.data_table import record_table
from netplace.scheduling.metrics import Metrics
from netplace.topologies import names_file, parse

_CLEAR = 0.01  # a job is called slowed from here on, if its interval does not say otherwise
_MOST_JOBS = 200  # in a matrix that can be read


def page(path: Path) -> Page:
    plan, outcome = read_plan(path)
    jobs = job_rows_of(outcome)
    own = names_file(plan.jobs.machine)
    machine = None if own else parse(plan.jobs.machine)
    parts: list[Part] = [
        _slowdowns(jobs),
        Figure(
            title="Nodes of jobs over time",
            caption="The color shows the slowdown. Drag or scroll to zoom."
            + (" Click a job to see the jobs that it waited for." if "waiting" in outcome else ""),
            height=4.2,
            panels=[held_panel(jobs, None if machine is None else machine.nodes)],
        ),
    ]
    figures = CosimFigures.from_dict(outcome["figures"])
    missing = []
    verdict = _verdict(jobs, figures)
    if "waiting" in outcome:
        waiting = Waiting.from_dict(outcome["waiting"])
        by_pair = _waiting(waiting, path)
        parts += by_pair
        if not by_pair:
            verdict.append("No packets waited for packets of other jobs.")
        if machine is None:
            missing.append(
                f"link loads on the network, because the machine {plan.jobs.machine} is a user file"
            )
        elif by_pair:
            parts.append(waiting_map(machine, waiting, plan.config.cycle_ns))
    else:
        missing.append(
            "which job slowed which, and on which links: run netplace cosim with --explain (fidelity live)"
        )
    note = "Submission, start and end since the first submission."
    parts += figure_tables(plan, outcome)
    parts.append(record_table("Jobs", JobRow, jobs, note))
    request = [(name.removeprefix("jobs."), value) for name, value in asked_of(plan.to_dict())]
    request += versions_of(outcome["versions"])
    return Page(
        f"How much does sharing the network slow the jobs? {title_of(plan)}",
        verdict,
        request,
        parts,
        missing,
        remarks(plan, outcome),
    )


def _verdict(jobs: Sequence[JobRow], figures: CosimFigures) -> list[str]:
    known, sharing = ended(jobs), figures.sharing
    if not sharing or not known:
        return ["No job ended, so the cost of sharing is unknown."]
    slowed = [job for job, times in known if times.slowdown - 1 > max(_CLEAR, _half(job))]
    change = sharing.mean_slowdown - 1
    worst, times = max(known, key=lambda pair: pair[1].slowdown)
    half = f" ± {_half(worst):.2f}" if _half(worst) else ""
    doubt = (
        " and by more than half of their confidence interval" if any(_half(job) for job, _ in known) else ""
    )
    sentences = [
        f"Jobs take {100 * abs(change):.1f} % {'less' if change < 0 else 'more'} time than alone on the same "
        f"nodes: a mean slowdown of {sharing.mean_slowdown:.3f} over {len(known)} jobs.",
        f"{len(slowed)} of them are clearly slowed: by more than {100 * _CLEAR:.0f} %{doubt}.",
    ]
    if times.slowdown >= 1.005:  # not 1.00 when it is told
        sentences.append(
            f"Job {worst.job} ({worst.application or 'computation alone'}, {worst.size} nodes) is slowed "
            f"most: it takes {times.slowdown:.2f}{half} times as long as alone."
        )
    faster = [job for job, times in known if 1 - times.slowdown > max(_half(job), _CLEAR / 2)]
    if faster:
        sentences.append(
            f"{len(faster)} {'job was' if len(faster) == 1 else 'jobs were'} faster with other jobs than "
            "alone: in a single run, another order of packets can be faster by chance."
        )
    share = sharing.share_of_node_hours
    if not math.isnan(share):
        sentences.append(f"Sharing cost {100 * share:.2f} % more node-hours than the jobs need alone.")
    if figures.costs is not None:
        parts = {name: part for name, _, part in cost_rows(figures.costs)}
        place, shared = parts["cost of the partition"], parts["cost of sharing"]
        if place is not None and shared is not None:
            sentences.append(
                f"Compared with the log, the nodes of this schedule cost {place:+.2f} % of its "
                f"node-hours, and sharing costs {shared:+.2f} %."
            )
    return sentences


def _half(job: JobRow) -> float:
    """Return half of the interval of a slowdown; 0 if there is none."""
    return job.slowdown_half_width or 0.0


def _slowdowns(jobs: Sequence[JobRow]) -> Figure:
    finished = ended(jobs)
    known = [(job, times) for job, times in finished if job.application] or finished
    silent = len(finished) - len(known)
    single = any(job.slowdown_half_width is None for job, _ in known)
    return bar_figure(
        "Slowdown of each job",
        [f"{job.job} {job.application}" for job, _ in known],
        {"slowdown": [times.slowdown for _, times in known]},
        half={"slowdown": [_half(job) or None for job, _ in known]},
        unit="live / alone",
        base=1.0,
        caption="Time with other jobs, relative to the time alone on the same nodes; 1 is no slowdown."
        + (" No intervals: a single live run does not show its variation." if single else "")
        + (f" The figure omits {silent} jobs that send nothing." if silent else ""),
        whiskers="95 % intervals",
    )


def _waiting(waiting: Waiting, path: Path) -> list[Part]:
    pairs = {(job, other): cycles for job, other, cycles in waiting.jobs if job != other and cycles}
    if not pairs:
        return []
    lost: dict[int, int] = defaultdict(int)
    for pair, cycles in pairs.items():
        for job in pair:
            lost[job] += cycles
    shown = sorted(sorted(lost, key=lambda job: -lost[job])[:_MOST_JOBS])
    matrix = Figure(
        title="Waiting between jobs",
        caption="Cycles that packets of the job in a row waited because of the job in a column. Which "
        f"of these jobs slows job N most: netplace explain {path.name} --job N."
        + (
            f" The figure shows the {_MOST_JOBS} jobs with the most waiting."
            if len(lost) > _MOST_JOBS
            else ""
        ),
        height=min(9.0, 1.8 + 0.16 * len(shown)),
        panels=[waiting_panel([(*pair, cycles) for pair, cycles in pairs.items()], shown)],
    )
    return [matrix]


# Waits of jobs hang together, by the queue that they share: of one co-simulation their mean is a single draw.
_FIGURES: Figures = {
    ("schedule", "per_job", "wait", "mean"): ("mean wait (s)", LESS),
    **compared(Metrics, "schedule"),
    **compared(Sharing, "sharing"),
}


def outcome(path: Path) -> Outcome:
    plan, saved = read_plan(path)
    versions = written_versions(saved["versions"])
    return Outcome("co-simulation", str(path), [cosim_entry(path, plan.to_dict(), saved)], versions)


def cosim_entry(path: Path, plan: Mapping[str, Any], ended: Mapping[str, Any]) -> Entry:
    """Return the entry of a plan and what came of it: of jobs, one value each, paired by their numbers."""
    results = []
    stream = stream_of(plan["jobs"])
    for name, quantity in sorted(quantities(JobRow).items(), key=lambda pair: pair[0] != "slowdown"):
        values = {f"{stream}{job['job']}": job[name] for job in ended["jobs"] if job.get(name) is not None}
        if quantity.better and values:
            results.append(Result(quantity.heading, Sample.of(values, "jobs"), quantity.better))
    results += figure_results(path, {"": ended["figures"]}, _FIGURES, "seeds")
    return Entry(dict(asked_of(plan)), results)
