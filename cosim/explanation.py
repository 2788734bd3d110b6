"""The explanation of why a job was slow, and of its time after a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.checks.quantities import quantity
from netplace.cosim.job_row import JobRow, job_row


@dataclass(frozen=True)
class Neighbour:
    """A job that ran at the same time as the explained one."""

    job: int = quantity("Number of the job.", name="other job")
    application: str = quantity("What it runs.")
    size: int = quantity("Its number of nodes.", name="nodes")
    overlap: float = quantity(
        "Time of the explained job in which it also ran.", "share", name="time together", digits=1
    )
    links: int = quantity("Links on which packets waited for it.")
    amount: int = quantity(
        "What the explained job's packets waited for its packets.", "cycles", name="waited for it"
    )
    share: float = quantity("The same, of all that they waited.", "share", name="of its waiting", digits=1)
    without: float | None = quantity(
        "Time of the explained job without it; none if not simulated.", "s", name="time without it", digits=2
    )
    saved: float | None = quantity(
        "Saving, of the time alone; none also if that is 0.", "share", name="saving", digits=1
    )


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

    job: int = quantity("Number of the job.")
    application: str = quantity("What it runs.")
    size: int = quantity("Its number of nodes.", name="nodes")
    alone: float = quantity("Without other jobs.", "s", digits=2)
    live: float = quantity("In the co-simulation.", "s", digits=2)
    what_if: float = quantity("After the change.", "s", digits=2)
    change: float | None = quantity(
        "`what_if` divided by `live`; none for a job without cycles.", "what if / live", digits=4
    )
    late: float = quantity("By how much it starts later.", "s", name="starts later", digits=2)

    def to_dict(self) -> dict[str, Any]:
        return to_plain(self)
