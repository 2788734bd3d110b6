"""Co-simulations on the screen and in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from netplace.cosim import MARKED, CosimPlan, job_rows_of, serialization
from netplace.cosim.figures import CosimFigures, Costs, HalfWidth, TableError
from netplace.cosim.job_row import JobRow
from netplace.cosim.waiting import Waiting
from netplace.files import write_atomically
from netplace.netsim import Config
from netplace.netsim.config import SETTINGS
from netplace.plan_settings import OF_WORKLOADS
from netplace.quantities import Quantity, quantities
from netplace.report.tables.data_table import DataTable, FigureRows, figure_table, figures_of
from netplace.report.tables.schedule import SITE
from netplace.report.terminal.screen import table
from netplace.runs.tables import write_table
from netplace.scheduling.metrics import PER_JOB
from netplace.topologies import parse
from netplace.version import FORMAT

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.cosim.ranking import Ranking

Outcome = dict[str, Any]
_COSTS_NOTE = (
    "The logged time is taken as the time alone on compact nodes; the cost of the partition is the "
    "additional time alone on the nodes of this schedule."
)
_PER_JOB = ("wait", "run", "turnaround")
COSTS = "Costs of partition and sharing for the jobs of the log"

_SPREAD: dict[str, Callable[[Sequence[float]], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "95 %": lambda values: np.percentile(values, 95),
    "most": np.max,
}
PLAN_WORDS = ("machine", "workload", "options", "policy", "site", "partition", "mapping", "seed")


def title_of(plan: CosimPlan) -> str:
    jobs = plan.jobs
    return (
        f"{Path(jobs.workload).name} on {jobs.machine}: {jobs.policy}, {jobs.partition}, {jobs.mapping}, "
        f"fidelity {plan.fidelity}"
    )


def figure_tables(plan: CosimPlan, outcome: Outcome) -> list[DataTable]:
    """Return the tables of one co-simulation: sharing, the job level, the error of a table."""
    figures = CosimFigures.from_dict(outcome["figures"])
    schedule, jobs = figures.schedule, job_rows_of(outcome)
    means = ((PER_JOB[name][1], schedule.per_job[name].mean) for name in _PER_JOB)
    rows: FigureRows = [
        *(figures_of(figures.sharing) if figures.sharing else []),
        *figures_of(schedule),
        *((replace(quantity, name=f"mean {quantity.name}"), [mean]) for quantity, mean in means),
        (Quantity("CPU", "s", 1), [outcome["cpu_seconds"]]),
        *((Quantity(SITE[name]), [count]) for name, count in (outcome.get("site") or {}).items()),
    ]
    made = [figure_table("Figures", rows), _job_table(jobs)]
    if figures.simulated is not None:
        shares: FigureRows = [(Quantity("simulated part of the time", "share", 1), [figures.simulated])]
        shares += _width_rows(figures.marked, figures.half_width)
        made.append(figure_table("Precision of times", shares))
    if figures.costs is not None:
        costs = cost_rows(figures.costs)
        made.append(DataTable(COSTS, ["", "node-hours", "% of logged"], costs, _COSTS_NOTE, [0, 1, 2]))
    if figures.table_error is not None:
        made.append(_error_table(figures.table_error))
    if "waiting" in outcome and (pairs := waiting_table(outcome)).rows:
        made.append(pairs)
    return made


def _job_table(jobs: Sequence[JobRow]) -> DataTable:
    rows: FigureRows = []
    for name, quantity in quantities(JobRow).items():
        values = [value for job in jobs if (value := getattr(job, name)) is not None]
        if quantity.better and values:
            rows.append((quantity, [float(of(values)) for of in _SPREAD.values()]))
    return figure_table("Figures of the jobs", rows, ["a job's", *_SPREAD])


def _width_rows(marked: int | None, width: HalfWidth | None) -> FigureRows:
    if width is None:
        return []
    return [
        (Quantity("mean half-width of the time of a job", "share", 2), [width.mean]),
        (Quantity("largest half-width", "share", 2), [width.most]),
        (Quantity(f"marked: half-width over {100 * MARKED:g} %", "jobs"), [marked]),
    ]


def cost_rows(costs: Costs) -> list[tuple[str, float, float | None]]:
    """Return node-hours of a log's jobs, what of them cost what, and each in % of those logged."""
    hours = {
        "logged": costs.logged,
        "alone on these nodes": costs.alone,
        "live": costs.live,
        "cost of the partition": costs.partition,
        "cost of the mapping": costs.mapping,
        "cost of sharing": costs.sharing,
    }
    whole = costs.logged
    return [(name, value, 100 * value / whole if whole else None) for name, value in hours.items()]


