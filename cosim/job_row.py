"""What came of one job of a co-simulation: a row of ``jobs.csv`` and of ``cosim.json``."""

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
    """One job. Times on the network are None where it did not end well.

    Attributes
    ----------
    job : int
        Its number in the workload.
    application : str
        What it ran; empty: nothing that sends, or it did not end well.
    size : int
        Nodes it asked for.
    submit, start, end : float
        Seconds since the workload's origin.
    wait : float
        Seconds from its submission to its start.
    nodes : tuple of int
        Those that it held, in the order of its tasks.
    contiguous : bool
        Whether they were one piece of the machine.
    state : str
        How it ended, a name of `netplace.scheduling.State` in lower case.
    kills : int
        How often it was killed and began anew.
    start_cycle, end_cycle : int or None
        Cycles of the network.
    alone : float or None
        Seconds that it would have taken from the same start, on the same nodes, with nobody else there.
    fresh : float or None
        Seconds that it would have taken alone on a new network, as a table has it.
    live : float or None
        Seconds that it took.
    slowdown : float or None
        `live` over `alone`.
    half_width : float or None
        Of the interval of `live` at the level of 0.95, as a share of it; 0: it was counted, not estimated.
    slowdown_half_width : float or None
        Of the interval of `slowdown` that chance alone would give it; None also in files from before it was
        kept.
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
        """Its times on the network; None where it did not end well."""
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
        """Half-width of the interval of `slowdown`; where it was not kept, that of the time."""
        if self.slowdown_half_width is not None:
            return self.slowdown_half_width
        return (self.half_width or 0.0) * (self.slowdown or 0.0)

    @property
    def within_chance(self) -> bool:
        """Whether `slowdown` differs from 1, and by no more than chance makes it."""
        return self.slowdown is not None and 0 < abs(self.slowdown - 1) <= (self.slowdown_half_width or 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the row by the names of its fields, as JSON can hold it."""
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
    """Return the row of a table of its fields, which has been checked."""
    kind = LoggedJobRow if "logged" in plain else JobRow
    return kind(**{**plain, "nodes": tuple(plain["nodes"])})


def ended(rows: Iterable[JobRow]) -> list[tuple[JobRow, Times]]:
    """Return the rows of the jobs that ended well, each with its times."""
    return [(row, times) for row in rows if (times := row.times) is not None]
