"""Why a job was slow, and what it would have taken otherwise: what is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.cosim.job_row import JobRow, job_row

__all__ = ["Explanation", "Neighbour", "WaitedLink", "WhatIf"]


@dataclass(frozen=True)
class Neighbour:
    """Another job that was there at the same time.

    Attributes
    ----------
    job : int
        Its number.
    application : str
        What it ran.
    size : int
        Nodes that it had.
    overlap : float
        Share of the explained job's time in which it was there.
    links : int
        Links on which packets waited for it.
    amount : int
        Cycles that the explained job's packets waited for its packets.
    share : float
        The same, as a share of all cycles that they waited.
    without : float or None
        Seconds that the explained job would have taken without it; None: that was not simulated.
    saved : float or None
        What that saves, as a share of the time alone; None also where that is 0.
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
        Where it begins.
    amount : int
        Cycles waited for all others.
    others : dict of int to int
        Cycles waited for each, by the number of the job, the most first.
    """

    link: str
    router: int
    port: int
    amount: int
    others: dict[int, int]


@dataclass(frozen=True)
class Explanation:
    """Who slowed a job, and where.

    Attributes
    ----------
    job : JobRow
        What came of it.
    own : int
        Cycles that its packets waited for each other.
    neighbours : tuple of Neighbour
        Jobs that were there at the same time, in the order of what was waited for them.
    links : tuple of WaitedLink
        Links on which most was waited for others.
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
    """What a job took, and what it would have taken had something been otherwise.

    Attributes
    ----------
    job : int
        Its number.
    application : str
        What it ran.
    size : int
        Nodes that it had.
    alone, live : float
        Seconds that it would have taken alone, and that it took.
    what_if : float
        Seconds that it would have taken.
    change : float or None
        `what_if` over `live`; None of a job of no cycles.
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
