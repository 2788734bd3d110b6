"""Schedules of the study of contiguity on trees: which jobs, queue, allocation and speed-up."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from netplace.experiments.quasi_contiguous.streams import FOLDER, INSTALLED, Stream, logs, models, whole_logs
from netplace.runs.plan import Plan, make_plan
from netplace.studies.study import Asked

__all__ = ["CONTIGUOUS", "PARTS", "SCATTERED", "StreamCase", "cases", "speedups"]

PARTS = {
    "published": "whole logs on machines as installed, FCFS, beside the printed thresholds (Table 3.10)",
    "published-bf": "the same with backfilling (EASY, which reserves a place)",
    "published-bf-counted": "a reading: it reserves a number of nodes, and clears the head's way by force",
    "published-bf-patient": "a reading: it reserves a number of nodes, and the head waits for its place",
    "lublin": "generated workloads of the size and load of three logs",
    "logs": f"logs given (--log), else those of the folder swf, or of that which {FOLDER} names",
}
POLICIES = ("fcfs", "easy")
SCATTERED, CONTIGUOUS = "non-contiguous", "contiguous"
_STREAMS = {"lublin": models, "logs": logs}
# Of whole logs on machines as they were installed.
_PUBLISHED = {
    "published": "fcfs",
    "published-bf": "easy",
    "published-bf-counted": "easy-counted",
    "published-bf-patient": "easy-patient",
}


@dataclass(frozen=True)
class StreamCase:
    """One schedule of the study; times in percent.

    Attributes
    ----------
    part : str
        Key of `PARTS`.
    stream : Stream
        The jobs.
    policy : str
        Policy of the queue.
    allocation : str
        As the tables name it.
    threshold : int or None
        Nodes of a job that may lie outside its subtree; None: not contiguous.
    kept : bool
        Whether jobs with nodes outside gain as much as contiguous ones.
    speedup : int
        Share of its run time that a contiguous job gains.
    seed : int
        Seed of the model.
    """

    part: str
    stream: Stream
    policy: str
    allocation: str
    threshold: int | None
    kept: bool
    speedup: int
    seed: int

    def plan(self) -> Plan:
        """Return what to execute."""
        stream, factor = self.stream, 1 - self.speedup / 100
        times = "log" if not self.speedup else f"factors:{factor:g},{factor if self.kept else 1:g}"
        rule = "quasi-contiguous" if self.part in _PUBLISHED else "nearly-contiguous"
        given = {
            "machine": stream.machine,
            "workload": stream.file or "lublin",
            "jobs": stream.jobs or None,
            "installed": stream.installed,
            "overrun": "requeue" if self.part in _PUBLISHED and self.policy != "fcfs" else None,
            "load": stream.load or None,
            "policy": self.policy,
            "partition": SCATTERED if self.threshold is None else f"{rule}:{self.threshold}",
            "times": times,
        }
        return make_plan(given, self.seed)


def cases(asked: Asked) -> list[StreamCase]:
    """Return the schedules that are requested."""
    found = [
        case
        for part in asked.parts
        for policy in ((_PUBLISHED[part],) if part in _PUBLISHED else POLICIES)
        for stream in _STREAMS.get(part, whole_logs)(asked.quick, asked.logs)
        for case in _cases_of(part, stream, policy, asked.quick)
    ]
    if asked.logs and not any(case.stream.file for case in found):
        raise ValueError(
            f"--log {asked.logs[0]}: has no effect on {' and '.join(asked.parts)}; expected --table logs, "
            f"or a published one with a log of {', '.join(INSTALLED)}"
        )
    return found


def _cases_of(part: str, stream: Stream, policy: str, quick: bool) -> Iterator[StreamCase]:
    thresholds: tuple[int, ...] = (20,) if quick else (10, 20, 30, 40, 50)
    also_kept: tuple[int, ...] = (20,) if quick else (30,)
    if part in _PUBLISHED:
        thresholds, also_kept = (), (20,) if quick else (10, 20, 30, 40)
    allocations: list[tuple[str, int | None, bool]] = [(CONTIGUOUS, 0, True)]
    allocations += [(f"qct {number} %, lost", number, False) for number in thresholds]
    allocations += [(f"qct {number} %, kept", number, True) for number in also_kept]
    for seed in range(stream.seeds):
        yield StreamCase(part, stream, policy, SCATTERED, None, False, 0, seed)
        for (name, threshold, kept), speedup in itertools.product(allocations, speedups(quick)):
            yield StreamCase(part, stream, policy, name, threshold, kept, speedup, seed)


def speedups(quick: bool) -> tuple[int, ...]:
    """Return the speed-ups in percent that are tried."""
    return (0, 25, 50) if quick else (0, 10, 20, 30, 40, 50)
