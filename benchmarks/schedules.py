"""What a job costs in a whole schedule: arrival, waiting, search, account of free nodes, record.

The machine has to fill up first, and jobs that find it empty cost less or more than others. So the clock is
read within a long stream, behind its beginning, at the arrivals that part it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

from netplace.benchmarks.allocators import ELSEWHERE, NO_GOAL, SMALL, USUAL
from netplace.benchmarks.figure import Figure, figure
from netplace.scheduling import PARTITIONERS, Job, schedule
from netplace.scheduling.workload import lublin
from netplace.topologies import parse

MOST = 600.0  # CPU microseconds a job: 10^5 jobs in a minute
PARTS = 4  # of the stream behind its beginning
_POLICIES = (("fcfs", 0.7), ("easy", 0.7), ("easy", 0.95))  # with the load


def job_microseconds(text: str, machine: str, policy: str, load: float, jobs: int) -> list[float]:
    """Return the CPU time of a job in microseconds, in each part of a stream of jobs of the Lublin model.

    The stream has one part more, at its beginning, in which the machine fills up; it is not counted.

    `text`, `machine`, `policy`: text forms of the partitioner, the network and the policy. `load`: load that
    the stream has. `jobs`: jobs of each part.
    """
    topology = parse(machine)
    schedule(topology, lublin(topology.nodes, 20, 9, load=load), policy, text)  # compiled, or read from disk
    drawn = list(lublin(topology.nodes, (PARTS + 1) * jobs + 1, 1, load=load))
    read: list[float] = []

    def arriving() -> Iterator[Job]:
        for place, job in enumerate(drawn):
            if place % jobs == 0:
                read.append(time.process_time())
            yield job

    schedule(topology, arriving(), policy, text)
    return [1e6 * (end - begin) / jobs for begin, end in itertools.pairwise(read[1:])]


def schedule_jobs(quick: bool) -> Iterator[Figure]:
    """Measure a job's cost with every partitioner on 4,096 nodes, swaps to a local optimum left out."""
    for text in PARTITIONERS:
        if text in NO_GOAL or text in SMALL:
            continue
        machine = ELSEWHERE.get(text, USUAL)
        rule = f"{text}:20" if machine == "tree:4,6" else text
        for policy, load in _POLICIES:
            times = job_microseconds(rule, machine, policy, load, 20 if quick else 2000)
            name = f"a job scheduled by {text}, {policy}, load {load}, {machine}"
            yield figure(name, "CPU us", times, most=MOST)
