"""The quality of a schedule.

Examples
--------
>>> from netplace.scheduling import Job, schedule
>>> from netplace.topologies import parse
>>> jobs = [Job(1, submit=0, nodes=3, run_time=100), Job(2, 10, 2, 40)]
>>> figures = measure(schedule(parse("mesh:4"), jobs, "fcfs", "non-contiguous"))
>>> figures.makespan, figures.per_job["wait"].most, round(figures.utilisation, 3)
(140.0, 90.0, 0.679)
"""

from netplace.scheduling.metrics.comparison import (
    Judgement,
    Paired,
    holm,
    judged,
    paired,
    paired_ratio,
    unpaired,
)
from netplace.scheduling.metrics.contest import Contest, Contestant, contests
from netplace.scheduling.metrics.interval import (
    STEADY,
    Estimate,
    SteadyMean,
    batch_means,
    estimate,
    steady_mean,
)
from netplace.scheduling.metrics.locality import Locality
from netplace.scheduling.metrics.measure import Metrics, Spread, measure
from netplace.scheduling.metrics.per_job import OVER_JOBS, PER_JOB, per_job
from netplace.scheduling.metrics.series import (
    Steps,
    TimeBatches,
    allocated_nodes,
    running_jobs,
    time_batches,
    waiting_jobs,
)

__all__ = [
    "OVER_JOBS", "PER_JOB", "STEADY", "Contest", "Contestant", "Estimate", "Judgement", "Locality",
    "Metrics", "Paired", "Spread", "SteadyMean", "Steps", "TimeBatches", "allocated_nodes", "batch_means",
    "contests", "estimate", "holm", "judged", "measure", "paired", "paired_ratio", "per_job",
    "running_jobs", "steady_mean", "time_batches", "unpaired", "waiting_jobs",
]  # fmt: skip
