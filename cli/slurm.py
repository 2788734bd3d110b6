"""``netplace slurm``: netplace together with Slurm."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import flag, flags, real


@click.group("slurm", epilog=examples_of("slurm"))
def slurm_command() -> None:
    """Watch a Slurm cluster, choose nodes for its new jobs, and switch its idle nodes off.

    Slurm stays in control. Without --act, the commands only show the changes that they would make.
    """


if TYPE_CHECKING:
    from netplace.live.sharing import Shared
    from netplace.live.slurm import Ended, QueuedJob
    from netplace.report.tables.data_table import DataTable
    from netplace.topologies import Topology

_ASSUMED = "Every node of a job is assumed to send the same amount of data to every other."

_flags = flags(
    flag("--machine", "Network. [default: from scontrol show topology]", metavar="NETWORK"),
    flag("--folder", "Folder for logs and host files.", click.Path(path_type=Path), required=True),
    flag("--bin commands", "Folder of Slurm's commands.", click.Path(path_type=Path)),
    flag("--timeout", "Seconds for each command.", real(0.1, 600), 10.0),
    flag("--follow", "Repeat until the command is stopped.", bool),
    flag("--interval", "Seconds between passes.", real(0.1, 86400), 5.0),
)


_ACT = flag("--act", "Make the changes instead of showing them.", bool)


@slurm_command.command("watch", cls=FilesCommand)
@_flags
@flag("--ended", "File with ended jobs, written by jobcomp or sacct -P.", click.Path(path_type=Path))
@flag("-o output", "Page (.html) that each pass writes anew.", click.Path(path_type=Path), metavar="FILE")
def watch_command(ended: Path | None, output: Path | None, **given: Any) -> None:
    """Show the running jobs that share links and therefore probably slow each other down.

    The command assumes that every node of a job sends the same amount of data to every other.
    """
    from netplace.cli.provenance import command_line
    from netplace.live.follow import hurt_by
    from netplace.live.slurm import read_ended
    from netplace.report.files.outputs import check_output
    from netplace.report.pages import write_page
    from netplace.report.pages.html import Page
    from netplace.report.tables.data_table import print_data

    if ended is not None and given["follow"]:
        raise ValueError("--follow: has no effect on a file of --ended")
    if output is not None:
        check_output(output, (".html",))
    controller, machine = _start(given)

    def look() -> None:
        jobs = controller.jobs() if ended is None else read_ended(ended)
        found = hurt_by(machine, jobs)
        pairs = {frozenset((one.job, one.other)) for one in found}
        placed = sum(bool(job.nodes) for job in jobs)
        verdict = f"jobs on nodes: {placed}, pairs that share links: {len(pairs)}"
        parts = _tables(machine, jobs, found)
        print_data(parts, verdict)
        if output is not None:
            request = [("machine", str(machine)), ("time", time.strftime("%Y-%m-%d %H:%M:%S %z"))]
            page = Page(f"Which jobs on {machine} share links?", [verdict], request, parts, notes=[_ASSUMED])
            write_page(output, page, command_line())

    _repeat(look, given)


def _tables(machine: Topology, jobs: Sequence[QueuedJob | Ended], found: Sequence[Shared]) -> list[DataTable]:
    """Return tables of the jobs that have or had nodes, of leaf switches, and of jobs that share links."""
    import numpy as np

    from netplace.live.state import host_names
    from netplace.report.tables.data_table import DataTable
    from netplace.topologies import hierarchy
    from netplace.topologies.host_lists import host_list

    met: dict[str, float] = {}
    for one in found:
        met[one.job] = met.get(one.job, 0.0) + one.load
    on_nodes = sorted((job for job in jobs if job.nodes), key=lambda job: -met.get(job.number, 0.0))
    shown = [
        DataTable(
            "Jobs",
            ["job", "nodes", "load met (nodes)", "names of the nodes"],
            [[one.number, len(one.nodes), met.get(one.number, 0), host_list(one.nodes)] for one in on_nodes],
            "Load met: mean load of other jobs on the links of a job, in nodes that send all the time.",
            (0, 0, 2, 0),
        ),
        DataTable(
            "Jobs that share links",
            ["job", "other job", "links", "traffic of the job on them (%)", "load met (nodes)"],
            [[one.job, one.other, one.links, 100 * one.share, one.load] for one in found],
            digits=(0, 0, 0, 0, 2),
            maximum=20,
        ),
    ]
    if tree := hierarchy(machine):
        hosts = host_names(machine)
        rows = []
        for below in np.split(tree.order, tree.starts[1][1:-1]):
            names = [hosts[node] for node in below]
            here = [(job.number, len({*names} & {*job.nodes})) for job in on_nodes]
            busy = [f"{job}: {count}" for job, count in here if count]
            rows.append([host_list(names), len(names), sum(count for _, count in here), ", ".join(busy)])
        columns = ["nodes of the switch", "nodes", "nodes of jobs", "jobs, each with its nodes here"]
        shown.insert(1, DataTable("Leaf switches", columns, rows))
    return shown


@slurm_command.command("place")
@_flags
@flag("--job", "Number of a waiting job. [default: new jobs]", metavar="J")
@flag("--partition", "Allocator.", default="slurm")
@_ACT
def place_command(job: str | None, partition: str, act: bool, **given: Any) -> None:
    """Choose free nodes for new jobs, which then prefer them.

    If the nodes are not free when Slurm can start a job, Slurm chooses others. With --follow, the hook passes
    the nodes to Slurm when a job comes. If the user of job J holds it, --job J ends the hold.
    """
    from netplace.live.follow import Follower

    if (job is None) != given["follow"]:
        raise ValueError("--job J or --follow: expected one of them")
    controller, machine = _start(given | {"act": act})
    follower = Follower(controller, machine, given["folder"], partition, act, click.echo)
    if job is not None:
        follower.place_one(job)
        return
    try:
        _repeat(lambda: follower.place_all(3 * given["interval"] + given["timeout"]), given)
    finally:
        follower.stop()


@slurm_command.command("ranks")
@flag("--machine", "Network. [default: from scontrol show topology]", metavar="NETWORK")
@flag("--bin commands", "Folder of Slurm's commands.", click.Path(path_type=Path))
@flag("--mapping", "Mapping of nodes.", default="consecutive")
@flag("--app", "Application whose traffic the mapping uses, such as 2d-torus.", default="")
def ranks_command(machine: str | None, commands: Path | None, mapping: str, app: str) -> None:
    """Print the node of each rank of the job that runs the command.

    The output is a file for SLURM_HOSTFILE and srun -m arbitrary. Each node gets as many ranks as Slurm
    gives it.
    """
    from netplace.live import machine_of
    from netplace.live.follow import machine_under
    from netplace.live.ranks import rank_hosts
    from netplace.live.slurm import Controller

    missing = [name for name in ("SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE") if name not in os.environ]
    if missing:
        raise ValueError(f"{missing[0]}: is not set, expected a job of Slurm (sbatch -n)")
    with tempfile.TemporaryDirectory() as folder:
        known = machine_of(machine) if machine else machine_under(Controller(commands), Path(folder))[0]
        hosts, counts = os.environ["SLURM_JOB_NODELIST"], os.environ["SLURM_TASKS_PER_NODE"]
        click.echo("\n".join(rank_hosts(known, hosts, counts, mapping, app)))


@slurm_command.command("hook")
@flag("--folder", "Folder of place.", click.Path(path_type=Path), required=True)
def hook_command(folder: Path) -> None:
    """Print a job_submit.lua, by which new jobs prefer the nodes that place --follow has chosen."""
    from netplace.live.hook import hook

    click.echo(hook(folder), nl=False)


@slurm_command.command("power")
@_flags
@flag("--rule", "Rule: plan:slot=S, timeout:S, reserve:K,S or always-on.", default="plan:slot=300")
@flag("--boot-seconds", "Seconds that a node takes to boot.", real(0, 1e6), 1800.0)
@flag("--keep", "Nodes that are never switched off.", default="", metavar="HOSTS")
@_ACT
def power_command(rule: str, boot_seconds: float, keep: str, act: bool, **given: Any) -> None:
    """Switch idle nodes off, and on again for jobs that wait.

    The command does not switch nodes that a job holds or requires, or that are reserved. The rule plan
    considers at most five waiting jobs, in the order of their priority.
    """
    from netplace.live.follow import Follower
    from netplace.live.power import PowerState, decide
    from netplace.scheduling.power import PowerModel
    from netplace.topologies.host_lists import count_hosts, expand

    model = PowerModel(boot_seconds=boot_seconds)
    decide(rule, model, PowerState(0.0, {}))
    if count_hosts(keep, "--keep") > 1_000_000:
        raise ValueError("--keep: more than 1,000,000 nodes")
    kept = frozenset(expand(keep, "--keep"))
    controller, machine = _start(given | {"act": act})
    follower = Follower(controller, machine, given["folder"], act=act, tell=click.echo)
    _repeat(lambda: follower.switch(rule, model, kept), given)


def _start(given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the commands of Slurm and the machine; a command that acts locks folder and cluster."""
    from netplace.live import machine_of
    from netplace.live.follow import machine_under
    from netplace.live.slurm import Controller
    from netplace.topologies.compute_nodes import network_of_hosts

    controller = Controller(given["commands"], given["timeout"])
    given["folder"].mkdir(mode=0o700, parents=True, exist_ok=True)
    if given.get("act"):
        _lock(controller.cluster(), given["folder"])
    if given["machine"]:
        return controller, network_of_hosts(machine_of(given["machine"]))
    machine, warnings = machine_under(controller, given["folder"])
    for doubt in warnings:
        click.echo(f"netplace: {doubt}", err=True)
    return controller, machine


def _lock(cluster: str, folder: Path) -> None:
    """Lock a cluster, whatever the folder, and the folder, whatever the cluster, while the command runs."""
    from netplace.live.journal import lock, state_folder

    context = click.get_current_context()
    assert context is not None
    own = hashlib.sha256(cluster.encode()).hexdigest()[:16]
    for path, served in (
        (state_folder() / "slurm" / f"{own}.{context.info_name}", f"cluster {cluster}"),
        (folder / f"{context.info_name}.lock", folder),
    ):
        context.call_on_close(partial(os.close, lock(path, served)))


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
