"""Compare the starts of EASY with those of Slurm's sched/backfill, on streams of jobs of seconds.

Call it with the number of streams and of jobs per stream, while ``SLURM_CONF`` names an idle cluster of its
own, with a tree of switches, ``JobCompType=jobcomp/filetxt`` and the parameters in `PARAMETERS`. It submits
each stream and waits until its jobs have ended. For each second it then asks which of the waiting jobs EASY
would start beside the jobs that ran under Slurm, so that one different start does not change the following.
The reservation of the head counts nodes, as in ``easy`` with the allocator ``slurm``, or it names them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from netplace.live.follow import machine_under
from netplace.live.slurm import Controller
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.topologies import Topology
from netplace.topologies.host_lists import expand

PARAMETERS = "bf_interval=1,bf_resolution=1,bf_job_part_count_reserve=1,batch_sched_delay=0,sched_interval=1"


@dataclass(frozen=True)
class Ran:
    """A job as Slurm ran it; times in seconds."""

    submit: float
    start: float
    end: float
    limit: float
    nodes: tuple[int, ...]

    @property
    def expected_end(self) -> float:
        return self.start + self.limit


def run(*words: str, text: str = "") -> str:
    return subprocess.run(words, input=text, check=True, text=True, capture_output=True).stdout


def submit(seed: int, jobs: int, nodes: int) -> list[str]:
    """Submit about as much work as the machine does; return the jobs' numbers once all have ended."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(np.ceil(2 ** rng.uniform(0, np.log2(nodes), jobs)), nodes).astype(int)
    seconds = rng.integers(2, 16, jobs)
    gaps = rng.exponential(float((sizes * seconds).mean()) / nodes, jobs)
    numbers, at = [], time.monotonic()
    for gap, size, length, limit in zip(gaps, sizes, seconds, rng.integers(1, 6, jobs), strict=True):
        at += gap
        time.sleep(max(at - time.monotonic(), 0))
        words = ("sbatch", "--parsable", "-N", str(size), "-t", str(limit), "-o", "/dev/null")
        numbers.append(run(*words, text=f"#!/bin/sh\nexec sleep {length}\n").strip())
    while run("squeue", "-h"):
        time.sleep(1)
    time.sleep(2)  # until the last line is written
    return numbers


def read(log: Path, numbers: list[str], machine: Topology) -> list[Ran]:
    """Return jobs from Slurm's file of ended jobs, in the order of their numbers."""
    rows = {row["JobId"]: row for row in (dict(re.findall(r"(\w+)=(\S*)", line)) for line in log.open())}
    node_of = {name: node for node, name in enumerate(machine.hosts)}
    made = []
    for row in map(rows.__getitem__, numbers):
        times = [
            datetime.fromisoformat(row[f"{name}Time"]).timestamp() for name in ("Submit", "Start", "End")
        ]
        nodes = tuple(node_of[name] for name in expand(row["NodeList"]))
        made.append(Ran(*times, 60 * float(row["TimeLimit"]), nodes))
    return made


def place(partitioner: Partitioner, nodes: int) -> Allocation:
    found = partitioner.find(Job(0, 0, nodes, 1))
    assert found is not None
    return found


def started(now: float, running: list[Ran], waiting: list[Ran], machine: Topology, named: bool) -> list[Ran]:
    """Return which of the waiting jobs EASY starts now."""
    free = make_partitioner("slurm", machine)
    for job in running:
        free.take(Allocation(np.array(job.nodes)))
    running, found = [*running], list[Ran]()

    def start(job: Ran, allocation: Allocation) -> None:
        free.take(allocation)
        running.append(replace(job, start=now, nodes=tuple(allocation.nodes.tolist())))
        found.append(job)

    rest = [*waiting]
    while rest and len(rest[0].nodes) <= free.free:
        start(rest[0], place(free, len(rest[0].nodes)))
        del rest[0]
    if not rest:
        return found
    later, reserved = free.copy(), now
    for job in sorted(running, key=lambda job: job.expected_end):
        if later.free >= len(rest[0].nodes) and job.expected_end > reserved:
            break
        later.release(Allocation(np.array(job.nodes)))
        reserved = max(job.expected_end, now)
    spare, head = later.free - len(rest[0].nodes), place(later, len(rest[0].nodes)).nodes
    for job in rest[1:]:
        usable, ends_before = free.copy(), now + job.limit <= reserved
        if named and not ends_before:
            held = [node for one in running for node in one.nodes]
            usable.take(Allocation(np.setdiff1d(head, held)))
        if len(job.nodes) > usable.free or not (named or ends_before or len(job.nodes) <= spare):
            continue
        spare -= 0 if ends_before else len(job.nodes)
        start(job, place(usable, len(job.nodes)))
    return found


def compare(jobs: list[Ran], machine: Topology, named: bool) -> tuple[float, float, float]:
    """Return the shares of jobs that Slurm started within 1 s of EASY, later, and earlier."""
    first = dict[Ran, float]()
    for now in sorted(
        {at + late for job in jobs for at in (job.submit, job.start, job.end) for late in (0, 1)}
    ):
        running = [job for job in jobs if job.start < now < job.end]
        waiting = [job for job in jobs if job.submit <= now <= job.start]
        for job in started(now, running, waiting, machine, named):
            first.setdefault(job, now)
    late = np.array([job.start - first.get(job, np.inf) for job in jobs])
    return float((abs(late) <= 1).mean()), float((late > 1).mean()), float((late < -1).mean())


def main(streams: str = "10", jobs: str = "200") -> None:
    settings = dict(re.findall(r"(\w+) += (\S+)", run("scontrol", "show", "config")))
    assert settings["SchedulerParameters"] == PARAMETERS, f"expected SchedulerParameters={PARAMETERS}"
    with tempfile.TemporaryDirectory() as folder:
        machine, _ = machine_under(Controller(), Path(folder))
    for seed in range(int(streams)):
        numbers = submit(seed, int(jobs), machine.nodes)
        ran = read(Path(settings["JobCompLoc"]), numbers, machine)
        for named in (False, True):
            within, later, earlier = compare(ran, machine, named)
            kind = "named" if named else "counted"
            sys.stdout.write(
                f"stream {seed}, {kind}: {within:.3f} within 1 s, {later:.3f} later, {earlier:.3f} earlier\n"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
