"""What netplace does on a cluster: watch it, choose nodes for its waiting jobs, switch its nodes."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from netplace.files import write_atomically
from netplace.inputs import abbreviate
from netplace.live.hook import UNTIL
from netplace.live.power import PowerState, decide
from netplace.live.searches import free_nodes
from netplace.live.sharing import Shared, shared_links
from netplace.live.slurm import Controller, Ended, QueuedJob, SlurmNode
from netplace.live.state import host_names
from netplace.scheduling import Job, make_partitioner
from netplace.scheduling.power import PowerModel
from netplace.topologies import Topology, parse
from netplace.topologies.host_lists import expand, host_list

__all__ = ["Follower", "hurt_by", "machine_under"]


def machine_under(controller: Controller, folder: Path) -> tuple[Topology, list[str]]:
    """Return the network that Slurm knows, whose file it writes, and sentences on mismatches."""
    text = controller.topology()
    if not text:
        raise ValueError("scontrol show topology: names no switch, expected --machine for a flat machine")
    path = folder / "topology.conf"
    write_atomically(path, text)
    machine = parse(f"slurm:{path}")
    known, seen = set(machine.hosts), {node.name for node in controller.nodes()}
    if not known & seen:
        raise ValueError("scontrol show topology: names none of the nodes")
    sides = (
        (seen - known, "scontrol show topology lacks {} nodes, which get no jobs"),
        (known - seen, "scontrol show node lacks {} nodes of the topology, which count as down"),
    )
    return machine, [f"{told.format(len(one))}: {host_list(sorted(one)[:8])}" for one, told in sides if one]


def hurt_by(topology: Topology, jobs: Iterable[QueuedJob | Ended]) -> list[Shared]:
    """Return which jobs share links, of those that run, or of ended ones that ran at the same time."""
    number = {name: node for node, name in enumerate(host_names(topology))}
    known = [
        (job, [number[name] for name in job.nodes if name in number])
        for job in jobs
        if isinstance(job, Ended) or job.state == "RUNNING"
    ]
    nodes = {job.number: where for job, where in known}
    named = [name for job, _ in known for name in job.nodes]
    if named and not any(nodes.values()):
        raise ValueError(f"{topology}: has no node {abbreviate(named[0])}, on which Slurm has a job")
    times = {job.number: (job.start, job.end) for job, _ in known if isinstance(job, Ended)}

    def met(one: Shared) -> bool:
        (start, end), (other_start, other_end) = times[one.job], times[one.other]
        return min(end, other_end) > max(start, other_start)

    return [one for one in shared_links(topology, nodes) if not times or met(one)]


class Follower:
    """Lets waiting jobs prefer nodes, and switches nodes, in passes that each begin with the state of Slurm.

    A preference is a request: if the nodes are not free when Slurm can start the job, Slurm takes others. No
    hold is set or ended, except by `place_one`. Without `act`, a pass only reports its actions.

    Parameters
    ----------
    folder : Path
        Folder of the audit log, ``audit.jsonl``, and of the file that Slurm's hook reads.
    partition : str
        Allocator.
    act : bool
        Whether to change anything.
    tell : callable
        Function that is called with a sentence on each step.
    """

    def __init__(
        self,
        controller: Controller,
        topology: Topology,
        folder: Path,
        partition: str = "slurm",
        act: bool = False,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.controller, self.topology, self.folder = controller, topology, folder
        self.partition, self.act, self._tell = partition, act, tell
        self._hosts = host_names(topology)
        self._number = {name: node for node, name in enumerate(self._hosts)}
        make_partitioner(partition, topology)  # refuses an unknown rule at once
        self._told: dict[str, str] = {}  # job -> what was last told of it
        self._tries: Counter[tuple[str, str]] = Counter()  # by job and action

    # Placement.

    def place_one(self, number: str) -> None:
        """Let one waiting job prefer nodes, and end the hold of its own user if it has one."""
        jobs = self.controller.jobs()
        job = next((one for one in jobs if one.number == number), None)
        if job is None:
            raise ValueError(f"--job {number}: is not in the queue of Slurm")
        held = job.reason == "JobHeldUser"
        if job.state != "PENDING" or (job.priority == 0 and not held):
            raise ValueError(
                f"--job {number}: is {job.state}, {job.reason}; expected a job that waits, or that its user "
                "holds (sbatch -H)"
            )
        nodes = self.controller.nodes()
        chosen, reason = self._choose(job, nodes, self._free_from(nodes, jobs))
        if not chosen:
            raise ValueError(f"--job {number}: {reason}")
        self._say(job, f"prefers {host_list(chosen)}")
        if self.act:
            self._log("prefers", job=job.number, nodes=chosen)
            self.controller.prefer(job, chosen)
            if held:
                self._log("released", job=job.number)
                self.controller.release(job)

    def place_all(self, lasts: float = 60.0) -> int:
        """Let the jobs that Slurm's hook has caught prefer nodes; return how many preferences are new.

        Jobs that still wait for the hook's begin time then begin at once. Jobs that wait in the queue get
        new preferences when theirs are out of date. The hook (`netplace.live.hook`) can rely on the next
        pass for `lasts` seconds.
        """
        jobs, nodes, placed = self.controller.jobs(), self.controller.nodes(), 0
        ours = [job for job in jobs if job.mark and (job.delayed or job.waits)]
        known = {job.number for job in jobs}
        self._told = {number: told for number, told in self._told.items() if number in known}
        self._tries = Counter({key: count for key, count in self._tries.items() if key[0] in known})
        free_from = self._free_from(nodes, jobs)
        for job in _by_priority(ours):
            chosen, reason = self._choose(job, nodes, free_from)
            for name in chosen:
                del free_from[name]
            fresh = bool(chosen) and job.preferred != {*chosen}
            if fresh or reason:
                self._say(job, f"prefers {host_list(chosen)}" if chosen else f"left to Slurm, {reason}")
            if self.act and (fresh or job.delayed):
                placed += self._prefer(job, chosen if fresh else [])
        self.promise(lasts, sum(begin == 0 for begin in free_from.values()))
        return placed

    def promise(self, seconds: float, free: int = 0) -> None:
        """Let the hook of Slurm count on this process for some seconds, and on free nodes."""
        if self.act:
            write_atomically(self.folder / UNTIL, f"{time.time() + seconds:.0f} {free}\n")

    def _free_from(self, nodes: Iterable[SlurmNode], jobs: Iterable[QueuedJob]) -> dict[str, float]:
        """Return the nodes that jobs can get, and from when: 0 now, 1 after a boot, and ends of jobs."""
        ends = _ends(jobs)
        begins = {"idle": 0.0, "planned": 0.0, "off": 1.0, "held": time.time()}
        known = [node for node in nodes if node.name in self._number and node.state in begins]
        return {node.name: ends.get(node.name, begins[node.state]) for node in known}

    def _choose(
        self, job: QueuedJob, nodes: Iterable[SlurmNode], free_from: Mapping[str, float]
    ) -> tuple[list[str], str]:
        """Return nodes for a job, of those that are free first; or none, and why if that stays so."""
        if job.unknown:
            return [], job.unknown
        known = [node for node in nodes if node.name in self._number]
        own = [node for node in known if not job.queues or not node.queues or job.queues & node.queues]
        if any(job.cpus < job.size * node.cpus for node in own):
            return [], "it does not need whole nodes"
        if lacking := [node.name for node in own if node.name not in node.features]:
            return [], f"{host_list(lacking[:8])}: lack a feature of their own name"
        begins = {node.name: free_from[node.name] for node in own if node.name in free_from}
        if job.size > len(begins):
            return [], ""
        last = sorted(begins.values())[job.size - 1]
        names = [name for name, begin in begins.items() if begin <= last]
        if job.preferred and job.preferred <= {*names}:
            return sorted(job.preferred), ""
        free = np.zeros(self.topology.nodes, bool)
        free[[self._number[name] for name in names]] = True
        asked = Job(0, 0.0, job.size, job.limit, job.limit)
        found = free_nodes(self.topology, self.partition, free, 0, asked)
        return [] if found is None else [self._hosts[node] for node in np.sort(found)], ""

    def _prefer(self, job: QueuedJob, nodes: list[str]) -> bool:
        """Let a job prefer nodes, and begin; return whether Slurm takes the preference.

        No action is taken more than twice: Slurm itself begins the job in time.
        """
        if self._tries[job.number, "fails"]:  # of which the preference may be the cause
            nodes = []
        self._tries[action := (job.number, host_list(nodes))] += 1
        if self._tries[action] > 2 or not (nodes or job.delayed):
            return False
        # Before it is done: the log lacks nothing after a kill.
        self._log("prefers" if nodes else "left", job=job.number, nodes=nodes, begins=job.delayed)
        try:
            self.controller.prefer(job, nodes, begin=job.delayed)
        except ValueError as error:
            self._tries[job.number, "fails"] += 1
            self._log("refused", job=job.number, error=str(error))
            self._tell(f"job {job.number}: {error}")
            return False
        return bool(nodes)

    def _say(self, job: QueuedJob, text: str) -> None:
        """Tell what becomes of a job, once."""
        if self._told.get(job.number) != text:
            self._told[job.number] = text
            self._tell(f"job {job.number}: {text}{'' if self.act else ' (no changes; use --act)'}")

    # Power.

    def switch(self, rule: str, model: PowerModel, keep: Collection[str] = ()) -> None:
        """Switch nodes as a rule says: never one to keep, or that a job has or needs, or that is reserved."""
        decision = decide(rule, model, self._power_state())
        boot = decision.boot
        stop = [name for name in decision.stop if name not in keep]
        stop.sort(key=lambda name: (len(name), name))  # n2 before n10
        self._tell(
            f"{decision.reason}; boot {host_list(boot) or 'none'}, stop {host_list(stop) or 'none'}"
            + ("" if self.act else " (no changes; use --act)")
        )
        if not self.act or not (boot or stop):
            return
        # Meanwhile, Slurm may have given some to jobs. It boots again what boots already and is told to.
        states = {node.name: node.state for node in self.controller.nodes()}
        for names, state, on in ((boot, "off", True), (stop, "idle", False)):
            if still := [name for name in names if states.get(name) == state]:
                self._log("boot" if on else "stop", nodes=still, reason=decision.reason)
                self.controller.power(still, on)

    def _power_state(self) -> PowerState:
        """Return what a rule sees: neither nodes that a waiting job must have, nor reserved ones."""
        nodes, jobs, now = self.controller.nodes(), self.controller.jobs(), time.time()
        needed = [job for job in jobs if job.state == "PENDING" and job.required]
        promised = {name for job in needed for name in expand(job.required, f"job {job.number}")}
        ends = _ends(jobs)
        left = Counter(max(0.0, ends.get(node.name, now) - now) for node in nodes if node.state == "held")
        return PowerState(
            now,
            {one.name: one.since for one in nodes if one.state == "idle" and one.name not in promised},
            tuple(node.name for node in nodes if node.state == "off"),
            tuple((count, seconds) for seconds, count in left.items()),
            tuple((job.size, job.limit) for job in _by_priority(jobs) if job.waits or job.delayed),
            sum(node.state == "booting" for node in nodes),
        )

    def _log(self, what: str, **values: object) -> None:
        """Add a line to the audit log."""
        line = json.dumps({"time": time.time(), "what": what, **values})
        with open(self.folder / "audit.jsonl", "a", opener=partial(os.open, mode=0o600)) as file:
            file.write(f"{line}\n")


def _by_priority(jobs: Iterable[QueuedJob]) -> list[QueuedJob]:
    return sorted(jobs, key=lambda job: (-job.priority, job.submitted, job.number))


def _ends(jobs: Iterable[QueuedJob]) -> dict[str, float]:
    """Return the latest end of the jobs on each node; infinite without a time limit."""
    ends: dict[str, float] = {}
    for job in jobs:
        for name in job.nodes:
            # Slurm shows the end of a job without a time limit, too: a year after its start.
            ends[name] = max(ends.get(name, 0.0), job.ends if job.limit < float("inf") else job.limit)
    return ends
