"""The explanation of why a job was slow, and of its time after a change."""

from __future__ import annotations

from dataclasses import dataclass

from netplace.cosim.job_row import JobRow
from netplace.plain_data import PlainData
from netplace.quantities import quantity


@dataclass(frozen=True)
class Neighbour:
    """A job that ran at the same time as the explained one."""

    job: int = quantity("Number of the job.", name="other job")
    application: str = quantity("Application of the job.")
    size: int = quantity("Number of nodes of the job.", name="nodes")
    overlap: float = quantity(
        "Share of the explained job's time in which this job also ran.",
        "share",
        name="time together",
        digits=1,
    )
    links: int = quantity("Number of links on which packets of the explained job waited for this job.")
    amount: int = quantity(
        "Cycles that packets of the explained job waited for this job.", "cycles", name="waited for it"
    )
    share: float = quantity(
        "These cycles, as a share of all cycles that they waited.", "share", name="of its waiting", digits=1
    )
    without: float | None = quantity(
        "Run time of the explained job without this job, a mean over draws; none if not simulated.",
        "s",
        name="time without it",
        digits=2,
    )
    saved: float | None = quantity(
        "Share of its time in the same draws that the explained job saves without this job.",
        "share",
        name="saving",
        digits=1,
    )
    half_width: float | None = quantity(
        "Half-width of the 95 % interval of the saving.", "share", name="± of saving", digits=1
    )


@dataclass(frozen=True)
class WaitedLink:
    link: str  # the link in words
    # Router and port of the link.
    router: int
    port: int
    amount: int  # cycles of waiting for all others
    others: dict[int, int]  # cycles of waiting for each, by the number of the job, in decreasing order


# What can be known of the job without which another saves most, and on how many of the foreign workloads on
# which it was said it was right: docs/background/stall-attribution.md.
VERDICTS = {"first": (48, 49), "among the first three": (9, 9), "not known": None}


@dataclass(frozen=True)
class Explanation(PlainData):
    job: JobRow  # result row of the job
    own: int  # cycles that its packets waited for each other
    # Jobs that ran at the same time: those without which the run was repeated, in decreasing order of the
    # saving, then the others in decreasing order of the waiting for them.
    neighbours: tuple[Neighbour, ...]
    links: tuple[WaitedLink, ...]  # links with the most waiting for others
    verdict: str  # what is known of the first of `neighbours`, see `VERDICTS`
    draws: int  # on which savings are measured


@dataclass(frozen=True)
class WhatIf(PlainData):
    """The time of a job, and its time after a change."""

    job: int = quantity("Number of the job.")
    application: str = quantity("Application of the job.")
    size: int = quantity("Number of nodes of the job.", name="nodes")
    alone: float = quantity("Run time without other jobs.", "s", digits=2)
    live: float = quantity("Run time in the co-simulation.", "s", digits=2)
    what_if: float = quantity("Run time after the change.", "s", digits=2)
    change: float | None = quantity(
        "`what_if` divided by `live`; none for a job without cycles.", "what if / live", digits=4
    )
    late: float = quantity("How much later the job starts.", "s", name="starts later", digits=2)
