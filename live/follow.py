"""What netplace does on a cluster: watch it, place its held jobs, switch its nodes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from netplace.files import write_atomically
from netplace.inputs import abbreviate
from netplace.live.cluster import Cluster
from netplace.live.hook import UNTIL
from netplace.live.messages import Mark, Place
from netplace.live.power import Decision, PowerState, decide
from netplace.live.sharing import Shared, shared_links
from netplace.live.slurm import MARK, Controller, Ended, QueuedJob, SlurmNode
from netplace.live.state import host_names
from netplace.scheduling.power import PowerModel
from netplace.topologies import Topology, parse
from netplace.topologies.host_lists import expand, host_list

__all__ = ["Follower", "Rules", "hurt_by", "machine_under"]


@dataclass(frozen=True)
class Rules:
    """Rules for placing jobs and switching nodes."""

    # Rules, and the assumed application of jobs, as in `netplace.live.messages.Place`.
    partition: str = "slurm"
    mapping: str = "consecutive"
    app: str = ""
    bound: float = 300.0  # longest additional wait of a job because of netplace, in seconds
    power: str = "plan"  # rule of switching, see `netplace.live.power.RULES`
    model: PowerModel = field(default_factory=PowerModel)
    excluded: frozenset[str] = frozenset()  # nodes that are never switched off


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
        raise ValueError("scontrol show topology: names none of the nodes of sinfo")
    doubts = []
    for names, told in (
        (seen - known, "scontrol show topology lacks {} nodes of sinfo, which get no jobs"),
        (known - seen, "sinfo lacks {} nodes of scontrol show topology, which count as down"),
    ):
        if names:
            doubts.append(f"{told.format(len(names))}: {host_list(sorted(names)[:8])}")
    return machine, doubts


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
    found = shared_links(topology, nodes)
    return [
        one
        for one in found
        if not times
        or min(times[one.job][1], times[one.other][1]) > max(times[one.job][0], times[one.other][0])
    ]


class Follower:
    """Places held jobs and switches nodes, in passes that each begin with the state of Slurm.

    Only the time when a job was first seen is remembered between passes: after a kill, the next pass
    continues from the state of Slurm. Without `act`, a pass only reports its actions.

    Parameters
    ----------
    folder : Path
        Folder of the hostfiles and of the audit log, ``audit.jsonl``.
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
        rules: Rules,
        act: bool = False,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.controller, self.topology, self.folder = controller, topology, folder
        self.rules, self.act, self._tell = rules, act, tell
        self.hosts = host_names(topology)
        self._cluster()  # refuses unknown rules at once
        self._seen: dict[str, float] = {}  # job -> monotonic time at which it was first seen, held or placed

    def _cluster(self) -> Cluster:
        """Return an empty machine."""
        rules = self.rules
        return Cluster(self.topology, self.hosts, rules.partition, rules.mapping, allowed=[rules.app])

    # Placement.

    def place_one(self, number: str) -> bool:
        """Place one held job and release it; return whether it has nodes."""
        jobs = self.controller.jobs()
        job = next((one for one in jobs if one.number == number), None)
        if job is None:
            raise ValueError(f"--job {number}: is not in the queue of Slurm")
        if not job.held:
            raise ValueError(f"--job {number}: is {job.state}, {job.reason}; expected a held job (sbatch -H)")
        nodes = self._choose(job, jobs, self._nodes())
        if nodes is None:
            raise ValueError(f"--job {number}: the rule has no {job.size} nodes for it now")
        return self._give(job, nodes)

    def place_all(self, lasts: float = 60.0) -> int:
        """Place the held jobs with the comment ``netplace``; return how many were placed.

        A job that has waited longer than the bound, held or for its new nodes, is left to Slurm. One whose
        new nodes went down gets others. The hook of Slurm (`netplace.live.hook`) can rely on the next pass
        for `lasts` seconds.
        """
        self.promise(lasts)
        jobs, placed, now = self.controller.jobs(), 0, time.monotonic()
        ours = [job for job in jobs if job.comment == MARK and job.state == "PENDING"]
        for gone in self._seen.keys() - {job.number for job in ours}:
            del self._seen[gone]
        if self.act:
            known = {job.number for job in jobs}
            for path in self.folder.glob("*.hosts"):
                if path.stem not in known:
                    path.unlink()
        nodes: dict[str, SlurmNode] | None = None  # None: may have changed since they were read
        for job in sorted(ours, key=lambda one: (-one.priority, one.submitted, one.number)):
            if not job.held and not job.required:
                continue
            first = self._seen.setdefault(job.number, now - self._age(job))
            if now - first >= self.rules.bound:
                self._let_go(job, f"waited {now - first:.0f} s")
                nodes = None
                continue
            nodes = nodes or self._nodes()
            if job.held or any(name not in nodes or nodes[name].state == "down" for name in _listed(job)):
                chosen = self._choose(job, jobs, nodes)
                if chosen is None:
                    continue
                nodes = None
                if self._give(job, chosen):
                    placed += 1
                    jobs = self.controller.jobs()
        return placed

    def promise(self, seconds: float) -> None:
        """Let the hook of Slurm count on this process for some seconds."""
        if self.act:
            write_atomically(self.folder / UNTIL, f"{time.time() + seconds:.0f}\n")

    def _age(self, job: QueuedJob) -> float:
        """Return how long a job has waited before this process saw it; 0 if clocks disagree."""
        return max(0.0, time.time() - job.submitted) if job.submitted else 0.0

    def _nodes(self) -> dict[str, SlurmNode]:
        return {node.name: node for node in self.controller.nodes()}

    def _choose(
        self, job: QueuedJob, jobs: Sequence[QueuedJob], nodes: Mapping[str, SlurmNode]
    ) -> list[str] | None:
        """Return the nodes of a job in rank order, switched on if possible; None if it has no place now."""
        others = [one for one in jobs if one.state == "PENDING" and one.required and one.number != job.number]
        promised = {name for one in others for name in _listed(one)}
        for states in (("idle",), ("idle", "off")):
            usable = {
                name
                for name, node in nodes.items()
                if node.state in states and (not job.queues or not node.queues or job.queues & node.queues)
            }
            cluster = self._cluster()
            if taken := [name for name in self.hosts if name not in usable or name in promised]:
                cluster.mark(Mark(host_list(taken), "down"))
            if job.size <= len(self.hosts) - len(taken):
                try:
                    return cluster.place(Place(job.number, job.size, app=self.rules.app)).nodes
                except ValueError as error:
                    self._tell(str(error))
        return None

    def _give(self, job: QueuedJob, nodes: list[str]) -> bool:
        """Have a job run on nodes, with its ranks in their order; what Slurm refuses is taken back."""
        told = f"job {job.number}: {job.size} nodes, in rank order {host_list(nodes)}"
        if not self.act:
            self._tell(f"{told} (no changes; use --act)")
            return True
        hosts = "".join(f"{node}\n" * job.tasks for node in nodes)
        write_atomically(self.folder / f"{job.number}.hosts", hosts)
        self._log("placed", job=job.number, nodes=nodes)  # before: after a kill, the log lacks nothing
        try:
            self.controller.start(job, nodes)
        except ValueError as error:
            self.controller.jobs()  # raises if the controller is away: the next pass sees what came of it
            self._log("refused", job=job.number, nodes=nodes, error=str(error))
            self._let_go(job, f"Slurm refused: {error}")
            return False
        self._tell(told)
        return True

    def _let_go(self, job: QueuedJob, reason: str) -> None:
        """Leave a job to Slurm alone."""
        self._tell(f"job {job.number}: left to Slurm, {reason}{'' if self.act else ' (no changes)'}")
        if not self.act:
            return
        self._log("left", job=job.number, reason=reason)
        try:
            self.controller.start(job, ())
        except ValueError as error:  # it runs, has ended, or the controller is away: the next pass sees
            self._tell(f"job {job.number}: {error}")
        else:
            (self.folder / f"{job.number}.hosts").unlink(missing_ok=True)

    # Power.

    def switch(self) -> Decision:
        """Switch nodes as the rule says: never one that a job has or needs, or that is reserved."""
        nodes, jobs = self.controller.nodes(times=True), self.controller.jobs()
        decision = decide(self.rules.power, self.rules.model, self._power_state(nodes, jobs))
        boot = decision.boot
        stop = [name for name in decision.stop if name not in self.rules.excluded]
        stop.sort(key=lambda name: (len(name), name))  # n2 before n10
        self._tell(
            f"{decision.reason}; boot {host_list(boot) or 'none'}, stop {host_list(stop) or 'none'}"
            + ("" if self.act else " (no changes; use --act)")
        )
        if self.act and (boot or stop):
            # Meanwhile, Slurm may have given some to jobs. It boots again what boots already and is told to.
            states = {node.name: node.state for node in self.controller.nodes()}
            boot = tuple(name for name in boot if states.get(name) == "off")
            stop = [name for name in stop if states.get(name) == "idle"]
        for names, on in ((boot, True), (tuple(stop), False)):
            if self.act and names:
                self._log("boot" if on else "stop", nodes=list(names), reason=decision.reason)
                self.controller.power(names, on)
        return Decision(boot, tuple(stop), decision.wanted, decision.reason)

    def _power_state(self, nodes: Sequence[SlurmNode], jobs: Sequence[QueuedJob]) -> PowerState:
        """Return what a rule sees: neither nodes that a waiting job must have, nor reserved ones."""
        now = time.time()
        promised = {name for job in jobs if job.state == "PENDING" and job.required for name in _listed(job)}
        ends: dict[str, float] = {}
        for job in jobs:
            for name in job.nodes:
                # Slurm shows the end of a job without a time limit, too: a year after its start.
                ends[name] = max(ends.get(name, 0.0), job.ends if job.limit < float("inf") else job.limit)
        groups: dict[float, int] = {}
        for node in nodes:
            if node.state == "held":
                left = max(0.0, ends.get(node.name, now) - now)
                groups[left] = groups.get(left, 0) + 1
        waiting = sorted(
            (
                job
                for job in jobs
                if job.state == "PENDING"
                and (not job.held or job.comment == MARK)
                and job.reason != "Dependency"
            ),
            key=lambda job: (-job.priority, job.submitted, job.number),
        )
        return PowerState(
            now,
            {one.name: one.since for one in nodes if one.state == "idle" and one.name not in promised},
            tuple(node.name for node in nodes if node.state == "off"),
            tuple((count, left) for left, count in groups.items()),
            tuple((job.size, job.limit) for job in waiting),
            sum(node.state == "booting" for node in nodes),
        )

    def _log(self, what: str, **values: object) -> None:
        """Add a line to the audit log."""
        line: Mapping[str, object] = {"time": time.time(), "what": what, **values}
        file = os.open(self.folder / "audit.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, json.dumps(line).encode() + b"\n")
        finally:
            os.close(file)


def _listed(job: QueuedJob) -> list[str]:
    return list(expand(job.required, f"job {job.number}"))
