"""The data of a job that a scheduler knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """A rigid parallel job; all times in seconds.

    Attributes
    ----------
    number : int
        Unique number in the workload.
    nodes : int
        Number of requested nodes, at least 1.
    run_time : float
        Run time in the log or the model, at least 0. A `RunTimes` determines the run time in a schedule.
    estimate : float or None
        Run time that the user requested; None if the log has none.
    application : str
        Application with run times in a table, such as ``"lu"``; empty if unknown.
    intensity : str
        Intensity of its communication, a key of `netplace.scheduling.workload.INTENSITIES`; empty without an
        application.
    repeats : int
        Number of repetitions of the run in the table.
    user, queue, executable : int
        By the numbers of the log, or -1.
    after : int
        Number of the job that must end before it starts, or -1.
    think : float
        Seconds between the end of that job and the earliest start.
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
