"""``netplace batsim``: Batsim's protocol, with netplace on either side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.cli.flags import SEED, flag, output_file, real
from netplace.cli.many import plan_of
from netplace.cli.outputs import CommandOutput, show
from netplace.cli.settings import SettingsCommand, json_flag, threads_flag
from netplace.plan_settings import COSIM_SETTINGS, SCHEDULE_SETTINGS

_FIXED = ("policy", "partition", "site", "draws", "explain", "overrun")  # as the scheduler decides
_SETTINGS = {name: setting for name, setting in COSIM_SETTINGS.items() if name not in _FIXED}


@click.group("batsim", epilog=examples_of("batsim"))
def batsim_command() -> None:
    """Run schedulers written for Batsim, or schedule for Batsim: version 4 of its protocol (JSON, ZeroMQ)."""


@batsim_command.command("platform", cls=SettingsCommand, plan=_SETTINGS, of_plan=True)
@flag("--seed", "Random seed. [default: 0]", SEED, panel="Jobs")
@flag("--socket-endpoint endpoint", "Address of the scheduler.", default="tcp://127.0.0.1:28000")
@flag("--timeout", "Seconds for each answer of the scheduler.", real(0.1, 86400), 60.0)
@flag("--logged", "Take run times from the workload instead of simulating packets.", bool)
@flag("--rows", "Write one row per job (.csv or .parquet).", output_file(".csv", ".parquet"), metavar="FILE")
@threads_flag
@json_flag
def platform_command(
    endpoint: str,
    timeout: float,
    logged: bool,
    rows: Path | None,
    threads: int | str,
    as_json: bool,
    **given: Any,
) -> None:
    """Run the jobs of a workload on nodes and at times that a scheduler for Batsim decides.

    Start the scheduler before or after this command. A job that exceeds its estimate is killed.
    """
    from netplace.cosim import make_cosim_plan
    from netplace.cosim.plan import KEYS
    from netplace.live.batsim import connected, run_with
    from netplace.live.batsim.platform import RULES
    from netplace.report.tables import cosim, schedule
    from netplace.report.tables.data_table import print_data
    from netplace.runs.plan import make_plan
    from netplace.runs.tables import write_table

    keys, make, of = (SCHEDULE_SETTINGS, make_plan, schedule) if logged else (KEYS, make_cosim_plan, cosim)
    plan: Any = plan_of(make, keys, given | RULES)
    with connected(endpoint, timeout) as talk:
        made = run_with(talk, plan, threads)
    if rows:
        write_table(schedule.row_table(made.schedule), rows)
    outcome = made.outcome
    figures: Any = made.figures if logged else outcome

    show(
        CommandOutput(
            lambda: {"plan": plan.to_dict(), **outcome},
            terminal=lambda: print_data(of.figure_tables(plan, figures), f"scheduled by {endpoint}"),
            remarks=of.remarks(plan, figures),
        ),
        None,
        as_json,
    )


@batsim_command.command("scheduler")
@flag("--machine", "Network of Batsim's compute resources.", required=True, metavar="NETWORK")
@flag("--policy", "Scheduling policy; see netplace list scheduling.", default="easy")
@flag("--partition", "Allocator; see netplace list scheduling.", default="non-contiguous")
@flag("--seed", "Random seed.", SEED, 0)
@flag("--socket-endpoint endpoint", "Address on which to wait for Batsim.", default="tcp://127.0.0.1:28000")
def scheduler_command(machine: str, policy: str, partition: str, seed: int, endpoint: str) -> None:
    """Decide for one simulation of Batsim which jobs start on which nodes.

    Then run batsim with --socket-endpoint tcp://localhost:28000.
    """
    from netplace.live import machine_of
    from netplace.live.batsim import Decider, serve
    from netplace.topologies.compute_nodes import network_of_hosts

    decider = Decider(network_of_hosts(machine_of(machine)), policy, partition, seed)
    serve(endpoint, decider.answer, lambda: not decider.over)
    click.echo(f"netplace: the simulation has ended at {decider.now:g} s", err=True)
