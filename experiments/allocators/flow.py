"""Flow times of all-to-all jobs on a small machine, every packet simulated.

M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section 6: the
log of NASA Ames' iPSC/860, sizes divided by four, on 32 processors. Shape, pattern and how run times became
messages are not told: here all-to-all with messages of 1 kB, repeated as often as fits into the time that the
log says, alone on near nodes, with time scaled so that the mean job runs for 40,000 cycles.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from netplace.apps import application
from netplace.cosim import JobPlacer, JobProgram, LiveExecution
from netplace.experiments.shared.archive_logs import folder_logs
from netplace.netsim import Config, simulate
from netplace.placement.compactness import pairwise_sum
from netplace.scheduling import Job, make_partitioner, schedule
from netplace.scheduling.workload import lublin, read
from netplace.topologies import Topology, parse

BYTES = 1024
MEAN_CYCLES = 40_000
_LOAD = 0.7
_DIVISOR = 4


def log_in_folder(name: str) -> str:
    """Return the path of a log in the user's folder; empty: there is none."""
    return next((str(path) for path in folder_logs() if path.name.startswith(name)), "")


def flow_times(machine: Topology, partition: str, jobs: int, seed: int, log: str = "") -> dict[str, float]:
    """Return mean flow time, run time and pairwise sum of jobs served first come, first served.

    The machine is a quarter of the log's; without a log, the model of Lublin and Feitelson replaces it.
    """
    nodes = _DIVISOR * machine.nodes
    first = seed * jobs
    drawn = read(log).fit(nodes)[first : first + jobs] if log else lublin(nodes, jobs, seed, load=_LOAD)
    scale = MEAN_CYCLES / float(drawn.run_time.mean())  # cycles a second
    cycle = Config().cycle_ns * 1e-9
    submit = (drawn.submit - drawn.submit[0]) * scale * cycle
    sizes = np.maximum(1, drawn.nodes // _DIVISOR)
    cycles = np.maximum(1, np.round(drawn.run_time * scale)).astype(int).tolist()
    stream = [
        Job(number, float(at), int(size), 1.0)
        for number, (at, size) in enumerate(zip(submit, sizes, strict=True))
    ]
    work = partial(_work, machine.text, cycles)
    execution = LiveExecution(JobPlacer(machine, Config(), work, seed=seed), lambda job: 1.0)
    made = schedule(machine, stream, "fcfs", partition, execution, keep_nodes=True)
    assert made.allocations is not None, "they were asked for"
    return {
        "flow": float((made.end - made.submit).mean()) / cycle,
        "run": float((made.end - made.start).mean()) / cycle,
        "pairwise sum": float(np.mean([pairwise_sum(machine, nodes) for nodes in made.allocations])),
    }


def _work(machine: str, cycles: list[int], job: Job) -> JobProgram:
    """Return as many all-to-alls as take a job's time alone; a single task computes as long."""
    if job.nodes == 1:
        return JobProgram("", 1, compute=cycles[job.number])
    times = max(1, round(cycles[job.number] / _alone(machine, job.nodes)))
    return JobProgram(f"all-to-all,bytes={BYTES}", job.nodes, times)


@lru_cache(maxsize=256)
def _alone(machine: str, tasks: int) -> int:
    """Return the cycles of an all-to-all on near nodes of the empty machine."""
    topology = parse(machine)
    allocation = make_partitioner("mc1x1", topology).find(Job(0, 0.0, tasks, 1.0))
    assert allocation is not None, "the machine is empty"
    return simulate(topology, application("all-to-all", tasks, bytes=BYTES), allocation.nodes).cycles