def _error_table(error: TableError) -> DataTable:
    groups = {"all": error.all} | error.application | error.size | error.contiguous
    rows = [
        [name, group.jobs, *(100 * share for share in (group.mean, group.p95, group.most))]
        for name, group in groups.items()
    ]
    columns = ["jobs", "number", "mean", "95 %", "most"]
    return DataTable("Error of table times (%)", columns, rows, digits=[0, 0, 2, 2, 2])


def remarks(plan: CosimPlan, outcome: Outcome) -> list[str]:
    sentences = list(outcome["notes"])
    if outcome["rejected"]:
        first = outcome["rejected"][0]
        sentences.append(
            f"{len(outcome['rejected']):,} jobs can never run on {plan.jobs.machine} and are rejected, the "
            f"first: job {first['job']}, {first['why']}"
        )
    marked = [row.job for row in job_rows_of(outcome) if (row.half_width or 0) > MARKED]
    if outcome["figures"].get("marked") is not None and marked:
        sentences.append(
            f"the half-width of the times of {len(marked)} jobs exceeds {100 * MARKED:g} %, the first: job "
            f"{marked[0]}; their rate is not steady or varies randomly"
        )
    if "draws" in outcome:
        halves = [(row.slowdown_half_width or 0) / (row.slowdown or 1) for row in job_rows_of(outcome)]
        sentences.append(
            f"slowdowns are of {outcome['draws']} live runs, with a half-width of "
            f"{100 * float(np.mean(halves)):.2g} % on average"
        )
    failures = outcome.get("failures", [])
    return sentences + [f"job {failure['job']} failed: {failure['why']}" for failure in failures]


def job_frame(outcome: Outcome) -> pd.DataFrame:
    """Return one row a job; its nodes as text, in the order of the tasks."""
    known = {name for job in outcome["jobs"] for name in job}
    columns = [name for name in quantities(JobRow) if name in known]
    frame = pd.DataFrame(outcome["jobs"], columns=columns)
    return frame.assign(nodes=[" ".join(map(str, nodes)) for nodes in frame["nodes"]])


def write_folder(folder: Path, plan: CosimPlan, outcome: Outcome) -> None:
    """Write jobs, figures and a picture of one co-simulation into a folder."""
    from netplace.report.plots import write_figure
    from netplace.report.plots.jobs import sharing_figure

    folder.mkdir(exist_ok=True)
    frame = job_frame(outcome)
    for name in ("jobs.csv", "jobs.parquet"):
        write_table(frame, folder / name, JobRow, f"jobs of a co-simulation {FORMAT}")
    write_figure(folder / "sharing.png", sharing_figure(job_rows_of(outcome), title_of(plan)))
    if "waiting" in outcome:
        write_waiting(folder, plan, outcome)
    write_kept(folder, plan, outcome)


def write_kept(folder: Path, plan: CosimPlan, outcome: Outcome) -> None:
    """Write the plan and its results into a folder, from which the page is made."""
    folder.mkdir(exist_ok=True)
    write_atomically(folder / serialization.FILE, serialization.text_of(plan, outcome))


def ranking_table(rankings: Sequence[Ranking]) -> Table:
    """Return how candidates rank under a table's times and live ones; what all share is said once."""
    cases = [_case(ranking.case) for ranking in rankings]
    shared = {
        name: value for name, value in cases[0].items() if all(case.get(name) == value for case in cases)
    }
    rows = []
    for ranking, case in zip(rankings, cases, strict=True):
        turned = [pair for pair in ranking.pairs if pair.turns]
        turns = ", ".join(
            f"{pair.first}/{pair.second}{' clearly' if pair.clearly else ''}" for pair in turned
        )
        own = _spelled({name: value for name, value in case.items() if name not in shared})
        label = f"{ranking.measure} by {ranking.compared}{', ' + own if own else ''}"
        orders = {
            "table": _in_order(ranking.table, ranking.table_ties),
            "live": _in_order(ranking.live, ranking.live_ties),
            "turned": turns,
        }
        rows.append([label])
        rows += [[f"  {name:<8}{text}"] for name, text in orders.items() if text]
    return table(f"Changes of rankings ({_spelled(_needed(shared))})", ["least first"], rows)


