"""The data of a job that a scheduler knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """A rigid parallel job; all times are in seconds.

    Attributes
    ----------
    number : int
        Unique number in the workload.
    nodes : int
        Number of requested nodes, at least 1.
    run_time : float
        Run time in the log or model, at least 0. In a schedule, a `RunTimes` determines the run time.
    estimate : float or None
        Run time that the user requested; None if the log does not contain it.
    application : str
        Application, such as ``"lu"``, whose run times are in a table; empty if unknown.
    intensity : str
        Intensity of its communication: a key of `netplace.scheduling.workload.INTENSITIES`; empty for jobs
        without an application.
    repeats : int
        Number of times that the run in the table is repeated.
    user, queue, executable : int
        Numbers in the log, or -1.
    after : int
        Number of the job that must end before it starts, or -1.
    think : float
        Seconds between the end of that job and the earliest start of this one.
    """

    number: int
    submit: float
    nodes: int
    run_time: float
    estimate: float | None = None
    application: str = ""
    intensity: str = ""
    repeats: int = 1
    user: int = -1
    queue: int = -1
    after: int = -1
    think: float = 0.0
    executable: int = -1
