"""A cluster under Slurm: its nodes and jobs as its commands print them, and the changes that they make.

Source: the manual pages scontrol(1), sinfo(1), squeue(1) and sacct(1) of Slurm 22.05. Slurm stays master:
every change is a request to its controller.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from netplace.inputs import abbreviate
from netplace.topologies.host_lists import count_hosts, expand, host_list

__all__ = [
    "MARK",
    "Controller",
    "Ended",
    "QueuedJob",
    "SlurmNode",
    "read_ended",
    "read_nodes",
    "read_queue",
    "seconds_of",
]

MARK = "netplace"  # comment of the jobs that netplace may place
_MOST_NAMES = 1_000_000
_ENVIRONMENT = ("HOME", "PATH", "SLURM_CONF")
_COMMANDS = ("scontrol", "sinfo", "squeue")
_FORMAT = "%i|%T|%r|%D|%N|%l|%Q|%e|%V|%n|%P|%k"  # of squeue; the comment last, as it can hold anything
_ON_NODES = ("RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STAGE_OUT", "STOPPED")
_FLAGS = "*~#!%$@^-+"


@dataclass(frozen=True)
class SlurmNode:
    """A node in the output of sinfo or scontrol."""

    name: str
    # ``"idle"``, ``"held"``, ``"off"``, ``"booting"``, ``"stopping"``, ``"reserved"`` or ``"down"``, which
    # includes all others.
    state: str
    since: float = 0.0  # when it was last busy, in seconds; 0 if unknown
    queues: frozenset[str] = frozenset()  # Slurm's partitions to which it belongs; empty if unknown


@dataclass(frozen=True)
class QueuedJob:
    """A job in the queue; times in seconds, 0 or infinite if unknown."""

    number: str  # its number, with that of the array task if it is one
    # As in Slurm, such as ``"PENDING"`` and ``"JobHeldUser"``.
    state: str
    reason: str
    size: int  # nodes that it needs or has
    nodes: tuple[str, ...] = ()  # nodes that it has
    required: str = ""  # host list of the nodes that it must have
    limit: float = float("inf")
    # Latest end, and submission.
    ends: float = float("inf")
    submitted: float = 0.0
    priority: int = 0  # the greatest first
    tasks: int = 1  # tasks on each node
    comment: str = ""  # comment of its user
    queues: frozenset[str] = frozenset()  # Slurm's partitions in which it can run; empty if unknown

    @property
    def held(self) -> bool:
        """Whether it is held back, by its user or until the time at which it may begin."""
        return self.state == "PENDING" and self.reason in ("JobHeldUser", "JobHeldAdmin", "BeginTime")


@dataclass(frozen=True)
class Ended:
    """A job that has ended: its nodes, and its times in seconds."""

    number: str
    nodes: tuple[str, ...]
    start: float
    end: float


class Controller:
    """The commands of Slurm, each with a time limit and without a shell.

    Parameters
    ----------
    folder : Path, optional
        Folder of the commands; by default they are looked up in PATH.
    timeout : float
        Seconds after which a command without an answer is ended.
    """

    def __init__(self, folder: Path | None = None, timeout: float = 10.0) -> None:
        self.timeout = timeout
        self._paths: dict[str, str] = {}
        for name in _COMMANDS:
            found = shutil.which(name, path=None if folder is None else str(folder))
            if found is None:
                raise ValueError(f"{name}: is not in {folder or 'PATH'}, expected Slurm's commands")
            self._paths[name] = os.path.abspath(found)

    def cluster(self) -> str:
        """Return the name and the address of the cluster, the same for all who reach its controller."""
        config = self._run("scontrol", "show", "config").splitlines()
        words = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in config)}
        if not words.get("ClusterName"):
            raise ValueError("scontrol show config: names no cluster, expected ClusterName = NAME")
        return " ".join(words.get(key, "") for key in ("ClusterName", "SlurmctldHost[0]", "SlurmctldPort"))

    def topology(self) -> str:
        """Return the text of a topology.conf by ``scontrol show topology``; empty if the machine is flat."""
        lines = []
        for line in self._run("scontrol", "show", "topology").splitlines():
            words = dict(word.partition("=")[::2] for word in line.split())
            if "SwitchName" not in words:
                continue
            kind = "Switches" if words.get("Switches") else "Nodes"
            lines.append(f"SwitchName={words['SwitchName']} {kind}={words.get(kind, '')}\n")
        return "".join(lines)

    def nodes(self, times: bool = False) -> list[SlurmNode]:
        """Return all nodes, with the times at which they were last busy if these are asked for."""
        if times:
            return read_nodes(self._run("scontrol", "show", "node", "--oneliner"))
        return read_nodes(self._run("sinfo", "-h", "-N", "-o", "%N|%T|%R"))

    def jobs(self) -> list[QueuedJob]:
        """Return all jobs in the queue, from squeue's JSON, or its text where it has none."""
        try:
            text = self._run("squeue", "--json")
        except ValueError as error:
            if "exit code" not in str(error):
                raise
            text = ""
        if not text.lstrip().startswith("{"):
            text = self._run("squeue", "-h", "-o", _FORMAT)
        # JSON also lists jobs that have ended within the last minutes.
        return [job for job in read_queue(text) if job.state == "PENDING" or job.state in _ON_NODES]

    def start(self, job: QueuedJob, nodes: Iterable[str]) -> None:
        """Let a job that is held back start, on given nodes; none: wherever Slurm puts it."""
        number = _number(job.number)
        self._run("scontrol", "update", f"JobId={number}", f"ReqNodeList={host_list(nodes)}", "StartTime=now")
        if job.reason != "BeginTime":
            self._run("scontrol", "release", number)

    def power(self, nodes: Iterable[str], on: bool) -> None:
        """Have Slurm switch nodes on or off; a node that got a job meanwhile is left on until that ends."""
        state = "POWER_UP" if on else "POWER_DOWN"
        self._run("scontrol", "update", f"NodeName={host_list(nodes)}", f"State={state}")

    def _run(self, name: str, *words: str) -> str:
        shown = " ".join((name, *words[:2]))
        kept = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
        try:
            made = subprocess.run(
                [self._paths[name], *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout,
                env=kept | {"LC_ALL": "C"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            told = f"{shown}: no answer in {self.timeout:g} s, expected one from the controller"
            raise ValueError(told) from None
        except OSError as error:
            raise ValueError(f"{shown}: cannot be started, {error.strerror}") from None
        if made.returncode:
            said = " ".join(made.stderr.decode("utf-8", "replace").split())
            raise ValueError(f"{shown}: exit code {made.returncode}: {abbreviate(said, 200)}")
        return made.stdout.decode("utf-8", "replace")


def _number(job: str) -> str:
    if not re.fullmatch(r"[0-9]{1,10}(_[0-9]{1,10})?", job):
        raise ValueError(f"job {abbreviate(job)}: is not the number of a Slurm job")
    return job


def read_nodes(text: str) -> list[SlurmNode]:
    """Return the nodes in the text of ``sinfo -h -N -o "%N|%T|%R"`` or ``scontrol show node --oneliner``."""
    found: dict[str, SlurmNode] = {}
    for place, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line.startswith("NodeName="):
            words = dict(word.partition("=")[::2] for word in line.split())
            name, state = words["NodeName"], words.get("State", "")
            since, queues = _time(words.get("LastBusyTime", "")), _set(words.get("Partitions", ""))
        else:
            name, _, rest = line.strip().partition("|")
            state, bar, queue = rest.partition("|")
            since, queues = 0.0, _set(queue)
            if not bar or not name:
                raise ValueError(f"sinfo, line {place}: {abbreviate(line)}, expected NAME|STATE|PARTITION")
        if name in found:  # sinfo has a line for each partition
            queues |= found[name].queues
        found[name] = SlurmNode(name, _state(state.lower()), since, queues)
    return list(found.values())


def _state(text: str) -> str:
    """Return one of the states of `SlurmNode`."""
    base, *words = text.rstrip(_FLAGS).split("+")
    flags = text[len(text.rstrip(_FLAGS)) :]
    if "*" in flags or {"drain", "not_responding", "fail", "maintenance", "invalid_reg"} & {*words}:
        return "down"
    if base in ("allocated", "mixed", "completing", "alloc", "mix", "comp") or "completing" in words:
        return "held"
    if "#" in flags or {"powering_up", "power_up"} & {*words}:
        return "booting"
    if "~" in flags or "powered_down" in words:
        return "off"
    if {*"%!"} & {*flags} or {"powering_down", "power_down", "pending_power_down"} & {*words}:
        return "stopping"
    if base in ("reserved", "planned", "maint", "resv", "plnd") or {*"$-@^"} & {*flags}:
        return "reserved"
    if {"reserved", "planned", "reboot_requested", "reboot_issued"} & {*words}:
        return "reserved"
    return "idle" if base == "idle" else "down"


def read_queue(text: str) -> list[QueuedJob]:
    """Return the jobs that squeue lists, as JSON or as lines of its format."""
    if text.lstrip().startswith("{"):
        return _read_json(text)
    made = []
    for place, line in enumerate(text.splitlines(), 1):
        words = line.split("|", 11)
        if len(words) != 12:
            raise ValueError(f"squeue, line {place}: {len(words)} fields, expected 12 of {_FORMAT}")
        number, state, reason, size, nodes, limit, priority, ends, submitted, required = words[:10]
        queues, comment = words[10:]
        if not size.isascii() or not size.isdigit():
            raise ValueError(f"squeue, line {place}: {abbreviate(size)} nodes, expected a number")
        made.append(
            QueuedJob(
                number,
                state,
                reason.strip("()"),
                int(size),
                _names(nodes, f"squeue, line {place}") if state in _ON_NODES else (),
                "" if required == "(null)" else required,
                seconds_of(limit),
                _time(ends) or float("inf"),
                _time(submitted),
                int(priority) if priority.isdigit() else 0,
                1,
                "" if comment == "(null)" else comment,
                _set(queues),
            )
        )
    return made


class _Json(msgspec.Struct):
    jobs: list[dict[str, Any]]


def _read_json(text: str) -> list[QueuedJob]:
    try:
        rows = msgspec.json.decode(text, type=_Json).jobs
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"squeue --json: {error}") from None
    made = []
    for place, row in enumerate(rows):
        where = f"squeue --json: jobs[{place}]"
        state = row.get("job_state", "")
        state = state[0] if isinstance(state, list) and state else state
        if not isinstance(state, str) or "job_id" not in row:
            raise ValueError(f"{where}: expected job_id and job_state")
        size = int(_amount(row, "node_count", where) or 1)
        nodes = _names(str(row.get("nodes", "")), where) if state in _ON_NODES else ()
        minutes = _amount(row, "time_limit", where)
        tasks = int(_amount(row, "tasks", where))
        array = int(_amount(row, "array_job_id", where)), row.get("array_task_id")
        number = str(row["job_id"])
        if array[0] and isinstance(array[1], int):
            number = f"{array[0]}_{array[1]}"
        made.append(
            QueuedJob(
                number,
                state,
                str(row.get("state_reason", "")),
                max(size, len(nodes)),
                nodes,
                str(row.get("required_nodes", "") or ""),
                60 * minutes if minutes else float("inf"),
                _amount(row, "end_time", where) or float("inf"),
                _amount(row, "submit_time", where),
                int(_amount(row, "priority", where)),
                max(1, tasks // max(size, 1)),
                str(row.get("comment", "") or ""),
                _set(str(row.get("partition", "") or "")),
            )
        )
    return made


def _amount(row: dict[str, Any], key: str, where: str) -> float:
    """Return a number, which newer versions wrap in a table; 0 if it is not there or unlimited."""
    value = row.get(key)
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    if value is None or value == "":
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where}.{key}: {abbreviate(value)} is not a number")
    return float(value)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) - {""}


def _names(text: str, where: str) -> tuple[str, ...]:
    if not text or text in ("(null)", "None", "None assigned"):
        return ()
    if count_hosts(text, where) > _MOST_NAMES:
        raise ValueError(f"{where}: {abbreviate(text)} names more than {_MOST_NAMES:,} nodes")
    return tuple(expand(text, where))


def _time(text: str) -> float:
    """Return a time as Slurm prints it, in seconds; 0 if there is none."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(text).timestamp()
    return 0.0


def seconds_of(text: str) -> float:
    """Return a time limit such as ``1-02:00:00``, ``02:00:00`` or ``5:00``, in seconds."""
    days, dash, rest = text.rpartition("-")
    parts = rest.split(":")
    if not all(part.isascii() and part.isdigit() for part in (*parts, days or "0")) or len(parts) > 3:
        return float("inf")
    if dash and len(parts) < 3:
        parts += ["0"] * (3 - len(parts))
    seconds = 0
    for part in parts if len(parts) > 1 else [*parts, "0"]:
        seconds = 60 * seconds + int(part)
    return float(86400 * int(days or 0) + seconds)


def read_ended(path: Path) -> list[Ended]:
    """Return the jobs in a file of jobcomp/filetxt, or of sacct -P with JobID, NodeList, Start and End."""
    return list(_ended(path.read_text(encoding="utf-8", errors="replace").splitlines(), str(path)))


def _ended(lines: list[str], where: str) -> Iterator[Ended]:
    columns: list[str] = []
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line.startswith("JobId="):
            row = dict(re.findall(r"(\w+)=(\S*)", line))
            number, start, end = row["JobId"], row.get("StartTime", ""), row.get("EndTime", "")
        elif not columns:
            columns = line.split("|")
            if missing := {"JobID", "NodeList", "Start", "End"} - {*columns}:
                raise ValueError(f"{where}:{place}: no column {min(missing)}, expected that of sacct -P")
            continue
        else:
            row = dict(zip(columns, line.split("|"), strict=False))
            number, start, end = row.get("JobID", ""), row.get("Start", ""), row.get("End", "")
        if "." in number:  # a step
            continue
        times = _time(start), _time(end)
        nodes = _names(row.get("NodeList", ""), f"{where}:{place}")
        if nodes and 0 < times[0] <= times[1]:
            yield Ended(number, nodes, *times)
