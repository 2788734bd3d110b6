"""What a scheduler knows of a job."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Job"]


@dataclass(frozen=True, slots=True)
class Job:
    """A rigid parallel job; all times in seconds.

    Attributes
    ----------
    number : int
        Its name in the workload; no two jobs of a workload share one.
    submit : float
        When it enters the queue.
    nodes : int
        Nodes it needs, at least 1.
    run_time : float
        How long it ran in the log or the model, at least 0. What a schedule takes is said by a `RunTimes`.
    estimate : float or None
        Run time that the user asked for; None: the log says nothing.
    application : str
        Application whose run time a table holds, as in ``"lu"``; empty: a job of which no more is known.
    intensity : str
        How much it communicates, a key of `netplace.scheduling.workload.INTENSITIES`; empty where there is no
        application.
    repeats : int
        How often the run that the table holds is repeated.
    user, queue : int
        Whose it is and where it was submitted, by the log's numbers; -1: not known.
    after : int
        Number of the job that must have ended before it starts; -1: none.
    think : float
        Seconds between the end of that job and the earliest start.
    executable : int
        What it runs, by the log's numbers; -1: not known.
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
