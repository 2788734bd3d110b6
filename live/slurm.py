"""A cluster under Slurm: its nodes and jobs as its commands print them, and the changes that they make.

Sources: the manual pages scontrol(1), squeue(1) and sacct(1) of Slurm 22.05, and the fields of
jobs in its JSON up to 25.11. Slurm stays master: every change is a request to its controller.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from netplace.inputs import abbreviate
from netplace.topologies.host_lists import count_hosts, expand, host_list

_MOST_NAMES = 1_000_000
_ENVIRONMENT = ("HOME", "PATH", "SLURM_CONF", "TZ")
_COMMANDS = ("scontrol", "squeue")
_ON_NODES = ("RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STAGE_OUT", "STOPPED")
# Fields of a job that can have any value. A job with a value in another field is left to Slurm.
_FIELDS = """account accrue_time admin_comment allocating_node association_id batch_flag batch_host
    billable_tres cluster command comment cpus cpus_per_task current_working_directory derived_exit_code
    eligible_time end_time exit_code failed_node flags group_id group_name hold job_id job_resources
    job_size_str job_state last_sched_evaluation mail_type mail_user max_cpus max_nodes
    maximum_switch_wait_time mcs_label memory_per_cpu memory_per_node minimum_cpus_per_node name nice
    node_count nodes partition prefer pre_sus_time priority priority_by_partition profile qos requeue
    restart_cnt scheduled_nodes shared show_flags standard_error standard_input standard_output start_time
    state_description state_reason stderr_expanded stdin_expanded stdout_expanded step_id submit_line
    submit_time suspend_time system_comment tasks tasks_per_node time_limit tres_alloc_str tres_req_str
    user_id user_name wckey"""
_UNDERSTOOD = frozenset(_FIELDS.split())
_STATES = {  # words in the state of a node, the first that is found counts
    "down": "drain not_responding fail maintenance invalid_reg",
    "held": "allocated mixed completing",
    "booting": "powering_up power_up",
    "off": "powered_down",
    "stopping": "powering_down power_down pending_power_down",
    "reserved": "reserved planned maint reboot_requested reboot_issued",
    "idle": "idle",
}


@dataclass(frozen=True)
class SlurmNode:
    """A node in the output of scontrol."""

    name: str
    # ``"idle"``, ``"held"``, ``"off"``, ``"booting"``, ``"stopping"``, ``"reserved"`` or ``"down"``, which
    # includes all others.
    state: str
    since: float = 0.0  # when it was last busy, in seconds; 0 if unknown
    queues: frozenset[str] = frozenset()  # Slurm's partitions to which it belongs; empty if unknown
    cpus: int = 1
    memory: int = 0  # MB
    features: frozenset[str] = frozenset()


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
    # Latest end, submission, and time from which it may start (0: it depends on other jobs).
    ends: float = float("inf")
    submitted: float = 0.0
    eligible: float = 0.0
    priority: int = 0  # the greatest first; 0: held
    queues: frozenset[str] = frozenset()  # Slurm's partitions in which it can run; empty if unknown
    cpus: int = 0  # on all nodes; no other jobs run there if there are as many as the nodes have
    preferred: frozenset[str] = frozenset()  # features of the nodes that it prefers
    mark: str = ""  # nodes that netplace's hook let it prefer, as in n0|n1; empty: it did not
    unknown: str = ""  # a property that netplace does not understand, if there is one

    @property
    def waits(self) -> bool:
        """Whether it waits for nodes alone: no one holds it, and it may begin."""
        return self.state == "PENDING" and self.priority > 0 and 0 < self.eligible <= time.time()

    @property
    def is_marked(self) -> bool:
        """Whether netplace's hook let it prefer nodes, and it still does."""
        return bool(self.mark) and self.preferred == frozenset(self.mark.split("|"))


@dataclass(frozen=True)
class Ended:
    """A job that has ended: its nodes, and its times in seconds."""

    number: str
    nodes: tuple[str, ...]
    start: float
    end: float


class Controller:
    """The commands of Slurm, each with a time limit in seconds and without a shell."""

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
        lines = self._run("scontrol", "show", "topology").splitlines()
        # Slurm also lists the nodes below a switch of switches.
        switches = [
            re.sub(r"Nodes=\S*(?=.* Switches=\S)", "", line) for line in lines if "SwitchName=" in line
        ]
        return "".join(f"{line}\n" for line in switches)

    def nodes(self) -> list[SlurmNode]:
        """Return all nodes."""
        return read_nodes(self._run("scontrol", "show", "node", "--oneliner"))

    def jobs(self) -> list[QueuedJob]:
        """Return all jobs in the queue."""
        # squeue also lists jobs that have ended within the last minutes.
        jobs = read_queue(self._run("squeue", "--json"))
        return [job for job in jobs if job.state == "PENDING" or job.state in _ON_NODES]

    def update(self, job: str, **fields: str) -> None:
        """Change fields of a job, as ``scontrol update`` calls them."""
        self._run("scontrol", "update", f"JobId={job}", *(f"{key}={text}" for key, text in fields.items()))

    def release(self, job: str) -> None:
        """End the hold of a job."""
        self._run("scontrol", "release", job)

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
            message = f"{shown}: no answer in {self.timeout:g} s, expected one from the controller"
            raise ValueError(message) from None
        except OSError as error:
            raise ValueError(f"{shown}: cannot be started, {error.strerror}") from None
        if made.returncode:
            stderr = " ".join(made.stderr.decode("utf-8", "replace").split())
            raise ValueError(f"{shown}: exit code {made.returncode}: {abbreviate(stderr, 200)}")
        return made.stdout.decode("utf-8", "replace")


