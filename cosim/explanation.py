"""The explanation of why a job was slow, and of its time after a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.cosim.job_row import JobRow, job_row

__all__ = ["Explanation", "Neighbour", "WaitedLink", "WhatIf"]


@dataclass(frozen=True)
class Neighbour:
    """Another job that ran at the same time.

    Attributes
    ----------
    job : int
        Number of the job.
    application : str
        Its application.
    size : int
        Its number of nodes.
    overlap : float
        Share of the time of the explained job in which it also ran.
    links : int
        Links on which packets waited for it.
    amount : int
        Cycles that the explained job's packets waited for its packets.
    share : float
        The same, as a share of all cycles that they waited.
    without : float or None
        Seconds of the explained job without it; None if not simulated.
    saved : float or None
        Saving as a share of the time alone; None also if that is 0.
    """

    job: int
    application: str
    size: int
    overlap: float
    links: int
    amount: int
    share: float
    without: float | None
    saved: float | None


@dataclass(frozen=True)
class WaitedLink:
    """A link on which packets of the explained job waited for others.

    Attributes
    ----------
    link : str
        The link in words.
    router, port : int
        Router and port of the link.
    amount : int
        Cycles of waiting for all others.
    others : dict of int to int
        Cycles of waiting for each, by the number of the job, in decreasing order.
    """

    link: str
    router: int
    port: int
    amount: int
    others: dict[int, int]


@dataclass(frozen=True)
class Explanation:
    """The jobs that slowed a job, and the links.

    Attributes
    ----------
    job : JobRow
        Result row of the job.
    own : int
        Cycles that its packets waited for each other.
    neighbours : tuple of Neighbour
        Jobs that ran at the same time, in decreasing order of the waiting for them.
    links : tuple of WaitedLink
        Links with the most waiting for others.
    """

    job: JobRow
    own: int
    neighbours: tuple[Neighbour, ...]
    links: tuple[WaitedLink, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields, as JSON can hold it."""
        return to_plain(self) | {"job": self.job.to_dict()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Explanation:
        """Return the explanation that `to_dict` described."""
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
    """The time of a job, and its time after a change.

    Attributes
    ----------
    job : int
        Number of the job.
    application : str
        Its application.
    size : int
        Its number of nodes.
    alone, live : float
        Seconds alone, and live.
    what_if : float
        Seconds after the change.
    change : float or None
        `what_if` divided by `live`; None for a job without cycles.
    late : float
        Seconds by which it would have started later.
    """

    job: int
    application: str
    size: int
    alone: float
    live: float
    what_if: float
    change: float | None
    late: float

    def to_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields, as JSON can hold it."""
        return to_plain(self)
