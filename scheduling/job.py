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
        Number of requested nodes, at least 1: hosts, if the machine has several slots a host.
    run_time : float
        Run time in the log or model, at least 0. In a schedule, a `RunTimes` determines the run time.
    estimate : float or None
        Run time that the user requested; None if the log does not contain it.
    program : str
        Text of the program that it runs, such as ``"lu,class=W"`` or the name of a trace; empty if unknown.
    tasks : int
        Number of tasks of the program; 0 means one on each slot of the nodes.
    repeats : int
        Number of times that the program runs, one after the other.
    communication : float
        Share of the run time of a log, alone in a compact place, in which the program communicates.
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
    program: str = ""
    tasks: int = 0
    repeats: int = 1
    user: int = -1
    queue: int = -1
    after: int = -1
    think: float = 0.0
    executable: int = -1
    communication: float = 1.0
