"""Co-simulation: jobs, scheduler and packets in one run.

Examples
--------
>>> from netplace.cosim import cosimulate, make_cosim_plan
>>> plan = make_cosim_plan({"machine": "torus:8x8", "workload": "applications", "jobs": 6, "sizes": "small"})
>>> outcome = cosimulate(plan)
>>> all(job.slowdown > 0.9 for job in outcome.jobs)
True
"""

from netplace.cosim.alone import StandaloneTimes, cycles_alone
from netplace.cosim.job_row import JobRow, job_rows_of
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.loop_times import LoopTimes
from netplace.cosim.placed import JobPlacer, PlacedJob
from netplace.cosim.placing import placing_of
from netplace.cosim.plan import FIDELITIES, CosimPlan, make_cosim_plan
from netplace.cosim.reasons import reasons
from netplace.cosim.replay import replay, started_jobs, what_if
from netplace.cosim.runner import Cosimulated, cosimulate
from netplace.cosim.sampled import MARKED, Sampled
from netplace.cosim.work import JobProgram, application_work, program_of

__all__ = [
    "FIDELITIES", "MARKED", "Attempt", "CosimPlan", "Cosimulated", "JobPlacer", "JobProgram", "JobRow",
    "LiveExecution", "LoopTimes", "PlacedJob", "Sampled", "StandaloneTimes", "application_work", "cosimulate",
    "cycles_alone", "job_rows_of", "make_cosim_plan", "placing_of", "program_of", "reasons", "replay",
    "started_jobs", "what_if",
]  # fmt: skip
