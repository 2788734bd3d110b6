"""Clusters under PBS and LSF, as far as their commands show them: nodes and jobs, without changes.

Source: the manual pages pbsnodes(8B) and qstat(1B) of OpenPBS and Torque, and bhosts(1) and bjobs(1) of LSF.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from netplace.checks import abbreviate
from netplace.live.slurm import Controller, QueuedJob, SlurmNode, seconds_of

__all__ = ["MANAGERS", "Reader", "read_jobs", "read_nodes"]

Row = dict[str, str]


def _blocks(text: str, where: str) -> Iterator[Row]:
    """Yield the records of PBS: a name, and below it lines of "key = value"; a tab continues a value."""
    row: Row = {}
    key = ""
    for place, line in enumerate(text.splitlines(), 1):
        if line.startswith("\t") and key:
            row[key] += line.strip()
        elif line[:1].isspace() and line.strip():
            key, equals, value = (word.strip() for word in line.partition("="))
            if not equals or not row:
                raise ValueError(f"{where}, line {place}: {abbreviate(line.strip())}, expected KEY = VALUE")
            row[key] = value
        else:
            if row:
                yield row
            row = {"name": line.removeprefix("Job Id:").strip()} if line.strip() else {}
    if row:
        yield row


def _columns(text: str, where: str) -> Iterator[Row]:
    """Yield the lines of LSF below the names of their columns."""
    head: list[str] = []
    for place, line in enumerate(text.splitlines(), 1):
        words = line.split("|", len(head) - 1 if head else -1) if "|" in line else line.split()
        words = [word.strip() for word in words]
        if not head:
            head = words
        elif len(words) != len(head):
            raise ValueError(
                f"{where}, line {place}: {len(words)} columns, expected the {len(head)} of line 1"
            )
        else:
            yield dict(zip(head, words, strict=True))


@dataclass(frozen=True)
class _Manager:
    """The commands and records of a manager."""

    show_nodes: tuple[str, ...]
    show_jobs: tuple[str, ...]
    rows: Callable[[str, str], Iterator[Row]]
    # Values that netplace needs, and their keys.
    node: dict[str, str]
    # Words in the state of a node, and the state as a `SlurmNode`: the first that fits, else down.
    states: dict[str, str]
    job: dict[str, str]
    waits: dict[str, str]  # states of jobs that wait, and the reason
    runs: str  # states of jobs that have nodes
    host: str  # pattern of a host in the list of those of a job
    unit: float  # seconds of a limit that is a mere number


MANAGERS = {
    "pbs": _Manager(
        ("pbsnodes", "-a"),
        ("qstat", "-f"),
        _blocks,
        {"name": "name", "state": "state", "jobs": "jobs"},
        {
            "down": "down", "offline": "down", "stale": "down", "unknown": "down", "unresolvable": "down",
            "sleep": "off", "powered-off": "off", "provisioning": "booting", "resv": "reserved",
            "job": "held", "busy": "held", "free": "idle",
        },
        {
            "name": "name", "state": "job_state", "hosts": "exec_host", "size": "Resource_List.nodect",
            "limit": "Resource_List.walltime", "used": "resources_used.walltime", "came": "ctime",
            "priority": "Priority",
        },
        {"Q": "Priority", "H": "JobHeldUser", "W": "BeginTime"},
        "R E S U B",
        r"(?:^|\+)\(?([^/+:]+)",
        1.0,
    ),
    "lsf": _Manager(
        ("bhosts", "-w"),
        (
            "bjobs", "-u", "all", "-o",
            "jobid stat exec_host nreq_slot runtimelimit run_time effective_resreq delimiter='|'",
        ),
        _columns,
        {"name": "HOST_NAME", "state": "STATUS", "jobs": "NJOBS"},
        {"Power": "off", "Full": "held", "Excl": "held", "Busy": "held", "closed": "down", "ok": "idle"},
        {
            "name": "JOBID", "state": "STAT", "hosts": "EXEC_HOST", "size": "NREQ_SLOT",
            "limit": "RUNTIMELIMIT", "used": "RUN_TIME", "needs": "EFFECTIVE_RESREQ",
        },
        {"PEND": "Priority", "PSUSP": "JobHeldUser"},
        "RUN USUSP SSUSP UNKWN PROV",
        r"(?:^|:)(?:\d+\*)?([^:]+)",
        60.0,
    ),
}  # fmt: skip


class Reader(Controller):
    """The commands of PBS or LSF, one of `MANAGERS`, which netplace only reads."""

    def __init__(self, manager: str, folder: Path | None = None, timeout: float = 10.0) -> None:
        self._manager = MANAGERS[manager]
        super().__init__(folder, timeout, (self._manager.show_nodes[0], self._manager.show_jobs[0]))

    def topology(self) -> str:
        """Return nothing: these managers know no switches."""
        return ""

    def nodes(self, times: bool = False) -> list[SlurmNode]:
        """Return all nodes, without the times at which they were last busy."""
        return read_nodes(self._manager, self._run(*self._manager.show_nodes))

    def jobs(self) -> list[QueuedJob]:
        """Return all jobs that wait or have nodes."""
        return read_jobs(self._manager, self._run(*self._manager.show_jobs), time.time())


def read_nodes(manager: _Manager, text: str) -> list[SlurmNode]:
    """Return the nodes that a manager lists."""
    where, made = " ".join(manager.show_nodes), []
    for row in manager.rows(text, where):
        name, state = (_value(row, manager.node[key], where) for key in ("name", "state"))
        found = next((told for word, told in manager.states.items() if word in state), "down")
        if found == "idle" and row.get(manager.node["jobs"], "0") not in ("", "0"):
            found = "held"
        made.append(SlurmNode(name, found))
    return made


def read_jobs(manager: _Manager, text: str, now: float) -> list[QueuedJob]:
    """Return the jobs that a manager lists and that wait or have nodes.

    LSF counts slots: a job needs as many nodes, or fewer if it says ``span[ptile=N]``.
    """
    where, made = " ".join(manager.show_jobs[:2]), []
    for row in manager.rows(text, where):
        told = {what: row.get(key, "") for what, key in manager.job.items()}
        number, state = (_value(row, manager.job[key], where) for key in ("name", "state"))
        runs = state in manager.runs.split()
        if not runs and state not in manager.waits:
            continue
        nodes = tuple(dict.fromkeys(re.findall(manager.host, told["hosts"]))) if runs else ()
        slots = int(told["size"]) if told["size"].isascii() and told["size"].isdigit() else 1
        each = re.search(r"ptile=(\d{1,6})\b", told.get("needs", ""))
        tasks = max(1, int(each[1])) if each else 1
        limit, used = _seconds(told["limit"], manager.unit), _seconds(told["used"], 1.0)
        came = 0.0
        with suppress(ValueError, OverflowError):
            came = datetime.strptime(told.get("came", ""), "%a %b %d %H:%M:%S %Y").timestamp()
        priority = told.get("priority", "")
        made.append(
            QueuedJob(
                number,
                "RUNNING" if runs else "PENDING",
                "None" if runs else manager.waits[state],
                len(nodes) or math.ceil(slots / tasks),
                nodes,
                "",
                limit,
                now + max(0.0, limit - (used if math.isfinite(used) else 0.0)) if runs else math.inf,
                came,
                int(priority) if re.fullmatch(r"-?\d{1,9}", priority) else 0,
                tasks,
            )
        )
    return made


def _value(row: Row, key: str, where: str) -> str:
    if not row.get(key):
        raise ValueError(f"{where}: {abbreviate(row)} has no {key}")
    return row[key]


def _seconds(text: str, unit: float) -> float:
    """Return a time such as ``01:00:00``, ``60.0/host`` or ``120 second(s)``, in seconds."""
    if ":" in text:
        return seconds_of(text)
    found = re.match(r"\d{1,9}(\.\d{1,3})?", text)
    return unit * float(found[0]) if found else math.inf
