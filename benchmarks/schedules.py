"""What a job costs in a whole schedule: arrival, waiting, search, account of free nodes, record."""

from __future__ import annotations

import time
from collections.abc import Iterator

from netplace.benchmarks.allocators import ELSEWHERE, NO_GOAL, SMALL, USUAL
from netplace.benchmarks.figure import Figure, figure
from netplace.scheduling import PARTITIONERS, schedule
from netplace.scheduling.workload import lublin
from netplace.topologies import parse

__all__ = ["job_microseconds", "schedule_jobs"]

MOST = 600.0  # CPU microseconds a job: 10^5 jobs in a minute
_POLICIES = (("fcfs", 0.7), ("easy", 0.95))  # with the load


def job_microseconds(text: str, machine: str, policy: str, load: float, jobs: int, seed: int = 1) -> float:
    """Return the CPU time of a job in microseconds, in a schedule of jobs of the Lublin model."""
    topology = parse(machine)
    schedule(topology, lublin(topology.nodes, 20, 9, load=load), policy, text)  # compiled, or read from disk
    drawn = list(lublin(topology.nodes, jobs, seed, load=load))
    began = time.process_time()
    schedule(topology, drawn, policy, text)
    return 1e6 * (time.process_time() - began) / jobs


def schedule_jobs(quick: bool) -> Iterator[Figure]:
    """Measure a job's cost with every partitioner on 4,096 nodes, swaps to a local optimum left out."""
    for text in PARTITIONERS:
        if text in NO_GOAL or text in SMALL:
            continue
        machine = ELSEWHERE.get(text, USUAL)
        rule = f"{text}:20" if machine == "tree:4,6" else text
        for policy, load in _POLICIES:
            jobs, seeds = (100, (1,)) if quick else (3000, (1, 2))
            times = [job_microseconds(rule, machine, policy, load, jobs, seed) for seed in seeds]
            yield figure(f"a job scheduled by {text}, {policy}, {machine}", "CPU us", times, most=MOST)
