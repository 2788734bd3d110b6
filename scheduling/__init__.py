"""Scheduling: jobs that share a machine, under a policy, a partitioner and run times.

Examples
--------
>>> from netplace.scheduling import Job, schedule
>>> from netplace.topologies import parse
>>> jobs = [Job(1, submit=0, nodes=12, run_time=100), Job(2, 5, 8, 60), Job(3, 6, 4, 50)]
>>> for policy in ("fcfs", "easy"):
...     print(policy, schedule(parse("torus:4x4"), jobs, policy, "non-contiguous").start.tolist())
fcfs [0.0, 100.0, 100.0]
easy [0.0, 100.0, 6.0]
"""

from netplace.scheduling.execution import Completion, Execution, NodeFailures, TimedExecution
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import PARTITIONERS, Allocation, Partitioner, make_partitioner
from netplace.scheduling.policy import POLICIES, Policy
from netplace.scheduling.record import Contiguity
from netplace.scheduling.schedule import Schedule, State
from netplace.scheduling.simulator import OVERRUNS, schedule
from netplace.scheduling.times import ESTIMATES, RUN_TIMES, RunTimes, make_times

__all__ = [
    "ESTIMATES",
    "OVERRUNS",
    "PARTITIONERS",
    "POLICIES",
    "RUN_TIMES",
    "Allocation",
    "Completion",
    "Contiguity",
    "Execution",
    "Job",
    "NodeFailures",
    "Partitioner",
    "Policy",
    "RunTimes",
    "Schedule",
    "State",
    "TimedExecution",
    "make_partitioner",
    "make_times",
    "schedule",
]
