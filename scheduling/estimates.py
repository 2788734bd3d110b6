"""Rules for the estimate of a job that has none, by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from netplace.inputs import check_choice, check_float
from netplace.scheduling.execution import Execution, RunTimes
from netplace.scheduling.job import Job

Estimate = Callable[[Job], float]

# name: (how a user asks for it, one line for people)
ESTIMATES = {
    "run-time": ("run-time", "the longest possible run time of the job, as if users knew it"),
    "infinite": ("infinite", "none: the job may run forever, so it never starts before a reservation"),
    "fixed": ("fixed:SECONDS", "the same for all jobs, like the default limit of a queue"),
    "factor": ("factor:F", "the longest possible run time of the job times a factor"),
}


def estimate_rule(text: str, times: RunTimes | Execution) -> Estimate:
    """Return the function that gives each job its estimate in seconds: its own, or that of a rule."""
    name, colon, rest = str(text).partition(":")
    form = ESTIMATES[check_choice(name, ESTIMATES, "estimates")][0]
    if bool(colon) != (":" in form):
        raise ValueError(f"estimates {text!r}: expected the form {form}")
    number = check_float(rest, f"estimates {text!r}", 1e-9, 1e15) if colon else 1.0
    absent: Estimate
    if name == "fixed":
        absent = lambda job: number  # noqa: E731
    elif name == "infinite":
        absent = lambda job: math.inf  # noqa: E731
    else:
        absent = lambda job: number * times.longest(job)  # noqa: E731
    return lambda job: absent(job) if job.estimate is None else job.estimate
