"""The result of one job of a co-simulation: a row of ``jobs.csv`` and of ``cosim.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

__all__ = ["JobRow", "LoggedJobRow", "Times", "ended", "job_row"]


class Times(NamedTuple):
    """Times of a job on the network, in seconds, and the slowdown; see `JobRow`."""

    alone: float
    fresh: float
    live: float
    slowdown: float


@dataclass(frozen=True)
class JobRow:
    """One job. Times on the network are None if it did not end well.

    Attributes
    ----------
    job : int
        Number in the workload.
    application : str
        Application; empty if it sends nothing or did not end well.
    size : int
        Requested number of nodes.
    submit, start, end : float
        Seconds since the workload's origin.
    wait : float
        Seconds from its submission to its start.
    nodes : tuple of int
        Its nodes, in the order of its tasks.
    contiguous : bool
        Whether the nodes were contiguous.
    state : str
        Final state, a name of `netplace.scheduling.State` in lower case.
    kills : int
        Number of times that it was killed and started again.
    start_cycle, end_cycle : int or None
        Cycles of the network.
    alone : float or None
        Seconds from the same start, on the same nodes, without other jobs.
    fresh : float or None
        Seconds alone on a new network, as in a table.
    live : float or None
        Seconds in the co-simulation.
    slowdown : float or None
        `live` divided by `alone`.
    half_width : float or None
        Half-width of the interval of `live` at the level of 0.95, as a share of it; 0 if it was counted, not
        estimated.
    slowdown_half_width : float or None
        Half-width of the interval of `slowdown` from chance alone; None also in older files.
    """

    job: int
    application: str
    size: int
    submit: float
    wait: float
    start: float
    end: float
    nodes: tuple[int, ...]
    contiguous: bool
    state: str
    kills: int
    start_cycle: int | None
    end_cycle: int | None
    alone: float | None
    fresh: float | None
    live: float | None
    slowdown: float | None
    half_width: float | None
    slowdown_half_width: float | None = None

    @property
    def times(self) -> Times | None:
        """Times on the network; None if the job did not end well."""
        if self.alone is None or self.fresh is None or self.live is None or self.slowdown is None:
            return None
        return Times(self.alone, self.fresh, self.live, self.slowdown)

    @property
    def run(self) -> float:
        """Seconds from its start to its end."""
        return self.end - self.start

    @property
    def turnaround(self) -> float:
        """Seconds from its submission to its end."""
        return self.end - self.submit

    @property
    def doubt(self) -> float:
        """Half-width of the interval of `slowdown`, or that of the time if it is missing."""
        if self.slowdown_half_width is not None:
            return self.slowdown_half_width
        return (self.half_width or 0.0) * (self.slowdown or 0.0)

    @property
    def within_chance(self) -> bool:
        """Whether `slowdown` differs from 1, but not significantly."""
        return self.slowdown is not None and 0 < abs(self.slowdown - 1) <= (self.slowdown_half_width or 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the row by the names of its fields, as a dict for JSON."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        return plain | {"nodes": list(self.nodes)}


@dataclass(frozen=True)
class LoggedJobRow(JobRow):
    """One job of a log.

    Attributes
    ----------
    logged : float or None
        Run time of the log, in seconds.
    unmapped : float or None
        Seconds alone on the same nodes, with its tasks in the order of the nodes.
    """

    logged: float | None = None
    unmapped: float | None = None


def job_row(plain: Mapping[str, Any]) -> JobRow:
    """Return the row of a checked table of its fields."""
    kind = LoggedJobRow if "logged" in plain else JobRow
    return kind(**{**plain, "nodes": tuple(plain["nodes"])})


def ended(rows: Iterable[JobRow]) -> list[tuple[JobRow, Times]]:
    """Return the rows of the jobs that ended well, each with its times."""
    return [(row, times) for row in rows if (times := row.times) is not None]
