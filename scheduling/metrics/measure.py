"""The figures of a schedule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.plain_data import PlainData
from netplace.quantities import LESS, MORE, quantity
from netplace.scheduling.metrics.per_job import PER_JOB, per_job
from netplace.scheduling.schedule import Cost, Schedule, State

_ROUNDING = 1e-6  # seconds by which a promise may be missed


@dataclass(frozen=True)
class Spread:
    """Mean, standard deviation, percentiles and maximum of one value per job."""

    mean: float
    std: float
    p50: float
    p90: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Spread:
        """Return the spread of one or more `values`."""
        p50, p90, p95, p99 = np.percentile(values, (50, 90, 95, 99)).tolist()
        return cls(float(values.mean()), float(values.std()), p50, p90, p95, p99, float(values.max()))


@dataclass(frozen=True)
class Metrics(PlainData):
    """Figures of a whole schedule; times are in seconds, and shares from 0 to 1.

    `netplace.quantities` lists where each figure appears.
    """

    jobs: int = quantity("Jobs that ran.")
    rejected: int = quantity("Jobs that could never run on this machine.", name="rejected jobs", better=LESS)
    failed: int = quantity("Jobs that were ended at their estimates.", name="failed jobs", better=LESS)
    kills: int = quantity("Attempts that were killed and requeued.")
    backfilled: int = quantity("Jobs that overtook others in the queue.")
    without_estimate: int = quantity(
        "Jobs without an estimate of their own, which got one from the rule.", shown=False
    )
    promises_broken: int = quantity("Jobs that started later than the policy had first promised.")
    makespan: float = quantity("From the first submission to the last end.", "s", digits=1, better=LESS)
    throughput: float = quantity(
        "Completed jobs per hour, without those that were ended at their estimates (overrun `kill`).",
        "jobs/h", digits=2, better=MORE,
    )  # fmt: skip
    total_flow: float = quantity("Sum of all turnarounds.", "s", digits=1, shown=False)
    utilisation: float = quantity(
        "Share of the machine's node-seconds that jobs held.", "share", digits=2, better=MORE
    )
    useful: float = quantity(
        "Share that the workload needs: requested nodes times nominal run time, of completed jobs.",
        "share", digits=2,
    )  # fmt: skip
    internal_fragmentation: float = quantity(
        "Share of the held node-seconds on nodes that the job did not request.",
        "share", digits=2, better=LESS,
    )  # fmt: skip
    external_fragmentation: float = quantity(
        "Share of node-seconds that were free although the head of the queue needed no more nodes.",
        "share", digits=2, better=LESS,
    )  # fmt: skip
    lost: float = quantity(
        "Share of the held node-seconds in attempts that were killed.",
        "share",
        name="lost to kills",
        digits=2,
    )
    contiguous: float = quantity(
        "Share of the jobs with several nodes whose nodes were contiguous.",
        "share", name="contiguous jobs", digits=1, better=MORE,
    )  # fmt: skip
    locality: float | None = quantity(
        "Mean of `Locality` over these jobs, if measured.", digits=3, better=LESS
    )
    run_factor: float = quantity(
        "Run times divided by nominal ones, weighted by nodes: the effect of placement.", digits=4
    )
    per_job: dict[str, Spread] = quantity("Spread over the jobs, by the keys of `PER_JOB`.", shown=False)
    cost: Cost = quantity("Work of the scheduler.", shown=False)


def measure(schedule: Schedule, counted: NDArray[np.bool_] | None = None) -> Metrics:
    """Return the figures of a schedule; `Metrics.per_job` includes only the jobs `counted`, shape (jobs,)."""
    if not len(schedule):
        raise ValueError(
            f"schedule: none of {len(schedule.rejected)} jobs could run, so there is nothing to measure"
        )
    if counted is not None and not counted.any():
        raise ValueError(f"schedule: none of {len(schedule)} jobs counts, so there is nothing to measure")
    some = slice(None) if counted is None else counted
    run = schedule.end - schedule.start
    node_seconds = schedule.nodes * run
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
        internal_fragmentation=_share((held - node_seconds).sum(), held.sum()),
        external_fragmentation=_share(schedule.blocked, capacity),
        lost=_share((killed.held * (killed.end - killed.start)).sum(), schedule.busy),
        contiguous=_share(np.count_nonzero(schedule.contiguous & parallel), np.count_nonzero(parallel)),
        locality=_locality(schedule.locality[parallel]),
        run_factor=_share(node_seconds[well].sum(), needed[well].sum(), otherwise=1.0),
        per_job={name: Spread.of(per_job(schedule, name)[some]) for name in PER_JOB},
        cost=schedule.cost,
    )


def _share(part: Any, whole: Any, otherwise: float = 0.0) -> float:
    return float(part) / float(whole) if whole else otherwise


def _locality(values: NDArray[np.float64]) -> float | None:
    mean = float(values.mean()) if len(values) else math.nan
    return None if math.isnan(mean) else mean
