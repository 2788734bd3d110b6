"""The result of one job of a co-simulation: a row of ``jobs.csv`` and of ``cosim.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from netplace.cosim.placed import JobPlacer, PlacedJob
from netplace.placement.compactness import pairwise_sum
from netplace.plain_data import PlainData
from netplace.quantities import LESS, quantity
from netplace.scheduling import Schedule, State
from netplace.topologies.compute_nodes import slots_of


@dataclass(frozen=True, eq=False)
class Measured:
    placed: PlacedJob  # the job on its nodes
    start: int  # first cycle in which its tasks could act
    live: float  # from its start to its end
    alone: float  # time alone, with the same start, nodes, mapping and state of the network
    fresh: float  # time alone on a new network, as in a table
    # Half-widths of the intervals of `live`, `alone` and ``live / alone`` at the level of 0.95, as shares;
    # 0 if the time is exact, None for a single draw.
    half_width: float | None = 0.0
    alone_half_width: float | None = 0.0
    chance: float | None = 0.0
    ran: float | None = None  # cycles of the run that the schedule had, if `live` is a mean over draws


_TAKEN = ("start_cycle", "end_cycle", "alone", "fresh", "live", "slowdown", "half_width")


class Times(NamedTuple):
    """Times of a job on the network, in seconds, and the slowdown; see `JobRow`."""

    alone: float
    fresh: float
    live: float
    slowdown: float


@dataclass(frozen=True)
class JobRow(PlainData):
    """The results of one job.

    To add a figure, add a field here and its value in `job_rows`; `netplace.quantities` lists where it
    then appears. Times on the network are None if the job did not end successfully. Fields with a default may
    be missing from files written by older versions.
    """

    job: int = quantity("Number in the workload.")
    application: str = quantity("Application; empty if the job sends nothing or was not completed.")
    size: int = quantity("Requested number of nodes.")
    submit: float = quantity("Submission time, since the workload's origin.", "s", moment=True)
    wait: float = quantity("Time from submission to start.", "s")
    start: float = quantity("Start time, since the workload's origin.", "s", moment=True)
    end: float = quantity("End time, since the workload's origin.", "s", moment=True)
    nodes: tuple[int, ...] = quantity("Nodes of the job, in task order.", shown=False)
    contiguous: bool = quantity("Whether the nodes were contiguous.", shown=False)
    state: str = quantity("Final state.", shown=False)
    kills: int = quantity("Number of times that the job was killed and restarted.", shown=False)
    start_cycle: int | None = quantity("Cycle of its start.", "cycles", shown=False)
    end_cycle: int | None = quantity("Cycle of its end.", "cycles", shown=False)
    alone: float | None = quantity(
        "Run time from the same start, on the same nodes, without other jobs.", "s", name="run time alone",
        digits=1, better=LESS,
    )  # fmt: skip
    fresh: float | None = quantity("Run time alone on a new network, as in a table.", "s", shown=False)
    live: float | None = quantity(
        "Run time in the co-simulation; with several draws, their mean.",
        "s",
        name="run time in the live run",
        digits=1,
        better=LESS,
    )
    slowdown: float | None = quantity("`live` divided by `alone`.", "live / alone", digits=4, better=LESS)
    half_width: float | None = quantity(
        "Half-width of the interval of `live` at the level of 0.95, as a share of it; none for a single "
        "draw.",
        "share", name="±",
    )  # fmt: skip
    slowdown_half_width: float | None = quantity(
        "Half-width of the interval of `slowdown` at the level of 0.95; none for a single draw.",
        default=None, shown=False,
    )  # fmt: skip
    alone_half_width: float | None = quantity(
        "Half-width of the interval of `alone`, likewise.",
        "share", default=None, shown=False,
    )  # fmt: skip
    logged: float | None = quantity("Run time in the log, for jobs of a log.", "s", default=None)
    time_unmapped: float | None = quantity(
        "Run time alone on the same nodes with tasks in node order, for jobs of a log.", "s",
        default=None, shown=False,
    )  # fmt: skip
    mean_hops: float | None = quantity(
        "Mean distance between two of its nodes; 0 for a single node.", "hops", name="distance of its nodes",
        digits=2, better=LESS, default=None,
    )  # fmt: skip

    @property
    def times(self) -> Times | None:
        """Times on the network; None if the job did not end successfully."""
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
    def within_chance(self) -> bool:
        """Whether `slowdown` differs from 1, but by no more than chance explains."""
        return self.slowdown is not None and 0 < abs(self.slowdown - 1) <= (self.slowdown_half_width or 0)


def job_rows(
    schedule: Schedule,
    measured: Mapping[int, Measured],
    placing: JobPlacer,
    time_unmapped: Mapping[int, float] | None = None,
) -> list[JobRow]:
    """Return the result row of each job; `time_unmapped`: cycles of logged jobs alone with tasks in order."""
    second = placing.config.cycle_ns * 1e-9
    assert schedule.allocations is not None
    rows = []
    for row, number in enumerate(schedule.number.tolist()):
        done = measured.get(number) if schedule.state[row] == State.DONE else None
        nodes = done.placed.nodes if done else slots_of(placing.machine, schedule.allocations[row])
        taken: dict[str, Any] = dict.fromkeys(_TAKEN)
        if done is not None:
            slowdown = done.live / done.alone if done.alone else 1.0
            taken |= {
                "start_cycle": done.start,
                "end_cycle": done.start + round(done.live if done.ran is None else done.ran),
                "alone": done.alone * second,
                "fresh": done.fresh * second,
                "live": done.live * second,
                "slowdown": slowdown,
                "half_width": done.half_width,
                "alone_half_width": done.alone_half_width,
                "slowdown_half_width": None if done.chance is None else done.chance * slowdown,
            }
            if time_unmapped is not None:
                taken["logged"] = float(done.placed.job.run_time)
                taken["time_unmapped"] = time_unmapped[number] * second
        pairs = len(nodes) * (len(nodes) - 1) // 2
        rows.append(
            JobRow(
                job=number,
                application=done.placed.work.application if done else "",
                size=int(schedule.nodes[row]),
                submit=float(schedule.submit[row]),
                wait=float(schedule.start[row] - schedule.submit[row]),
                start=float(schedule.start[row]),
                end=float(schedule.end[row]),
                nodes=tuple(nodes.tolist()),
                contiguous=bool(schedule.contiguous[row]),
                state=State(int(schedule.state[row])).name.lower(),
                kills=int(schedule.kills[row]),
                **taken,
                mean_hops=pairwise_sum(placing.machine, nodes) / pairs if pairs else 0.0,
            )
        )
    return rows


def job_row(plain: Mapping[str, Any]) -> JobRow:
    """Return the row that `JobRow.to_dict` described."""
    return JobRow(**{**plain, "nodes": tuple(plain["nodes"])})


def job_rows_of(outcome: Mapping[str, Any]) -> list[JobRow]:
    """Return the job rows in the outcome of a co-simulation."""
    return [job_row(plain) for plain in outcome["jobs"]]


def ended(rows: Iterable[JobRow]) -> list[tuple[JobRow, Times]]:
    """Return the rows of the jobs that ended well, each with its times."""
    return [(row, times) for row in rows if (times := row.times) is not None]
