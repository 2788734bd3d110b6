"""The entry point of the simulator of jobs on a machine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from netplace.inputs import check_choice, check_int
from netplace.scheduling.execution import Execution, TimedExecution
from netplace.scheduling.job import Job
from netplace.scheduling.losses import check_losses
from netplace.scheduling.metrics.locality import Locality
from netplace.scheduling.partitioner import Allocation, Partitioner, make_partitioner
from netplace.scheduling.policy import Policy, Queue, find_policy
from netplace.scheduling.power.model import PowerRules
from netplace.scheduling.power.nodes import AwakeFirst, NodePower
from netplace.scheduling.power.switching import read_switching
from netplace.scheduling.record import Contiguity, Record
from netplace.scheduling.schedule import Schedule
from netplace.scheduling.simulation import Simulation, Tell
from netplace.scheduling.times import LogTimes, RunTimes, estimate_rule
from netplace.topologies import Grid, Topology

OVERRUNS = {
    "keep": "the job runs to its end; its estimate doubles each time it is exceeded",
    "kill": "the job is killed at its estimate and counted as failed",
    "requeue": "a backfilled job is killed and requeued when the head of the queue needs its nodes",
}


def schedule(
    machine: Topology,
    jobs: Iterable[Job],
    policy: str | Policy,
    partitioner: str | Partitioner,
    times: RunTimes | Execution | None = None,
    *,
    estimates: str = "run-time",
    overrun: str = "keep",
    locality: bool = False,
    keep_nodes: bool = False,
    installed: int | None = None,
    tell: Tell | None = None,
    power: PowerRules | None = None,
) -> Schedule:
    """Schedule jobs on a machine, and return the result.

    Parameters
    ----------
    jobs : iterable of Job
        Jobs in order of submission. They are read one by one, so that only waiting and running jobs are in
        memory.
    policy : str or Policy
        Key of `netplace.scheduling.policy.POLICIES`, or your own policy: the object itself, or
        ``"file.py:Class"``.
    partitioner : str or Partitioner
        Text form of a partitioner of an empty machine, or your own partitioner, which is not modified.
    times : RunTimes or Execution, optional
        Run times of jobs on their nodes, or an execution; by default, the run times of the workload.
    estimates, overrun : str
        Rules for jobs without an estimate (`netplace.scheduling.times.ESTIMATES`), and for jobs that
        exceed theirs (`OVERRUNS`).
    locality : bool
        Whether to measure the distances between each job's nodes.
    installed : int, optional
        Number of nodes that exist on the machine: the first ones. The other nodes are never free and do not
        count in the utilization. By default, all nodes exist.
    tell : callable, optional
        Function that is called from time to time with the number of jobs that have ended and the simulated
        time.
    power : PowerRules, optional
        Rules for switching nodes on and off; the schedule then contains `Schedule.power`. Without rules, all
        nodes are always on.

    Raises
    ------
    ValueError
        If a name is unknown, there are no jobs, the jobs are not in order, or the rules contradict each
        other.
    LookupError
        If a run time is unknown.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> jobs = [Job(1, 0, 3, 10), Job(2, 0, 2, 5), Job(3, 1, 1, 9)]
    >>> schedule(parse("mesh:4"), jobs, "easy", "non-contiguous").start.tolist()
    [0.0, 10.0, 1.0]
    """
    chosen = find_policy(policy) if isinstance(policy, str) else policy
    check_choice(overrun, OVERRUNS, "overrun")
    if overrun == "requeue" and not chosen.requeues:
        raise ValueError(
            f"overrun 'requeue': only backfilled jobs are requeued, and policy {chosen.name} does not "
            f"backfill"
        )
    times = LogTimes() if times is None else times
    execution = times if isinstance(times, Execution) else TimedExecution(times)
    used = make_partitioner(partitioner, machine) if isinstance(partitioner, str) else partitioner.copy()
    present = machine.nodes if installed is None else check_int(installed, "installed", 1, machine.nodes)
    hold_back(used, present, machine)
    node_shape = (1,) * machine.dims if isinstance(machine, Grid) else None  # for partitioners of boxes
    check_losses(execution, used, machine.computing, node_shape)
    present -= int((machine.service < present).sum())
    queue: Queue = chosen.queue()
    nodes: NodePower | None = None
    if power is not None and power.switching != "always-on":
        if not isinstance(execution, TimedExecution):
            raise ValueError(
                f"power: rule {power.switching} needs run times that are known at the start of a job"
            )
        power.check(present)
        nodes = NodePower(present, power.model, power.boot_rate, power.stop_rate)
        queue = read_switching(power.switching, power.model)(queue, nodes, chosen.name)
        used = AwakeFirst(used, nodes) if power.awake else used
    record = Record(Contiguity(machine), Locality(machine) if locality else None, keep_nodes)
    estimate = estimate_rule(estimates, times)
    if not chosen.estimated and overrun != "kill":
        estimate = _own  # a table need not be asked for what nobody uses
    installed = machine.nodes if installed is None else int(installed)
    simulation = Simulation(
        used, queue, execution, estimate, overrun, record, tell, nodes, installed, node_shape, chosen.queue
    )
    simulation.run(jobs)
    made = record.schedule(machine.text, present, chosen.name, estimates, overrun, simulation.cost())
    if power is None or nodes is None or not len(made):
        return made
    span = float(made.submit.min()), float(made.end.max())
    counts = dict(getattr(queue, "counts", {}))
    return replace(made, power=nodes.energy(power.switching, span, (made.end, made.held), counts))


def hold_back(partitioner: Partitioner, present: int, machine: Topology) -> None:
    """Hold the nodes behind the first `present` for good."""
    if present == machine.nodes:
        return
    try:
        partitioner.take(Allocation(np.setdiff1d(np.arange(present, machine.nodes), machine.service)))
    except ValueError as error:
        raise ValueError(
            f"installed: {present} of the {machine.nodes} nodes of {machine}, but the partitioner cannot "
            f"exclude the others: {error}"
        ) from None


def _own(job: Job) -> float:
    return math.nan if job.estimate is None else job.estimate
