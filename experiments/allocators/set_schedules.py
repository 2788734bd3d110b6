"""Processor sets that schedule: jobs of applications on one live network, and the time of a selection.

N. P. Drakenberg's costs are those of a room; here they come from the network, a component of each level of
subtrees or boxes, or one number measured with packets, and jobs pay for what they share.
"""

from __future__ import annotations

import json
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from netplace.checks.writing import write_atomically
from netplace.cosim import cosimulate, make_cosim_plan
from netplace.netsim import Config
from netplace.placement.compactness import compactness
from netplace.runs.execute import attempt
from netplace.runs.set_costs import level_costs, measurements
from netplace.scheduling.partitioner.pss.derive import levels, plain_levels, weighted
from netplace.scheduling.partitioner.pss.select import select
from netplace.scheduling.partitioner.pss.write import written
from netplace.topologies import Topology, parse

__all__ = ["CONSTRAINED", "LEAST", "MEASURED", "measured_weights", "selection_times", "sets_pay"]

MEASURED, CONSTRAINED, LEAST = "pss:measured", "pss:levels, constrained", "pss:levels, least"
_RUNNING = ("all-to-all", "butterfly", "gups")  # what weights are measured with
_CONSTRAINTS = {CONSTRAINED: "cost <= ceil(1.5*MINCOST(PEs))", LEAST: "cost <= MINCOST(PEs)"}


def sets_pay(machine: Topology, partition: str, jobs: int, load: float, seed: int) -> dict[str, float]:
    """Return what jobs of applications gain from a partitioner, with every packet on one live network.

    Parameters
    ----------
    machine : Topology
        The network.
    partition : str
        Text form of a partitioner; `MEASURED` for sets with measured weights; for sets of levels and a
        constraint `CONSTRAINED`, no component may cost more than half as much again as on the empty machine,
        or `LEAST`, none may cost more at all.
    jobs : int
        How many.
    load : float
        Node time of the jobs alone, over that of the machine, while they arrive; 0: all are there at once.
    seed : int
        Of the jobs.
    """
    given: dict[str, Any] = {
        "machine": machine.text,
        "workload": "applications",
        "jobs": jobs,
        "classes": "2d,3d",  # of others one all-to-all job may hold most of the work
        "sizes": "small",
        "intensity": "low",
        "repeats": "5:20",
    }
    if load:
        given["mean_gap"] = _work(json.dumps(given), seed) / (load * machine.nodes * jobs)
    with tempfile.TemporaryDirectory() as folder:
        given["partition"] = _text(machine, partition, Path(folder) / "sets.conf")
        outcome = cosimulate(make_cosim_plan(given, seed)).outcome
    done = [job for job in outcome["jobs"] if job["state"] == "done"]
    cycle = Config().cycle_ns * 1e-9
    near = [compactness(machine, job["nodes"]).mean_hops for job in done if job["size"] > 1]
    return {
        "makespan": (max(job["end"] for job in done) - min(job["submit"] for job in done)) / cycle,
        "wait": float(np.mean([job["wait"] for job in done])) / cycle,
        "turnaround": float(np.mean([job["end"] - job["submit"] for job in done])) / cycle,
        "run": float(np.mean([job["end"] - job["start"] for job in done])) / cycle,
        "stretch": float(np.mean([(job["end"] - job["submit"]) / job["alone"] for job in done])),
        "slowdown": float(np.mean([job["slowdown"] for job in done])),
        "mean hops": float(np.mean(near)),
    }


@lru_cache(maxsize=8)
def _work(given: str, seed: int) -> float:
    """Return the node-seconds of the jobs, each alone."""
    alone = cosimulate(make_cosim_plan(json.loads(given) | {"network_time": "table"}, seed)).outcome["jobs"]
    return float(sum(job["size"] * job["alone"] for job in alone))


def _text(machine: Topology, partition: str, file: Path) -> str:
    """Return the text form of a partitioner, with its file written if it needs one."""
    if partition == MEASURED:
        sets = weighted(machine, measured_weights(machine.text), "uniform", apart=False)
        write_atomically(file, written(sets, "measured"))
    elif partition in _CONSTRAINTS:
        rule = f"constraints:\n  otherwise: {_CONSTRAINTS[partition]}\n"
        write_atomically(file, written(levels(machine), "levels") + rule)
    else:
        return partition
    return f"pss:{file}"


@lru_cache(maxsize=8)
def measured_weights(machine: str) -> tuple[int, ...]:
    """Return by how many percent jobs that straddle a border of each level take longer on a full machine."""
    topology = parse(machine)
    sets_by_level = [[members for members, _ in level] for level in plain_levels(topology)]
    made = measurements(topology, sets_by_level, _RUNNING)
    times = []
    for measurement in made:
        outcome = attempt(measurement.run).outcome
        assert outcome is not None, "applications of known sizes run"
        times.append(float(np.mean([job["cycles"] for job in outcome["jobs"]])))
    return tuple(cost.weight for cost in level_costs(sets_by_level, made, times))


def selection_times(
    machine: Topology, surplus: int, overlap: bool, times: int, seed: int
) -> dict[str, float]:
    """Return the median CPU time of a selection with so many nodes free beyond those asked for.

    Parameters
    ----------
    machine : Topology
        The network, whose levels are the sets.
    surplus : int
        Free nodes beyond the request, a sixteenth of the machine.
    overlap : bool
        Whether boxes overlap, so that sets are not nested.
    times : int
        Selections.
    seed : int
        Of the free nodes.
    """
    sets, size = levels(machine, overlap=overlap), machine.nodes // 16
    rng = np.random.default_rng(seed)
    spent = []
    for _ in range(times):
        free = np.zeros(machine.nodes, bool)
        free[rng.permutation(machine.nodes)[: size + surplus]] = True
        begun = time.process_time()
        select(sets, free, size)
        spent.append(1e3 * (time.process_time() - begun))
    return {"sets": float(len(sets.vectors)), "ms": median(spent)}
