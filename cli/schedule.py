"""``netplace schedule``: jobs on a machine that they share."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import REAL, SEED, flag, output_file
from netplace.cli.many import (
    Execution,
    complete_run_times,
    described,
    list_missing,
    plan_of,
    refuse_beside_study,
    refuse_of_one,
    resource_flags,
    store_flag,
    study_flags,
)
from netplace.cli.outputs import OUTCOME, CommandOutput, show, study_output
from netplace.cli.settings import SettingsCommand, json_flag
from netplace.plan_settings import SCHEDULE_SETTINGS
from netplace.report.terminal.progress import progress

if TYPE_CHECKING:
    from netplace.runs.plan import Plan
    from netplace.runs.schedules import ScheduleRun

_RESULT = "Results"


@command("schedule", SettingsCommand, plan=SCHEDULE_SETTINGS, of_plan=True)
@click.argument("study", metavar="[STUDY.toml]", required=False)
@flag("--seed", "Random seed. [default: 0]", SEED, panel="Jobs")
@store_flag("for a study, a file next to it")
@resource_flags("1")
@study_flags
@flag(
    "--rows",
    "Write one row per job (.csv or .parquet).",
    output_file(".csv", ".parquet"),
    metavar="FILE",
    panel=_RESULT,
)
@flag(
    "-o output",
    "Write rows, figures and pictures into a folder, or a page (.html), a Gantt chart (.png, .pdf, "
    ".svg), or the output of --json (.json).",
    OUTCOME,
    panel=_RESULT,
)
@flag(
    "--list missing",
    "Only write the run times that the table or store lacks (.csv).",
    output_file(".csv", ".parquet"),
    metavar="FILE",
    panel=_RESULT,
)
@flag("--at", "Time of the occupancy picture.", REAL, metavar="SECONDS", panel=_RESULT)
@flag("--from from_", "Start of the Gantt chart.", REAL, metavar="HOURS", panel=_RESULT)
@flag("--to", "End of the Gantt chart.", REAL, metavar="HOURS", panel=_RESULT)
@json_flag
def schedule_command(study: str | None, **given: Any) -> None:
    """Schedule jobs on a machine with a policy and an allocator, and show wait times and utilization.

    A study file has the same names as the flags, and any value can be a list: the command executes each
    combination once and stores its result in a file next to the study file. For a single schedule, the
    folder of -o contains its rows, a Gantt chart, and the utilization and occupancy of the machine; for
    several, a picture that compares them.
    """
    execution = Execution(given["workers"], given["dask"], given["store"])
    plans, notes = _plans_of(study, given)
    if given["missing"]:
        list_missing(plans, given["missing"])
    elif study is None:
        show(_single(plans[0], given, execution), given["output"], given["as_json"])
    else:
        answer = _study(Path(study), plans, notes, given, execution)
        show(answer, given["output"], given["as_json"])


def _plans_of(study: str | None, given: dict[str, Any]) -> tuple[list[Plan], list[str]]:
    """Return the plans of a study file, or the one of flags, and notes on what was left out."""
    from netplace.netsim.config import SETTINGS
    from netplace.runs.placement_file import is_placement_file, read_placement_file
    from netplace.runs.plan import make_plan
    from netplace.runs.study_file import read_study

    if study is None:
        refuse_of_one(given)
        return [plan_of(make_plan, [*SCHEDULE_SETTINGS, *SETTINGS], given)], []
    path = Path(study)
    refuse_beside_study(
        path, "store", "workers", "dask", "output", "as_json", "unpaired", "figures", "missing"
    )
    if not is_placement_file(path):
        return read_study(path), []
    placement = read_placement_file(path)
    return placement.plans, placement.notes


def _single(plan: Plan, given: dict[str, Any], execution: Execution) -> CommandOutput:
    from netplace.report.tables.data_table import print_data
    from netplace.report.tables.schedule import (
        figure_tables,
        remarks,
        row_table,
        title_of,
        write_figures,
        write_folder,
    )
    from netplace.runs.schedule_figures import ScheduleFigures
    from netplace.runs.schedules import outcome_of, run_schedule, workload_of
    from netplace.runs.tables import write_table

    output, first, last = given["output"], given["from_"], given["to"]
    if first is not None and last is not None and not first < last:
        raise ValueError(f"--to: {last:g} is not after --from {first:g}")
    begin, end = (None if hours is None else hours * 3600 for hours in (first, last))
    rows, written = given["rows"], bool(given["rows"] or output)
    if written and execution.dask is not None:
        raise ValueError(f"--dask: {execution.dask} given, but a Dask cluster cannot write rows and pictures")
    complete_run_times([plan], execution)
    made: list[ScheduleRun] = []

    def run_here(plan: Plan) -> dict[str, Any]:
        with progress("jobs", plan.jobs or len(workload_of(plan))) as tell:
            made.append(run_schedule(plan, keep_nodes=output is not None, tell=lambda done, _: tell(done)))
        return made[0].outcome

    function = run_here if execution.dask is None else outcome_of
    [outcome] = execution.outcomes([plan], function, "schedules", "schedules")
    if written and not made:
        run_here(plan)  # the figures were kept, what is written was not
    if rows:
        write_table(row_table(made[0].schedule), rows)
    figures = ScheduleFigures.from_dict(outcome)

    def draw(path: Path) -> None:
        from netplace.report.plots import write_figure
        from netplace.report.plots.schedules import gantt_figure

        write_figure(path, gantt_figure(made[0].schedule, title_of(plan), begin, end))

    def folder(path: Path) -> None:
        """Write the folder that was requested, or into another what the page is made of."""
        if path == output:
            write_folder(path, plan, made[0], given["at"], (begin, end))
        else:
            write_figures(path, plan, made[0])

    return CommandOutput(
        lambda: {"plan": plan.to_dict(), **outcome},
        terminal=lambda: print_data(figure_tables(plan, figures), title_of(plan)),
        draw=draw,
        folder=folder,
        remarks=remarks(plan, figures),
    )


def _study(
    study: Path, plans: list[Plan], notes: list[str], given: dict[str, Any], execution: Execution
) -> CommandOutput:
    from netplace.report.tables.schedule import compared_schedules, remarks
    from netplace.runs.schedule_figures import ScheduleFigures

    complete_run_times(plans, execution)
    plans, outcomes, more = _outcomes_of(plans, study, given["unpaired"], execution)
    figures = [ScheduleFigures.from_dict(outcome) for outcome in outcomes]
    compared = compared_schedules(plans, figures, given["unpaired"], given["figures"])
    sentences = [*notes, *more, *chain.from_iterable(map(remarks, plans, figures))]
    return study_output(study, "schedule", compared, {"schedules": described(plans, outcomes)}, sentences)


def _outcomes_of(
    plans: list[Plan], study: Path, unpaired: bool, execution: Execution
) -> tuple[list[Plan], list[dict[str, Any]], list[str]]:
    """Return the plans as they were executed, what came of each, and what was done to make them fair."""
    from netplace.runs.same_jobs import after_runs, same_jobs
    from netplace.runs.schedule_figures import ScheduleFigures
    from netplace.runs.schedules import outcome_of

    def made(asked: list[Plan]) -> list[dict[str, Any]]:
        return execution.outcomes(asked, outcome_of, "schedules", "schedules", beside=study)

    if unpaired:
        return plans, made(plans), []
    shared = same_jobs(plans)
    plans, notes = shared.plans, shared.notes
    outcomes = made(plans)
    again = after_runs(plans, [ScheduleFigures.from_dict(outcome) for outcome in outcomes])
    if again != plans:
        killed = len({number for plan in again for number in plan.uncounted})
        if killed:
            notes.append(
                f"{killed:,} jobs that did not finish in every schedule are omitted from the figures by job"
            )
        plans, outcomes = again, made(again)
    return plans, outcomes, notes
