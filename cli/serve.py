"""``netplace serve``: a service that places jobs on a machine."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import flag, real, whole
from netplace.cli.help import HelpfulCommand

if TYPE_CHECKING:
    from netplace.live import Service
    from netplace.live.journal import Journal

_METRICS_SECONDS = 10.0  # node_exporter is usually asked every 15 s


@command("serve", HelpfulCommand)
@flag("--machine", "Network, or Slurm's topology.conf.", required=True, metavar="NETWORK")
@flag("--hosts", "File of node names, one per line.", metavar="FILE")
@flag("--folder", "Folder for the journal and its lock.", click.Path(path_type=Path))
@flag("--socket socket_path", "Serve JSON lines on a Unix socket.", click.Path(path_type=Path))
@flag("--metrics", "Keep metrics in this file (.prom) for node_exporter.", click.Path(path_type=Path))
@flag("--partition", "Allocator for requests without one.", default="slurm")
@flag("--mapping", "Mapping for requests without one.", default="consecutive")
@flag("--allow", "Rule with a file that requests may name; repeatable.", multiple=True, metavar="RULE")
@flag("--queue", "Largest number of waiting jobs.", whole(0, 1_000_000), 10_000)
@flag("--deadline", "Seconds for a search; then nodes are consecutive.", real(0.01, 3600), 10.0)
def serve_command(**given: Any) -> None:
    """Place jobs on a machine on request, and keep track of its nodes.

    Each request, such as {"verb": "place", "job": "a", "nodes": 4}, and each answer is one line of JSON.
    Without --socket, the command reads requests from stdin.
    """
    from netplace.live import Cluster, Service, machine_of
    from netplace.live.journal import Journal, lock
    from netplace.live.searches import Searches
    from netplace.report.files.outputs import check_output
    from netplace.report.files.rank_files import host_names

    folder, metrics, socket_path = given["folder"], given["metrics"], given["socket_path"]
    if metrics is not None:
        check_output(metrics, (".prom",))  # node_exporter reads no other files
    machine = machine_of(given["machine"])
    hosts = dict.fromkeys(host_names(given["hosts"] and Path(given["hosts"]), machine))

    def tell(sentence: str) -> None:
        click.echo(f"netplace: {sentence}", err=True)

    cluster = Cluster(
        machine,
        hosts,
        given["partition"],
        given["mapping"],
        allowed=given["allow"],
        queue=given["queue"],
        tell=tell,
    )
    journal = None
    with ExitStack() as stack:
        stack.enter_context(_told(lambda: _kept(journal)))
        searches = Searches(machine, given["deadline"])
        stack.callback(searches.close)
        if folder is not None:
            stack.callback(os.close, lock(folder / "lock", folder))
            journal = Journal(folder, cluster, tell)
        service = Service(cluster, journal, searches)
        stack.callback(service.close)
        if socket_path is not None:
            service.listen(socket_path)
            stack.callback(socket_path.unlink, missing_ok=True)
        jobs = f"{len(cluster.jobs)} jobs, {len(cluster.waiting)} wait"
        place = "stdin" if socket_path is None else f"socket {socket_path}"
        tell(f"serves {machine}, {cluster.topology.nodes} nodes, {jobs}; {place}")
        if metrics is not None:
            service.write_metrics(metrics)
            stack.callback(service.write_metrics, metrics)
            threading.Thread(target=_keep_metrics, args=(service, metrics), daemon=True).start()
        if socket_path is not None:
            threading.Event().wait()
        else:
            service.serve_lines(sys.stdin.buffer, sys.stdout.buffer)


@contextmanager
def _told(kept: Callable[[], str]) -> Iterator[None]:
    """Say at the end by SIGTERM or Ctrl-C what is kept."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as end:
        end.add_note(kept())
        raise


def _kept(journal: Journal | None) -> str:
    if journal is None:
        return "the state was in memory alone; with --folder, it is kept"
    return f"all changes that were answered are in {journal.path}"


def _keep_metrics(service: Service, path: Path) -> None:
    """Write the metrics every few seconds; what prevents it is told once, and tried again."""
    written = ""
    while True:
        time.sleep(_METRICS_SECONDS)
        try:
            service.write_metrics(path)
            written = ""
        except OSError as error:
            if str(error) != written:
                written = str(error)
                click.echo(f"netplace: --metrics {path}: {error.strerror}; tried again", err=True)
