"""The figures of a schedule."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.metrics.per_job import PER_JOB, per_job
from netplace.scheduling.schedule import Cost, Schedule, State

__all__ = ["Metrics", "Spread", "measure"]

_ROUNDING = 1e-6  # seconds by which a promise may be missed


@dataclass(frozen=True)
class Spread:
    """Mean, standard deviation, percentiles and maximum of one value a job."""

    mean: float
    std: float
    p50: float
    p90: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Spread:
        """Return the spread of `values`, at least one."""
        p50, p90, p95, p99 = np.percentile(values, (50, 90, 95, 99)).tolist()
        return cls(float(values.mean()), float(values.std()), p50, p90, p95, p99, float(values.max()))


@dataclass(frozen=True)
class Metrics:
    """Figures of a whole schedule; times in seconds, shares from 0 to 1.

    Attributes
    ----------
    jobs, rejected, failed, kills, backfilled, without_estimate : int
        Jobs that ran; that could never run on this machine; that were ended at their estimates; attempts that
        were killed and put back; jobs that overtook; jobs whose estimate came from the rule.
    promises_broken : int
        Jobs that started later than the policy had first promised.
    makespan : float
        From the first submission to the last end.
    throughput : float
        Jobs that ended well, an hour. Those that were ended at their estimates (``overrun`` ``"kill"``) do
        not count, so with many of them it is less than `jobs` an hour.
    total_flow : float
        Sum of all turnarounds.
    utilisation : float
        Share of the machine's node-seconds that were held.
    useful : float
        Share that the workload needs: nodes requested times nominal run time, of the jobs that ended well.
    internal_fragmentation : float
        Share of the held node-seconds on nodes that the job did not ask for.
    external_fragmentation : float
        Share of the machine's node-seconds free while the head of the queue needed no more nodes than that.
    lost : float
        Share of the held node-seconds in attempts that were killed.
    contiguous : float
        Share of the jobs of more than one node that had their neighborhood for themselves.
    locality : float or None
        Mean over these jobs, if measured; see `Locality`.
    run_factor : float
        Run times against nominal ones, weighted by nodes: what placement cost or gained.
    per_job : dict of str to Spread
        By the keys of `PER_JOB`.
    cost : Cost
        What it took the scheduler.
    """

    jobs: int
    rejected: int
    failed: int
    kills: int
    backfilled: int
    without_estimate: int
    promises_broken: int
    makespan: float
    throughput: float
    total_flow: float
    utilisation: float
    useful: float
    internal_fragmentation: float
    external_fragmentation: float
    lost: float
    contiguous: float
    locality: float | None
    run_factor: float
    per_job: dict[str, Spread]
    cost: Cost

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)


def measure(schedule: Schedule, counted: NDArray[np.bool_] | None = None) -> Metrics:
    """Return the figures of a schedule.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    counted : ndarray of bool, shape (jobs,), optional
        Which jobs count in `Metrics.per_job`; by default all.
    """
    if not len(schedule):
        raise ValueError(
            f"schedule: none of {len(schedule.rejected)} jobs could run, there is nothing to measure"
        )
    if counted is not None and not counted.any():
        raise ValueError(f"schedule: none of {len(schedule)} jobs counts, there is nothing to measure")
    some = slice(None) if counted is None else counted
    run = schedule.end - schedule.start
    asked = schedule.nodes * run
    held = schedule.held * run
    well = schedule.state == State.DONE
    needed = schedule.nodes * schedule.nominal
    killed = schedule.killed
    capacity = schedule.machine_nodes * schedule.makespan
    parallel = schedule.nodes > 1
    return Metrics(
        jobs=len(schedule),
        rejected=len(schedule.rejected),
        failed=int(np.count_nonzero(~well)),
        kills=int(schedule.kills.sum()),
        backfilled=int(np.count_nonzero(schedule.backfilled)),
        without_estimate=schedule.without_estimate,
        promises_broken=int(np.count_nonzero(schedule.start > schedule.promised + _ROUNDING)),
        makespan=schedule.makespan,
        throughput=_share(3600 * np.count_nonzero(well), schedule.makespan),
        total_flow=float((schedule.end - schedule.submit).sum()),
        utilisation=_share(schedule.busy, capacity),
        useful=_share(needed[well].sum(), capacity),
        internal_fragmentation=_share((held - asked).sum(), held.sum()),
        external_fragmentation=_share(schedule.blocked, capacity),
        lost=_share((killed.held * (killed.end - killed.start)).sum(), schedule.busy),
        contiguous=_share(np.count_nonzero(schedule.contiguous & parallel), np.count_nonzero(parallel)),
        locality=_locality(schedule.locality[parallel]),
        run_factor=_share(asked[well].sum(), needed[well].sum(), otherwise=1.0),
        per_job={name: Spread.of(per_job(schedule, name)[some]) for name in PER_JOB},
        cost=schedule.cost,
    )


def _share(part: Any, whole: Any, otherwise: float = 0.0) -> float:
    return float(part) / float(whole) if whole else otherwise


def _locality(values: NDArray[np.float64]) -> float | None:
    mean = float(values.mean()) if len(values) else math.nan
    return None if math.isnan(mean) else mean
