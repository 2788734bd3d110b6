"""``netplace serve``: a service that places jobs on a machine."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import Integer, flag
from netplace.cli.help import HelpfulCommand


@command("serve", HelpfulCommand)
@flag("--machine", "Network, or Slurm's topology.conf.", required=True, metavar="NETWORK")
@flag("--hosts", "File of node names, one per line.", metavar="FILE")
@flag("--folder", "Folder for the journal, the lock and the token.", click.Path(path_type=Path))
@flag("--socket socket_path", "Serve JSON lines on a Unix socket.", click.Path(path_type=Path))
@flag("--http port", "Serve HTTP on this port of 127.0.0.1; 0: any free port.", Integer(0, 65535))
@flag("--partition", "Allocator for requests without one.", default="slurm")
@flag("--mapping", "Mapping for requests without one.", default="consecutive")
@flag("--allow", "Rule of your own that requests may name; repeatable.", multiple=True, metavar="RULE")
@flag("--queue", "Largest number of waiting jobs.", Integer(0, 1_000_000), 10_000)
@flag("--sync", "Answer only after the change is on disk.", bool)
def serve_command(**given: Any) -> None:
    """Place jobs on a machine on request, and keep track of its nodes.

    Each request, such as {"verb": "place", "job": "a", "nodes": 4}, and each answer is one line of JSON.
    Without --socket or --http, the command reads requests from stdin.
    """
    from netplace.advice import machine_of
    from netplace.live import Cluster, Service
    from netplace.live.journal import Journal, lock, token_in
    from netplace.report.files.rank_files import host_names

    folder, port, socket_path = given["folder"], given["port"], given["socket_path"]
    if folder is None:
        if port is not None:
            raise ValueError("--http: needs --folder DIR for its token")
        if given["sync"]:
            raise ValueError("--sync: has no effect without --folder DIR")
    machine = machine_of(given["machine"])
    hosts = host_names(given["hosts"] and Path(given["hosts"]), machine)
    cluster = Cluster(
        machine,
        hosts,
        given["partition"],
        given["mapping"],
        allowed=given["allow"],
        queue=given["queue"],
        tell=lambda sentence: click.echo(f"netplace: {sentence}", err=True),
    )
    with ExitStack() as stack:
        journal = None
        if folder is not None:
            stack.callback(os.close, lock(folder / "lock", folder))
            journal = Journal(folder, cluster, given["sync"])
        service = Service(cluster, journal)
        stack.callback(service.close)
        if socket_path is not None:
            service.listen(socket_path)
            stack.callback(socket_path.unlink, missing_ok=True)
        places = [f"socket {socket_path}"] if socket_path is not None else []
        if port is not None:
            made = service.listen_http(port, token_in(folder))
            places.append(f"http://127.0.0.1:{made}/#TOKEN with the token in {folder / 'token'}")
        told = f"{machine}, {machine.nodes} nodes, {len(cluster.jobs)} jobs, {len(cluster.waiting)} wait"
        click.echo(f"netplace: serves {told}; {' and '.join(places) or 'stdin'}", err=True)
        if places:
            threading.Event().wait()
        else:
            service.serve_lines(sys.stdin.buffer, sys.stdout.buffer)
