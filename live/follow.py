"""What netplace does on a cluster: watch it, choose nodes for its new jobs, switch its nodes."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from netplace.files import write_atomically
from netplace.inputs import abbreviate
from netplace.live.hook import OFFERS
from netplace.live.power import PowerState, decide
from netplace.live.searches import occupy
from netplace.live.sharing import Shared, shared_links
from netplace.live.slurm import Controller, Ended, QueuedJob, SlurmNode
from netplace.live.state import host_names
from netplace.scheduling import Job, make_partitioner
from netplace.scheduling.power import PowerModel
from netplace.topologies import Topology, parse
from netplace.topologies.host_lists import expand, host_list

_LONGEST_PREFERENCE = 1024  # in Slurm's job_mgr.c


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
    hold is set or ended, except by `place_one`. Without `act`, a pass only reports its actions. The folder
    has the audit log, ``audit.jsonl``, and the file that Slurm's hook reads.
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
        self._empty = make_partitioner(partition, topology)  # refuses an unknown rule at once
        self._seen: set[str] | None = None  # jobs of the pass before
        self._offers: dict[tuple[str, int], list[SlurmNode]] = {}  # by partition and number of nodes
        self._tries: Counter[str] = Counter()  # by job

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
        self._offers = dict(self._choose(nodes, _free(nodes)))
        names, reason = self._offer(job)
        if reason:
            raise ValueError(f"--job {number}: {reason}")
        self._tell(f"job {number}: prefers {host_list(names)}{self._dry}")
        if self.act:
            self._log("prefers", job=number, nodes=names)
            self.controller.update(number, Prefer="|".join(names))
            if held:
                self._log("released", job=number)
                self.controller.release(number)

    def place_all(self, lasts: float = 60.0) -> None:
        """Choose nodes for the next job of each size, which Slurm's hook lets the job prefer.

        The hook (`netplace.live.hook`) relies on the choice for `lasts` seconds, or until another job comes
        whose nodes are unknown or the same. So there is no choice while jobs wait for nodes. A job that Slurm
        cannot start on the nodes that it prefers prefers none from then on: before 25.11.1, Slurm tries other
        nodes for it in the cycles of backfill alone.
        """
        looked = time.time()
        nodes, jobs = self.controller.nodes(), self.controller.jobs()  # a job may start between the two
        busy = {name for job in jobs for name in job.nodes}
        free = {name: on for name, on in _free(nodes).items() if name not in busy}
        self._report(jobs)
        queue = False
        for job in sorted(jobs, key=_order):
            starts = job.reason != "Resources" and not job.unknown and job.preferred <= free.keys()
            if job.waits and job.is_marked and starts:
                free = {name: on for name, on in free.items() if name not in job.preferred}
            elif job.waits:
                queue = queue or job.reason in ("None", "Resources", "Priority")
                if job.is_marked:
                    self._take_back(job)
        self._offers = {} if queue else dict(self._choose(nodes, free))
        if self.act:
            lines = [f"{int(looked)} {int(looked + lasts)}"]  # whole seconds, as Lua counts them
            for (partition, size), chosen in self._offers.items():
                cpus, memory = sum(node.cpus for node in chosen), min(node.memory for node in chosen)
                names = "|".join(node.name for node in chosen)
                lines.append(f"{partition} {size} {cpus} {memory} {names}")
            write_atomically(self.folder / OFFERS, "\n".join(lines) + "\n")

    def stop(self) -> None:
        """Let the hook of Slurm count on this process no longer."""
        if self.act:
            (self.folder / OFFERS).unlink(missing_ok=True)

    def _choose(
        self, nodes: Iterable[SlurmNode], free: dict[str, bool]
    ) -> Iterator[tuple[tuple[str, int], list[SlurmNode]]]:
        """Yield free nodes for a job of each size in each of Slurm's partitions; the last ones count."""
        named = {
            node.name: node for node in nodes if node.name in node.features and node.name in self._number
        }
        if not named:
            raise ValueError("scontrol show node: no node has a feature of its own name, such as Features=n0")
        for queue in sorted({queue for node in named.values() for queue in node.queues}):
            usable = [name for name in free if name in named and queue in named[name].queues]
            on = [name for name in usable if free[name]]
            for names in (usable, on) if len(on) < len(usable) else (on,):
                mask = np.zeros(self.topology.nodes, bool)
                mask[[self._number[name] for name in names]] = True
                partitioner = self._empty.copy()
                occupy(partitioner, self.topology, mask)
                for size in range(1, min(len(names), _LONGEST_PREFERENCE // 2) + 1):
                    found = partitioner.find(Job(0, 0.0, size, 1.0, 1.0))
                    chosen = [] if found is None else [self._hosts[node] for node in np.sort(found.nodes)]
                    if chosen and len("|".join(chosen)) <= _LONGEST_PREFERENCE:
                        yield (queue, size), [named[name] for name in chosen]

    def _offer(self, job: QueuedJob) -> tuple[list[str], str]:
        """Return the names of nodes for a job, or why it is left to Slurm."""
        found = [self._offers.get((queue, job.size), []) for queue in sorted(job.queues)]
        nodes = next(filter(None, found), [])
        if job.unknown:
            return [], job.unknown
        if not nodes:
            return [], f"no {job.size} nodes are free for it"
        if job.cpus < sum(node.cpus for node in nodes):
            return [], "it does not need whole nodes"
        return [node.name for node in nodes], ""

    def _report(self, jobs: Iterable[QueuedJob]) -> None:
        """Tell which nodes the jobs that have come since the last pass prefer, or would."""
        before, self._seen = self._seen, {job.number for job in jobs}
        taken: set[str] = set()
        for job in sorted(jobs, key=lambda job: job.submitted):
            if before is None or job.number in before:
                continue
            names, reason = (job.mark.split("|"), "") if job.mark else self._offer(job)
            if names and not job.mark and (self.act or taken & {*names}):
                names, reason = [], "another job came at the same time"
            if job.mark:
                self._log("prefers", job=job.number, nodes=names)
            taken |= {*names}
            text = f"prefers {host_list(names)}" if names else f"left to Slurm, {reason}"
            self._tell(f"job {job.number}: {text}{self._dry}")

    def _take_back(self, job: QueuedJob) -> None:
        """Let a job prefer no nodes; tried twice at most."""
        self._tries[job.number] += 1
        if not self.act or self._tries[job.number] > 2:
            return
        self._log("left", job=job.number)  # before it is done: the log lacks nothing after a kill
        self._tell(f"job {job.number}: prefers no nodes any more, as it cannot start on them")
        try:
            self.controller.update(job.number, Prefer="")
        except ValueError as error:
            self._log("refused", job=job.number, error=str(error))
            self._tell(f"job {job.number}: {error}")

    @property
    def _dry(self) -> str:
        return "" if self.act else " (no changes; use --act)"

    # Power.

    def switch(self, rule: str, model: PowerModel, keep: Collection[str] = ()) -> None:
        """Switch nodes as a rule says: never one to keep, or that a job has or needs, or that is reserved."""
        decision = decide(rule, model, self._power_state())
        boot = decision.boot
        stop = [name for name in decision.stop if name not in keep]
        stop.sort(key=lambda name: (len(name), name))  # n2 before n10
        self._tell(
            f"{decision.reason}; boot {host_list(boot) or 'none'}, stop {host_list(stop) or 'none'}"
            + self._dry
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
            tuple((job.size, job.limit) for job in sorted(jobs, key=_order) if job.waits),
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
