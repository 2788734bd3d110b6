"""``netplace cosim``: jobs, scheduler and packets in one run."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from msgspec.structs import replace

from netplace.cli.clashes import command
from netplace.cli.flags import SEED, flag
from netplace.cli.many import (
    Execution,
    described,
    plan_of,
    refuse_beside_study,
    refuse_of_one,
    resource_flags,
    say,
    store_flag,
    study_flags,
    tell_cost,
)
from netplace.cli.outputs import OUTCOME, CommandOutput, show, study_output
from netplace.cli.settings import SettingsCommand, json_flag, tell_limits, threads_flag
from netplace.inputs import shortened
from netplace.plain_data import to_builtins
from netplace.plan_settings import COSIM_SETTINGS
from netplace.report.terminal.progress import PER_CENT, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.cosim import CosimPlan

_RESULT = "Results"


@command("cosim", SettingsCommand, plan=COSIM_SETTINGS, of_plan=True)
@click.argument("study", metavar="[STUDY.toml]", required=False)
@flag(
    "--collective algorithms",
    "Algorithm of an operation, such as allreduce=ring; repeatable.",
    multiple=True,
    panel="Jobs",
    metavar="OPERATION=ALGORITHM",
)
@flag("--seed", "Random seed. [default: 0]", SEED, panel="Jobs")
@store_flag("for a study, a file next to it")
@resource_flags("1")
@threads_flag
@study_flags
@flag(
    "-o output",
    "Write jobs, figures and a picture into a folder, or a page (.html), the picture (.png, .pdf, "
    ".svg), or the output of --json (.json).",
    OUTCOME,
    panel=_RESULT,
)
@json_flag
def cosim_command(study: str | None, **given: Any) -> None:
    """Simulate jobs that share a machine and its network, packet by packet, and show the cost of sharing.

    The scheduling policy starts each job on nodes that the allocator chooses. On the simulated network,
    the job ends when its last task ends. The output also shows the time of each job alone, and the error
    of a table that contains these times. A study file has the same names as the flags, and any value can
    be a list. The command simulates each combination with times from a table and with live times, and
    reports the rankings that differ.
    """
    execution = Execution(given["workers"], given["dask"], given["store"], given["threads"])
    if study is None:
        answer = _single(given, given["output"], execution)
    else:
        answer = _study(Path(study), given["unpaired"], given["figures"], execution)
    show(answer, given["output"], given["as_json"])


def _single(given: dict[str, Any], output: Path | None, execution: Execution) -> CommandOutput:
    """Execute the co-simulation that flags describe, unless `output` is a folder that has it."""
    from netplace.cosim import job_rows_of, make_cosim_plan
    from netplace.cosim.plan import KEYS
    from netplace.cosim.runner import outcome_of
    from netplace.report.plots import write_figure
    from netplace.report.plots.jobs import sharing_figure
    from netplace.report.tables.cosim import figure_tables, remarks, title_of, write_folder, write_kept
    from netplace.report.tables.data_table import print_data

    refuse_of_one(given)
    threads = execution.network_threads()
    if given["algorithms"]:
        given["collectives"] = "+".join([given["collectives"] or "builtin", *given["algorithms"]])
    plan = plan_of(make_cosim_plan, KEYS, given)
    tell_limits([(plan.jobs.machine, plan.config)])
    store = output or execution.store
    written = None

    def run_here(plan: CosimPlan) -> dict[str, Any]:
        nonlocal written
        written = _of_folder(output, plan)
        return written or _watched(plan, store, threads)

    function = run_here if execution.dask is None else partial(outcome_of, threads=threads)
    [outcome] = execution.outcomes([plan], function, "schedules", "co-simulations")

    def folder(path: Path) -> None:
        if path != output:
            write_kept(path, plan, outcome)
        elif not written:
            write_folder(path, plan, outcome)

    return CommandOutput(
        lambda: {"plan": plan.to_dict(), **outcome},
        terminal=lambda: print_data(figure_tables(plan, outcome), title_of(plan)),
        draw=lambda path: write_figure(path, sharing_figure(job_rows_of(outcome), title_of(plan))),
        folder=folder,
        remarks=remarks(plan, outcome),
    )


def _watched(plan: CosimPlan, store: Path | None, threads: int | str, of: str = "") -> dict[str, Any]:
    """Return what came of a plan, executed here; show how far it is, and `of` what in a study."""
    from netplace.cosim.runner import outcome_of
    from netplace.runs.meter import PacketMeter
    from netplace.runs.schedules import workload_of

    jobs = plan.jobs
    named = f"jobs{of} ({jobs.policy}, {jobs.partition}, {plan.fidelity})"
    announce = partial(tell_cost, f"co-simulates {named}")
    if plan.fidelity == "sampled":
        with progress(named, jobs.jobs or len(workload_of(jobs))) as tell:
            return outcome_of(plan, store, tell, threads, PacketMeter(lambda _: None, announce))
    with progress(f"of the packets of {named}", PER_CENT) as tell:
        return outcome_of(plan, store, None, threads, PacketMeter(tell, announce))


def _of_folder(folder: Path | None, plan: CosimPlan) -> dict[str, Any] | None:
    """Return what a folder that was written before has of a plan."""
    from netplace.cosim.serialization import FILE, read_plan

    if folder and (folder / FILE).exists():
        try:
            known, outcome = read_plan(folder)
            if known.key == plan.key:
                return outcome
        except ValueError as error:
            say(f"{shortened(str(error))}; it is written again")
    return None


def _study(study: Path, unpaired: bool, measures: Sequence[str], execution: Execution) -> CommandOutput:
    from netplace.cosim.plan import read_cosim_study
    from netplace.cosim.ranking import rankings
    from netplace.cosim.runner import outcome_of
    from netplace.report.tables.cosim import ranking_table, remarks
    from netplace.report.tables.cosim_study import common_rows, compared_cosims, job_rows
    from netplace.runs.same_jobs import same_jobs
    from netplace.runs.tables import write_table

    refuse_beside_study(
        study, "store", "workers", "threads", "dask", "output", "as_json", "unpaired", "figures"
    )
    plans, notes = read_cosim_study(study)
    tell_limits((plan.jobs.machine, plan.config) for plan in plans)
    if not unpaired:
        shared = same_jobs([plan.jobs for plan in plans])
        plans = [replace(plan, jobs=jobs) for plan, jobs in zip(plans, shared.plans, strict=True)]
        notes += shared.notes
    alone = execution.dask is None and execution.workers in (None, 1)  # else others carry them out
    store, threads = execution.store or study, execution.network_threads()
    keys = [plan.key for plan in plans]

    def watched(plan: CosimPlan) -> dict[str, Any]:
        of = f" of co-simulation {1 + keys.index(plan.key)} of {len(keys)}"
        return _watched(plan, store, threads, of)

    function = watched if alone else partial(outcome_of, store=store, threads=threads)
    outcomes = execution.outcomes(plans, function, "schedules", "co-simulations", beside=study)
    rows = common_rows(plans, outcomes, unpaired)
    ranked = rankings(plans, outcomes)
    compared = compared_cosims(plans, outcomes, rows, unpaired, measures)

    def also(folder: Path) -> None:
        for name in ("jobs.csv", "jobs.parquet"):
            write_table(job_rows(plans, rows), folder / name)

    return study_output(
        study,
        "cosim",
        compared,
        {"cosimulations": described(plans, outcomes), "rankings": to_builtins(ranked)},
        [*notes, *chain.from_iterable(map(remarks, plans, outcomes))],
        [ranking_table(ranked)] if ranked else [],
        also,
    )