def read_nodes(text: str) -> list[SlurmNode]:
    """Return the nodes that ``scontrol show node --oneliner`` lists."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        words = dict(word.partition("=")[::2] for word in line.split())
        if not words.get("NodeName") or "State" not in words:
            raise ValueError(f"scontrol show node: {abbreviate(line)}, expected NodeName=.. State=..")
        flags = {*words["State"].lower().split("+")}
        state = next((state for state, signs in _STATES.items() if flags & {*signs.split()}), "down")
        queues, features = _set(words.get("Partitions", "")), _set(words.get("ActiveFeatures", ""))
        since, cpus = _time(words.get("LastBusyTime", "")), int(words.get("CPUTot", "1"))
        memory = int(words.get("RealMemory", "0"))
        found.append(SlurmNode(words["NodeName"], state, since, queues, cpus, memory, features))
    return found


class _Queue(msgspec.Struct):
    jobs: list[dict[str, Any]]


def read_queue(text: str) -> list[QueuedJob]:
    """Return the jobs that ``squeue --json`` lists."""
    try:
        rows = msgspec.json.decode(text, type=_Queue).jobs
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"squeue --json: {error}") from None
    made = []
    for place, row in enumerate(rows):
        where = f"squeue --json: jobs[{place}]"
        state = _first(row.get("job_state", ""))
        if not isinstance(state, str) or "job_id" not in row:
            raise ValueError(f"{where}: expected job_id and job_state")
        nodes = _names(str(row.get("nodes", "")), where) if state in _ON_NODES else ()
        limit = 60 * _amount(row, "time_limit", where)
        array, task = int(_amount(row, "array_job_id", where)), row.get("array_task_id")
        task = task.get("number") if isinstance(task, dict) and task.get("set") else task
        mark = re.fullmatch(r"netplace (\S+)", str(row.get("admin_comment", "")))
        whole = _first(row.get("shared")) == "none"
        made.append(
            QueuedJob(
                f"{array}_{task}" if array and isinstance(task, int) else str(row["job_id"]),
                state,
                str(row.get("state_reason", "")),
                max(int(_amount(row, "node_count", where) or 1), len(nodes)),
                nodes,
                str(row.get("required_nodes", "") or ""),
                limit or float("inf"),
                _amount(row, "end_time", where) or float("inf"),
                _amount(row, "submit_time", where),
                _amount(row, "eligible_time", where),
                int(_amount(row, "priority", where)),
                _set(str(row.get("partition", "") or "")),
                sys.maxsize if whole else int(_amount(row, "cpus", where)),
                frozenset(str(row.get("prefer", "") or "").split("|")) - {""},
                mark[1] if mark else "",
                _unknown(row, where),
            )
        )
    return made


def _unknown(row: dict[str, Any], where: str) -> str:
    """Return a property of a job beyond those that are understood; empty if there is none."""
    for key in sorted(row.keys() - _UNDERSTOOD):
        value = row[key]
        if isinstance(value, dict) and "set" in value:
            value = value.get("number") if value["set"] else None
        # While Slurm tries the nodes that a job prefers, it shows them as those that it needs.
        if value and not (key == "features" and value == row.get("prefer")):
            return f"{key} = {abbreviate(value)}"
    fixed = 0 < _amount(row, "node_count", where) == _amount(row, "max_nodes", where)
    # Slurm shows no range of nodes for a job that has some.
    return "" if fixed or _first(row["job_state"]) != "PENDING" else "no fixed number of nodes"


def _first(value: object) -> object:
    """Return a value, of which newer versions make a list."""
    return value[0] if isinstance(value, list) and value else value


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


def read_ended(path: Path) -> list[Ended]:
    """Return the jobs in a file of jobcomp/filetxt, or of sacct -P with JobID, NodeList, Start and End."""
    return list(_ended(path.read_text(encoding="utf-8", errors="replace").splitlines(), str(path)))


def _ended(lines: list[str], where: str) -> Iterator[Ended]:
    rows: Iterable[dict[str, str]]
    if not lines or lines[0].startswith("JobId="):  # jobcomp writes none before the first job has ended
        columns = ("JobId", "StartTime", "EndTime")
        rows = (dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines)
    else:
        columns = ("JobID", "Start", "End")
        table = csv.DictReader(lines, delimiter="|", quoting=csv.QUOTE_NONE, restval="")
        if missing := {*columns, "NodeList"} - {*(table.fieldnames or ())}:
            raise ValueError(f"{where}: no column {min(missing)}, expected that of sacct -P")
        rows = table
    for place, row in enumerate(rows, 1):
        number, start, end = (row.get(column, "") for column in columns)
        nodes = _names(row.get("NodeList", ""), f"{where}: job {place}")
        times = _time(start), _time(end)
        if nodes and 0 < times[0] <= times[1] and "." not in number:  # no step
            yield Ended(number, nodes, *times)
