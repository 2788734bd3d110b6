"""``netplace slurm``: netplace together with Slurm."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click

from netplace.cli.amounts import Integer, Number
from netplace.cli.examples import examples_of


@click.group("slurm", epilog=examples_of("slurm"))
def slurm_command() -> None:
    """Watch a cluster under Slurm, place its held jobs, and switch its idle nodes off.

    Slurm stays in control. Without --act, the commands only show the changes that they would make.
    """


_FLAGS = (
    click.option("--machine", metavar="NETWORK", help="Network. [default: from scontrol show topology]"),
    click.option(
        "--folder", type=click.Path(path_type=Path), required=True, help="Folder for logs and host files."
    ),
    click.option(
        "--manager",
        type=click.Choice(["slurm", "pbs", "lsf"]),
        default="slurm",
        show_default=True,
        help="Resource manager; netplace only reads from PBS and LSF.",
    ),
    click.option(
        "--bin", "commands", type=click.Path(path_type=Path), help="Folder of the manager's commands."
    ),
    click.option(
        "--timeout", type=Number(0.1, 600), default=10.0, show_default=True, help="Seconds for each command."
    ),
    click.option("--follow", is_flag=True, help="Repeat until the command is stopped."),
    click.option(
        "--interval", type=Number(0.1, 86400), default=5.0, show_default=True, help="Seconds between passes."
    ),
)


_ACT = click.option("--act", is_flag=True, help="Make the changes instead of showing them.")


def _flags(command: Any) -> Any:
    for option in reversed(_FLAGS):
        command = option(command)
    return command


@slurm_command.command("watch")
@_flags
@click.option(
    "--ended", type=click.Path(path_type=Path), help="Ended jobs, from a file of jobcomp or sacct -P."
)
def watch_command(ended: Path | None, **given: Any) -> None:
    """Show the running jobs that share links and therefore probably slow each other.

    The command assumes that every node of a job sends the same amount of data to every other.
    """
    from netplace.live.follow import hurt_by
    from netplace.live.slurm import read_ended

    if ended is not None and given["follow"]:
        raise ValueError("--follow: has no effect on a file of --ended")
    controller, machine = _start(given)

    def look() -> None:
        jobs = controller.jobs() if ended is None else read_ended(ended)
        found = hurt_by(machine, jobs)
        click.echo(f"{len(jobs)} jobs, {len(found)} pairs share links")
        for one in found[:20]:
            click.echo(
                f"job {one.job}: {100 * one.share:.0f} % of its traffic crosses {one.links} links of job "
                f"{one.other} and meets a load of {one.load:.2f} nodes there"
            )

    _repeat(look, given)


@slurm_command.command("place")
@_flags
@click.option("--job", metavar="J", help="Number of a held job. [default: all with --comment=netplace]")
@click.option("--partition", default="slurm", show_default=True, help="Allocator.")
@click.option("--mapping", default="consecutive", show_default=True, help="Mapping of ranks.")
@click.option("--app", default="", help="Application whose traffic the mapping uses, such as 2d-torus.")
@click.option(
    "--bound",
    type=Number(0, 1e9),
    default=300.0,
    show_default=True,
    help="Seconds of waiting after which a job is left to Slurm.",
)
@_ACT
def place_command(job: str | None, act: bool, **given: Any) -> None:
    """Choose the nodes and the rank order of jobs that are held back, and let them start.

    The rank order of job J is in J.hosts of the folder, for SLURM_HOSTFILE and srun -m arbitrary.
    """
    from netplace.live.follow import Follower, Rules

    if (job is None) != given["follow"]:
        raise ValueError("--job J or --follow: expected one of them")
    rules = Rules(given["partition"], given["mapping"], given["app"], given["bound"])
    controller, machine = _start(given | {"act": act})
    follower = Follower(controller, machine, given["folder"].resolve(), rules, act, click.echo)
    if job is not None:
        if not follower.place_one(job):
            raise ValueError(f"--job {job}: Slurm refused the placement, and has the job alone")
        return
    try:
        _repeat(lambda: follower.place_all(3 * given["interval"] + given["timeout"]), given)
    finally:
        follower.promise(0)


@slurm_command.command("hook")
@click.option(
    "--folder", type=click.Path(path_type=Path), required=True, help="Folder of netplace slurm place."
)
@click.option(
    "--bound",
    type=Integer(1, 10**9),
    default=300,
    show_default=True,
    help="Seconds after which Slurm starts a job without netplace.",
)
def hook_command(folder: Path, bound: int) -> None:
    """Print a job_submit.lua that makes new jobs wait for nodes while netplace slurm place --follow runs."""
    from netplace.live.hook import hook

    click.echo(hook(folder, bound), nl=False)


@slurm_command.command("power")
@_flags
@click.option(
    "--rule", default="plan:slot=300", show_default=True, help="Or timeout:S, reserve:K,S or always-on."
)
@click.option(
    "--boot-seconds",
    type=Number(0, 1e6),
    default=1800.0,
    show_default=True,
    help="Seconds of a boot.",
)
@click.option("--keep", default="", metavar="HOSTS", help="Nodes that are never switched off.")
@_ACT
def power_command(rule: str, boot_seconds: float, keep: str, act: bool, **given: Any) -> None:
    """Switch idle nodes off, and on again for jobs that wait.

    The command does not switch nodes that a job holds or requires, or that are reserved. Rule plan considers
    at most five waiting jobs, in the order of their priority.
    """
    from netplace.live.follow import Follower, Rules
    from netplace.live.power import PowerState, decide
    from netplace.scheduling.power import PowerModel
    from netplace.topologies.host_lists import count_hosts, expand

    model = PowerModel(boot_seconds=boot_seconds)
    decide(rule, model, PowerState(0.0, {}))
    if count_hosts(keep, "--keep") > 1_000_000:
        raise ValueError("--keep: more than 1,000,000 nodes")
    rules = Rules(power=rule, model=model, excluded=frozenset(expand(keep, "--keep")))
    controller, machine = _start(given | {"act": act})
    follower = Follower(controller, machine, given["folder"], rules, act, click.echo)
    _repeat(follower.switch, given)


def _start(given: dict[str, Any]) -> tuple[Any, Any]:
    """Lock the folder and return the commands of Slurm and the machine."""
    from netplace.advice import machine_of
    from netplace.live.follow import machine_under
    from netplace.live.journal import lock_folder
    from netplace.live.managers import Reader
    from netplace.live.slurm import Controller

    if given["manager"] == "slurm":
        controller = Controller(given["commands"], given["timeout"])
    else:
        if given.get("act"):
            raise ValueError(f"--act: netplace changes nothing under {given['manager']}, it only shows")
        if not given["machine"]:
            raise ValueError(f"--manager {given['manager']}: needs --machine, it knows no switches")
        controller = Reader(given["manager"], given["commands"], given["timeout"])
    context = click.get_current_context()
    assert context is not None
    context.call_on_close(partial(os.close, lock_folder(given["folder"])))
    if given["machine"]:
        return controller, machine_of(given["machine"])
    machine, doubts = machine_under(controller, given["folder"])
    for doubt in doubts:
        click.echo(f"netplace: {doubt}", err=True)
    return controller, machine


def _repeat(step: Callable[[], object], given: dict[str, Any]) -> None:
    """Take a step, or step after step; a controller that is late or away is asked again."""
    while True:
        try:
            step()
        except ValueError as error:
            if not given["follow"]:
                raise
            click.echo(f"netplace: {error}", err=True)
        if not given["follow"]:
            return
        time.sleep(given["interval"])
