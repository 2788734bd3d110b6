"""Schedules on the screen and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.files import write_atomically
from netplace.quantities import Quantity, quantities
from netplace.report.tables.data_table import DataTable, FigureRows, figure_table, figures_of
from netplace.report.tables.differences import Compared, contestants_of, seed_means, tested_measures
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedule_folder import FIGURES, ROWS, figures_text
from netplace.runs.tables import write_table
from netplace.scheduling import Schedule
from netplace.scheduling.metrics import PER_JOB, Metrics, contests
from netplace.scheduling.metrics.contest import SEEDS_ALONE
from netplace.topologies.compute_nodes import network_of_hosts
from netplace.topologies.host_lists import spelled

if TYPE_CHECKING:
    import pandas as pd

    from netplace.runs.schedule_figures import Rejected
    from netplace.runs.schedules import ScheduleRun
    from netplace.scheduling.power import PowerFigures

_SPREAD = ("mean", "std", "p50", "p90", "p95", "p99", "most")
# What tells plans of one study apart, in this order.
PLAN_WORDS = (
    "machine", "workload", "options", "jobs", "policy", "site", "partition", "times", "mapping", "estimates",
    "overrun", "power", "switching", "seed",
)  # fmt: skip


def title_of(plan: Plan) -> str:
    return f"{Path(plan.workload).name} on {plan.machine}: {plan.policy}, {plan.partition}"


def figure_tables(plan: Plan, figures: ScheduleFigures) -> list[DataTable]:
    """Return the tables of one schedule: its figures, and the spread of what jobs got."""
    metrics, steady = figures.metrics, figures.steady
    rows: FigureRows = [
        *figures_of(metrics),
        (Quantity("searches"), [metrics.cost.searches]),
        (Quantity("nodes visited"), [metrics.cost.visited]),
        (Quantity("scheduler CPU", "s", 2), [metrics.cost.cpu_seconds]),
        *((Quantity(SITE[name]), [count]) for name, count in (figures.site or {}).items()),
    ]
    spreads: FigureRows = []
    for name, spread in metrics.per_job.items():
        known = steady.get(name)
        interval = [known.mean, known.half_width] if known else [None, None]
        spreads.append((PER_JOB[name][1], [*(getattr(spread, key) for key in _SPREAD), *interval]))
    columns = ["a job's", *_SPREAD, "steady state", "± (95 %)"]
    tables = [figure_table("Figures", rows), figure_table("Figures of the jobs", spreads, columns)]
    return tables + ([] if figures.power is None else [_power_table(figures.power)])


def _power_table(power: PowerFigures) -> DataTable:
    rows = figures_of(power)
    rows += [(Quantity(f"energy, {name}", "J", 1), [joules]) for name, joules in power.by_state.items()]
    rows += [(Quantity(f"node-seconds, {name}", "share", 2), [part]) for name, part in power.shares.items()]
    rows += [(Quantity(name.replace("_", " ")), [count]) for name, count in power.counts.items()]
    return figure_table(f"Energy, {power.switching}", rows)


_OF_POWER = (
    "energy", "energy_delay", "boots", "stops", "mean_on", "waited_for_boot", "boot_wait", "hindsight"
)  # fmt: skip


def _power_columns(power: PowerFigures | None) -> dict[str, Any]:
    """Return the figures of a schedule as columns of a table of schedules; none without power."""
    if power is None:
        return {}
    row = {name: getattr(power, name) for name in _OF_POWER}
    row["power_wait"] = power.mean_wait
    row |= {f"energy_{state}": joules for state, joules in power.by_state.items()}
    return row


# What the rules of a site did, if there were any.
SITE = {
    "refused": "rejected by all queues",
    "node_failures": "node failures",
    "before_unknown": "jobs that depend on a missing job",
}


def rejected_notes(rejected: Rejected, machine: str) -> list[str]:
    """Return a sentence on the jobs that can never run on the machine, if there are any."""
    if not rejected.jobs:
        return []
    count = len(rejected.jobs)
    return [f"{count:,} jobs can never run on {machine} and are rejected, the first: {rejected.first}"]


def remarks(plan: Plan, figures: ScheduleFigures) -> list[str]:
    metrics = figures.metrics
    sentences = [*figures.notes, *rejected_notes(figures.rejected, plan.machine)]
    if plan.policy != "fcfs" and metrics.without_estimate:
        sentences.append(
            f"{metrics.without_estimate:,} jobs have no estimate; rule {plan.estimates} provides it"
        )
    counts = {} if figures.power is None else figures.power.counts
    if counts.get("fallbacks"):
        sentences.append(
            f"{counts['fallbacks']:,} of {counts['plans']:,} plans are list schedules, because the solver "
            f"found no better plan; the solver reached its time limit {counts['timeouts']:,} times"
        )
    if metrics.failed:
        sentences.append(f"{metrics.failed:,} jobs were killed at their estimates (overrun {plan.overrun})")
    return sentences


def figure_rows(plans: Sequence[Plan], every: Sequence[ScheduleFigures]) -> pd.DataFrame:
    """Return one row per schedule: its settings, its figures, and mean and half-width of the steady state."""
    import pandas as pd

    made = []
    for plan, figures in zip(plans, every, strict=True):
        row = {name: getattr(plan, name) for name in PLAN_WORDS}
        row["options"] = ",".join(f"{name}={value}" for name, value in plan.options.items())
        row |= {
            key: getattr(figures.metrics, key)
            for key, quantity in quantities(Metrics).items()
            if quantity.shown
        }
        for name, spread in figures.metrics.per_job.items():
            row |= {f"{name}_{key}": getattr(spread, key) for key in _SPREAD}
        for name, known in figures.steady.items():
            row |= {f"{name}_steady": known.mean, f"{name}_half_width": known.half_width}
        row |= _power_columns(figures.power)
        made.append(row)
    return pd.DataFrame(made)


def row_table(schedule: Schedule) -> pd.DataFrame:
    """Return one row a job."""
    import pandas as pd

    from netplace.scheduling import State

    frame = pd.DataFrame(schedule.columns())
    if schedule.power is not None:
        begin = schedule.power.begin
        frame = frame.assign(begin=begin, boot_wait=begin - schedule.start, energy=schedule.power.job_joules)
    if schedule.allocations is not None:
        frame = frame.assign(places=[spelled(np.unique(nodes), " ") for nodes in schedule.allocations])
    return frame.assign(state=[State(value).name.lower() for value in schedule.state.tolist()])


def write_figures(folder: Path, plan: Plan, outcome: ScheduleRun) -> None:
    folder.mkdir(exist_ok=True)
    write_table(row_table(outcome.schedule), folder / ROWS)
    write_atomically(folder / FIGURES, figures_text(folder, plan, outcome.figures))


def write_folder(
    folder: Path,
    plan: Plan,
    carried: ScheduleRun,
    at: float | None,
    window: tuple[float | None, float | None] = (None, None),
) -> None:
    """Write rows, figures and pictures of a schedule; `at`, `window`: seconds since the first submission."""
    from netplace.report.plots import write_figure
    from netplace.report.plots.machines import occupancy_figure
    from netplace.report.plots.schedules import (
        gantt_figure,
        gantt_window,
        holders,
        power_figure,
        utilisation_figure,
    )
    from netplace.scheduling.metrics import running_jobs
    from netplace.topologies import parse

    schedule, title = carried.schedule, title_of(plan)
    running, origin = running_jobs(schedule), float(schedule.submit.min())
    moment = float(running.time[running.value.argmax()]) if at is None else origin + at
    lasts = window != (None, None) or float(schedule.end.max()) > origin
    if lasts:
        gantt_window(schedule, *window)  # before anything is written
    write_figures(folder, plan, carried)
    if lasts:
        write_figure(folder / "gantt.png", gantt_figure(schedule, title, *window))
    write_figure(folder / "utilisation.png", utilisation_figure(schedule, title))
    if plan.power:
        from netplace.runs.power_file import read_power
        from netplace.scheduling.power import energy_of

        use = energy_of(schedule, read_power(plan.power, plan.switching).model)
        write_figure(folder / "power.png", power_figure(use, f"{title}, {use.switching}"))
    when = f"{title}, after {(moment - origin) / 3600:,.2f} h"
    machine = network_of_hosts(parse(plan.machine))
    held = holders(schedule, moment, machine.nodes)
    write_figure(folder / "occupancy.png", occupancy_figure(machine, held, when))


# Measures by which schedules are compared, by what they are called on the screen.
_COMPARED = {"wait": "wait", "bounded_slowdown": "bounded slowdown", "utilisation": "utilisation"}
# Title of each, digits, and factor; None for a time.
_MEASURES = {
    "wait": ("wait", 1, None),
    "bounded slowdown": ("bounded slowdown", 1, 1.0),
    "utilisation": ("utilisation (%)", 1, 100.0),
}
_MAIN = "bounded slowdown"


def compared_schedules(
    plans: Sequence[Plan], every: Sequence[ScheduleFigures], unpaired: bool, figures: Sequence[str] = ()
) -> Compared:
    """Return schedules side by side; `unpaired`: nothing is tested, `figures`: which measures are."""
    main = _main(every)
    tested = tested_measures(figures, _MEASURES, main, unpaired)
    words, frame = list(map(_words, plans)), figure_rows(plans, every)

    def by_seed(places: list[int]) -> list[list[object]]:
        return [[every[place].batches.get(name) for place in places] for name in _COMPARED]

    contestants = contestants_of(
        words, by_seed, lambda *given: _values(every, *given), all(plan.from_file for plan in plans)
    )
    shown: dict[str, tuple[str, int, float | None]] = {"makespan": ("makespan", 1, None)}
    shown |= {name: (name, 0, 1) for name in ("rejected", "failed", "kills") if frame[name].any()}
    shown |= {"jobs": ("jobs", 0, 1)} if frame["jobs"].nunique() > 1 else {}
    if "energy" in frame:
        shown |= {
            "kWh": ("energy", 1, 1 / 3.6e6),
            "boot wait (s)": ("power_wait", 1, 1),
            "boots": ("boots", 0, 1),
        }
    judged = contests(contestants, tested)
    return Compared("schedules", frame, contestants, judged, _MEASURES, main, seed_means(frame, words, shown))


def _main(every: Sequence[ScheduleFigures]) -> str:
    """Return the measure tested by default: not bounded slowdowns that are all 1, as of jobs of seconds."""
    spreads = [one.metrics.per_job.get("bounded_slowdown") for one in every]
    return "wait" if all(spread and spread.most <= 1 for spread in spreads) else _MAIN


def _values(
    every: Sequence[ScheduleFigures], places: list[int], seeds_differ: bool
) -> tuple[dict[str, list[float]], str]:
    """Return the values that are compared: of at least five seeds that differ, or of batches of jobs."""
    values: dict[str, list[float]] = {}
    seeds = len(places) if seeds_differ else 1
    within = seeds < SEEDS_ALONE and all(
        every[place].batches.get(name) for place in places for name in _COMPARED
    )
    for name, title in _COMPARED.items():
        batches = [every[place].batches.get(name) for place in places]
        if all(batches):
            means = np.array(batches, float)
            over = (means if seeds > 1 else means.mean(axis=0)) if within else means.mean(axis=1)
            values[title] = np.ravel(over).tolist()
        else:
            metrics = [every[place].metrics for place in places]
            spreads = [one.per_job.get(name) for one in metrics]
            values[title] = (
                [one.utilisation for one in metrics]
                if name == "utilisation"
                else [spread.mean for spread in spreads if spread]
            )
    return values, "batches" if within else "seeds"


def _words(plan: Plan) -> dict[str, str]:
    """Return what tells a plan from others, but for the seed."""
    words = {name: str(getattr(plan, name)) for name in PLAN_WORDS if name not in ("seed", "options", "site")}
    words |= {"policy": f"site {Path(plan.site).name}"} if plan.site else {}
    return words | {name: str(value) for name, value in plan.options.items()}
