"""What netplace does on a cluster: watch it, choose nodes for its new jobs, switch its nodes."""

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

_LONGEST_PREFERENCE = 1024  # in Slurm's job_mgr.c

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
    return machine, [
        f"{message.format(len(one))}: {host_list(sorted(one)[:8])}" for one, message in sides if one
    ]


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
    """Lets new jobs prefer nodes, and switches nodes, in passes that each begin with the state of Slurm.

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
        chosen, reason = self._choose(job, nodes, _free(nodes))
        if not chosen:
            raise ValueError(f"--job {number}: {reason}")
        self._say(job, f"prefers {host_list(chosen)}")
        if self.act:
            self._log("prefers", job=number, nodes=chosen)
            self.controller.update(number, Prefer="|".join(chosen))
            if held:
                self._log("released", job=number)
                self.controller.release(number)

    def place_all(self, lasts: float = 60.0) -> int:
        """Begin the jobs that Slurm's hook has put off, on nodes that they prefer; return how many have some.

        A job that has begun to wait all the same, because other jobs took its nodes, prefers none from then
        on: before 25.11.1, Slurm tries other nodes for it in the cycles of backfill alone. The hook
        (`netplace.live.hook`) can rely on the next pass for `lasts` seconds.
        """
        jobs, nodes, placed = self.controller.jobs(), self.controller.nodes(), 0
        known = {job.number for job in jobs}
        self._told = {number: message for number, message in self._told.items() if number in known}
        self._tries = Counter({key: count for key, count in self._tries.items() if key[0] in known})
        free = _free(nodes)
        for job in sorted(jobs, key=_order):
            if job.mark and job.waits and job.preferred and not job.preferred <= free.keys():
                self._update(job, "left", Prefer="")
            if not job.delayed:
                continue
            chosen, reason = self._choose(job, nodes, free)
            self._say(job, f"prefers {host_list(chosen)}" if chosen else f"left to Slurm, {reason}")
            for name in chosen:
                del free[name]
            if chosen and not self._tries[job.number, "fails"]:
                placed += self._update(job, "prefers", Prefer="|".join(chosen), StartTime="now")
            else:
                self._update(job, "left", StartTime="now")
        queue = any(job.waits and job.reason in ("None", "Resources", "Priority") for job in jobs)
        self.promise(lasts, 0 if queue else len(free))  # new jobs join a queue without delay
        return placed

    def promise(self, seconds: float, free: int = 0) -> None:
        """Let the hook of Slurm count on this process for some seconds, and on free nodes."""
        if self.act:
            write_atomically(self.folder / UNTIL, f"{time.time() + seconds:.0f} {free}\n")

    def _choose(
        self, job: QueuedJob, nodes: Iterable[SlurmNode], free: Mapping[str, bool]
    ) -> tuple[list[str], str]:
        """Return free nodes for a job, switched on if possible; or none, and why."""
        known = [node for node in nodes if node.name in self._number]
        own = [node for node in known if not job.queues or not node.queues or job.queues & node.queues]
        if job.unknown or any(job.cpus < job.size * node.cpus for node in own):
            return [], job.unknown or "it does not need whole nodes"
        if lacking := [node.name for node in own if node.name not in node.features]:
            return [], f"{host_list(lacking[:8])}: lack a feature of their own name"
        usable = [node.name for node in own if node.name in free]
        on = [name for name in usable if free[name]]
        mask = np.zeros(self.topology.nodes, bool)
        mask[[self._number[name] for name in (on if len(on) >= job.size else usable)]] = True
        found = None
        if job.size <= mask.sum():
            request = Job(0, 0.0, job.size, job.limit, job.limit)
            found = free_nodes(self.topology, self.partition, mask, 0, request)
        if found is None:
            return [], f"the rule has no {job.size} nodes for it now"
        names = [self._hosts[node] for node in np.sort(found)]
        if len("|".join(names)) > _LONGEST_PREFERENCE:
            return [], f"the names of its nodes have more than {_LONGEST_PREFERENCE} letters together"
        return names, ""

    def _update(self, job: QueuedJob, label: str, **fields: str) -> bool:
        """Change fields of a job, the same ones twice at most; return whether Slurm does so."""
        self._tries[action := (job.number, str(fields))] += 1
        if not self.act or self._tries[action] > 2:
            return False
        self._log(label, job=job.number, **fields)  # before it is done: the log lacks nothing after a kill
        try:
            self.controller.update(job.number, **fields)
        except ValueError as error:
            self._tries[job.number, "fails"] += 1
            self._log("refused", job=job.number, error=str(error))
            self._tell(f"job {job.number}: {error}")
            return False
        return True

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
        ends: dict[str, float] = {}
        for job in jobs:
            for name in job.nodes:
                # Slurm shows the end of a job without a time limit, too: a year after its start.
                ends[name] = max(ends.get(name, 0.0), job.ends if job.limit < float("inf") else job.limit)
        left = Counter(max(0.0, ends.get(node.name, now) - now) for node in nodes if node.state == "held")
        return PowerState(
            now,
            {one.name: one.since for one in nodes if one.state == "idle" and one.name not in promised},
            tuple(node.name for node in nodes if node.state == "off"),
            tuple((count, seconds) for seconds, count in left.items()),
            tuple((job.size, job.limit) for job in sorted(jobs, key=_order) if job.waits or job.delayed),
            sum(node.state == "booting" for node in nodes),
        )

    def _log(self, label: str, **values: object) -> None:
        """Add a line to the audit log."""
        line = json.dumps({"time": time.time(), "what": label, **values})
        with open(self.folder / "audit.jsonl", "a", opener=partial(os.open, mode=0o600)) as file:
            file.write(f"{line}\n")


def _order(job: QueuedJob) -> tuple[float, float, str]:
    """Return what orders jobs by priority."""
    return -job.priority, job.submitted, job.number


def _free(nodes: Iterable[SlurmNode]) -> dict[str, bool]:
    """Return the nodes without a job, now or in the plan of backfill, and whether they are on."""
    return {node.name: node.state == "idle" for node in nodes if node.state in ("idle", "off")}
