"""Compare the starts of EASY with those of Slurm's sched/backfill, on streams of jobs of seconds.

Call it with the number of streams and of jobs per stream, while ``SLURM_CONF`` names an idle cluster of its
own, with a tree of switches, ``JobCompType=jobcomp/filetxt``, ``DebugFlags=Backfill`` and the parameters in
`PARAMETERS`. It submits each stream and waits until its jobs have ended. Whenever a job came, started or
ended under Slurm, it then asks which of the waiting jobs EASY would start beside the jobs that ran under
Slurm, so that one different start does not change the following. It asks four times, each time with one more
property of Slurm (`STEPS`): a job that starts alike from one property on differed because of that property.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.live.follow import machine_under
from netplace.live.slurm import Controller
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.topologies import Topology
from netplace.topologies.host_lists import expand

PARAMETERS = "bf_interval=1,bf_resolution=1,bf_job_part_count_reserve=1,batch_sched_delay=0,sched_interval=1"
STEPS = (
    "EASY: the reservation of the head counts nodes",
    "the reservation names nodes, and no job holds one of them at its begin",
    "the reservation looks for nodes once for all jobs that end within a window",
    "jobs behind the head start in cycles only",
)
NAMES, WINDOWS, CYCLES = 1, 2, 3
# Seconds of the first window, by default (bf_window_linear is not set): each window is twice the one before.
WINDOW = 30
LINE = re.compile(
    r"\[(?P<time>\S+)\] (?:(?P<submit>_slurm_rpc_submit_batch_job: )|(?P<end>_job_complete: )|(?P<start>"
    r"sched: Allocate |sched/backfill: _start_job: Started ))JobId=(?P<job>\d+)(?(end) done)"
)
CYCLE = re.compile(r"\[(\S+)\] sched/backfill: _attempt_backfill: beginning")


@dataclass(frozen=True)
class Ran:
    """A job as Slurm ran it; times in seconds."""

    number: str
    submit: float
    start: float
    end: float
    limit: float
    nodes: tuple[int, ...]

    @property
    def expected_end(self) -> float:
        return int(self.start) + self.limit  # Slurm's times are whole seconds


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


def read(ended: Path, log: Path, numbers: list[str], machine: Topology) -> tuple[list[Ran], list[float]]:
    """Return jobs in the order of their numbers, and when the cycles of the backfill began."""
    times: dict[str, dict[str, float]] = {number: {} for number in numbers}
    cycles = []
    for line in log.open(encoding="utf-8", errors="replace"):
        if (found := LINE.match(line)) and found["job"] in times and found.lastgroup is not None:
            kind = next(kind for kind in ("submit", "start", "end") if found[kind])
            times[found["job"]][kind] = datetime.fromisoformat(found["time"]).timestamp()
        elif found := CYCLE.match(line):
            cycles.append(datetime.fromisoformat(found[1]).timestamp())
    rows = {row["JobId"]: row for row in (dict(re.findall(r"(\w+)=(\S*)", line)) for line in ended.open())}
    node_of = {name: node for node, name in enumerate(machine.hosts)}
    made = []
    for number in numbers:
        nodes = tuple(node_of[name] for name in expand(rows[number]["NodeList"]))
        made.append(Ran(number, **times[number], limit=60 * float(rows[number]["TimeLimit"]), nodes=nodes))
    first, last = made[0].submit, max(job.end for job in made)
    return made, [moment for moment in cycles if first < moment < last]


def place(partitioner: Partitioner, nodes: int) -> Allocation:
    found = partitioner.find(Job(0, 0, nodes, 1))
    assert found is not None
    return found


def reserve(free: Partitioner, running: list[Ran], head: int, now: float, windows: bool) -> float:
    """Release jobs in the order of their ends until the head fits; return when it does."""
    ends = sorted(running, key=lambda job: job.expected_end)
    window = (ends[0].expected_end // WINDOW + 2) * WINDOW if windows else 0.0
    length, reserved = WINDOW, now
    for row, job in enumerate(ends):
        free.release(Allocation(np.array(job.nodes)))
        reserved = max(job.expected_end, now)
        following = ends[row + 1].expected_end if row + 1 < len(ends) else np.inf
        if following > max(window, reserved):
            if free.free >= head:
                break
            while windows and window < following < np.inf:
                window, length = window + length, 2 * length
    return reserved


def started(
    now: float, running: list[Ran], waiting: list[Ran], free: Partitioner, step: int, heads: bool
) -> list[Ran]:
    """Return which of the waiting jobs EASY starts now; `heads`: only from the front of the queue."""
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
    if not rest or heads:
        return found
    head = len(rest[0].nodes)
    later = free.copy()
    reserved = reserve(later, running, head, now, step >= WINDOWS)
    spare, named = later.free - head, place(later, head).nodes
    for job in rest[1:]:
        usable, ends_before = free.copy(), now + job.limit <= reserved
        if step >= NAMES and not ends_before:
            held = [node for one in running for node in one.nodes]
            usable.take(Allocation(np.setdiff1d(named, held)))
        fits = step >= NAMES or ends_before or len(job.nodes) <= spare
        if fits and len(job.nodes) <= usable.free:
            spare -= 0 if ends_before else len(job.nodes)
            start(job, place(usable, len(job.nodes)))
    return found


def lateness(jobs: list[Ran], cycles: Sequence[float], machine: Topology, step: int) -> NDArray[np.float64]:
    """Return how much later than EASY Slurm started each job, in seconds; -inf if EASY would not have."""
    first, empty = dict[str, float](), make_partitioner("slurm", machine)
    events = {(at, step == CYCLES) for job in jobs for at in (job.submit, job.start, job.end)}
    for now, heads in sorted(events | {(at, False) for at in cycles if step == CYCLES}):
        running = [job for job in jobs if job.start <= now < job.end]
        waiting = [job for job in jobs if job.submit <= now < job.start]
        for job in started(now, running, waiting, empty.copy(), step, heads) if waiting else ():
            first.setdefault(job.number, now)
    return np.array([job.start - first.get(job.number, np.inf) for job in jobs])


def main(streams: str = "10", jobs: str = "200") -> None:
    settings = dict(re.findall(r"(\w+) += (\S+)", run("scontrol", "show", "config")))
    assert settings["SchedulerParameters"] == PARAMETERS, f"expected SchedulerParameters={PARAMETERS}"
    with tempfile.TemporaryDirectory() as folder:
        machine, _ = machine_under(Controller(), Path(folder))
    files = Path(settings["JobCompLoc"]), Path(settings["SlurmctldLogFile"])
    for seed in range(int(streams)):
        tell(f"stream {seed}", *read(*files, submit(seed, int(jobs), machine.nodes), machine), machine)


def tell(name: str, ran: list[Ran], cycles: list[float], machine: Topology) -> None:
    """Write for each step which share of the jobs Slurm started within 1 s of EASY, later and earlier."""
    for step, what in enumerate(STEPS):
        late = lateness(ran, cycles, machine, step)
        shares = [100 * float(which.mean()) for which in (abs(late) <= 1, late > 1, late < -1)]
        beyond = 100 * float((abs(late) > 1.1).mean())
        sys.stdout.write(
            "{}: {:.1f} % within 1 s, {:.1f} % later, {:.1f} % earlier, {:.1f} % by over 1.1 s; {}\n".format(
                name, *shares, beyond, what
            )
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
