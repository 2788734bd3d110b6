"""The explanation of why a job was slow, and of its time after a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.cosim.job_row import JobRow, job_row


@dataclass(frozen=True)
class Neighbour:
    job: int  # number of the job
    application: str
    size: int  # its number of nodes
    overlap: float  # share of the time of the explained job in which it also ran
    links: int  # links on which packets waited for it
    amount: int  # cycles that the explained job's packets waited for its packets
    share: float  # the same, as a share of all cycles that they waited
    without: float | None  # seconds of the explained job without it; None if not simulated
    saved: float | None  # saving as a share of the time alone; None also if that is 0


@dataclass(frozen=True)
class WaitedLink:
    link: str  # the link in words
    # Router and port of the link.
    router: int
    port: int
    amount: int  # cycles of waiting for all others
    others: dict[int, int]  # cycles of waiting for each, by the number of the job, in decreasing order


@dataclass(frozen=True)
class Explanation:
    job: JobRow  # result row of the job
    own: int  # cycles that its packets waited for each other
    # Jobs that ran at the same time: those without which the run was repeated, in decreasing order of the
    # saving, then the others in decreasing order of the waiting for them.
    neighbours: tuple[Neighbour, ...]
    links: tuple[WaitedLink, ...]  # links with the most waiting for others

    def to_dict(self) -> dict[str, Any]:
        return to_plain(self) | {"job": self.job.to_dict()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Explanation:
        links = [
            {**link, "others": {int(job): cycles for job, cycles in link["others"].items()}}
            for link in plain["links"]
        ]
        return cls(
            job_row(plain["job"]),
            plain["own"],
            tuple(from_plain(Neighbour, neighbour) for neighbour in plain["neighbours"]),
            tuple(from_plain(WaitedLink, link) for link in links),
        )


@dataclass(frozen=True)
class WhatIf:
    """The time of a job, and its time after a change."""

    job: int  # number of the job
    application: str
    size: int  # its number of nodes
    # Seconds alone, and live.
    alone: float
    live: float
    what_if: float  # seconds after the change
    change: float | None  # `what_if` divided by `live`; None for a job without cycles
    late: float  # seconds by which it would have started later

    def to_dict(self) -> dict[str, Any]:
        return to_plain(self)