def _in_order(names: Sequence[str], ties: Sequence[bool]) -> str:
    """Return names, the least first, as in ``easy = fcfs < sjf``."""
    words = [f" {'=' if tie else '<'} {name}" for name, tie in zip(names[1:], ties, strict=True)]
    return names[0] + "".join(words)


def _case(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return all keys of what a ranking is of, as a user says them."""
    left_out = ("config", "mix_digest")
    plain = {name: value for name, value in case.items() if name not in left_out}
    settings = {name: case["config"][name] for name in SETTINGS if name in case["config"]}
    return plain | settings


def _needed(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader needs of what all rankings share: the plan, its options, unusual settings."""
    default = asdict(Config())
    unusual = (name for name in SETTINGS if name in shared and shared[name] != default[name])
    names = (*PLAN_WORDS, *OF_WORKLOADS, *unusual)
    return {name: shared[name] for name in names if shared.get(name) not in (None, "")}


def _spelled(named: Mapping[str, Any]) -> str:
    """Return values with their names; a list of words as on the command line, two numbers as bounds."""

    def text(value: Any) -> str:
        if not isinstance(value, list):
            return str(value)
        return ("," if all(isinstance(word, str) for word in value) else ":").join(map(str, value))

    return ", ".join(f"{name}={text(value)}" for name, value in named.items())


_SHOWN = 10


def job_waiting(outcome: Outcome) -> pd.DataFrame:
    """Return one row for each window, job that waited and job charged, with the ``cycles``."""
    waiting = Waiting.from_dict(outcome["waiting"])
    frame = pd.DataFrame(waiting.over_time, columns=["window", "job", "charged", "cycles"])
    return frame.assign(start=frame["window"] * waiting.window)[["start", "job", "charged", "cycles"]]


def link_waiting(plan: CosimPlan, outcome: Outcome) -> pd.DataFrame:
    """Return one row for each link and window: cycles waited for other jobs there; those with most first."""
    machine = parse(plan.jobs.machine)
    waiting = Waiting.from_dict(outcome["waiting"])
    rows = [
        [machine.link_name(link.router, link.port), link.router, link.port, window * waiting.window, cycles]
        for link in waiting.links
        for window, cycles in enumerate(link.over_time)
    ]
    return pd.DataFrame(rows, columns=["link", "router", "port", "start", "others"])


def waiting_table(outcome: Outcome) -> DataTable:
    """Return the pairs of a job and another that its packets waited for, those with most first."""
    waiting = Waiting.from_dict(outcome["waiting"])
    frame = pd.DataFrame(waiting.jobs, columns=["job", "charged", "cycles"])
    of_job = frame.groupby("job")["cycles"].transform("sum")
    frame["share"] = 100 * frame["cycles"] / of_job
    others = frame[(frame["job"] != frame["charged"]) & (frame["cycles"] > 0)]
    foreign = int(others["cycles"].sum())
    share = 100 * foreign / waiting.charged if waiting.charged else 0.0
    names = {row["job"]: f"{row['job']}, {row['application'].partition(',')[0]}" for row in outcome["jobs"]}
    rows = [
        [names[pair.job], names[pair.charged], pair.cycles, pair.share]
        for pair in others.sort_values("cycles", ascending=False, kind="stable").itertuples()
    ]
    return DataTable(
        "Waiting by pair of jobs",
        ["job", "waited for", "cycles", "% of its waiting"],
        rows,
        f"{waiting.charged:,} cycles, {share:.1f} % for other jobs.",
        [0, 0, 0, 1],
        maximum=_SHOWN,
    )


def write_waiting(folder: Path, plan: CosimPlan, outcome: Outcome) -> None:
    """Write the waiting of jobs for others, by job, by link and over time, and a picture, into a folder."""
    from netplace.report.plots import write_figure
    from netplace.report.plots.jobs import waiting_figure

    for name, frame in (("waiting", job_waiting(outcome)), ("links", link_waiting(plan, outcome))):
        for ending in ("csv", "parquet"):
            write_table(frame, folder / f"{name}.{ending}")
    machine = parse(plan.jobs.machine)
    waiting = Waiting.from_dict(outcome["waiting"])
    links = [machine.link_name(link.router, link.port) for link in waiting.links]
    second = plan.config.cycle_ns * 1e-9
    figure = waiting_figure(waiting, links, second, f"{plan.jobs.machine}: waiting")
    write_figure(folder / "waiting.png", figure)
