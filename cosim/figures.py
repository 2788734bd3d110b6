"""What came of the jobs, one by one and together, as JSON can hold it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from netplace.cosim.measured import Measured
from netplace.netsim import Config
from netplace.scheduling import Schedule, State
from netplace.scheduling.metrics import measure

__all__ = ["figures", "job_rows", "table_error", "within_chance"]

Row = dict[str, Any]

# Groups of jobs by which the error of a table is told.
GROUPS: dict[str, Callable[[Row], str]] = {
    "application": lambda row: str(row["application"]) or "computation alone",
    "size": lambda row: str(row["size"]),
    "contiguous": lambda row: "contiguous" if row["contiguous"] else "scattered",
}


def job_rows(
    schedule: Schedule,
    measured: Mapping[int, Measured],
    config: Config,
    unmapped: Mapping[int, float] | None = None,
) -> list[Row]:
    """Return what came of each job; times in seconds.

    ``alone`` is the time that the job would have taken from the same start, on the same nodes, with nobody
    else there; ``fresh`` that on a new network, as a table has it; ``live`` what it took; ``slowdown`` is
    live over alone. Those of a job that did not end well are None.

    Of the jobs of a log, for which `unmapped` has the cycles alone with tasks in the order of the nodes,
    there are these as ``unmapped``, and the run time of the log as ``logged``; other jobs have none.
    """
    second = config.cycle_ns * 1e-9
    assert schedule.allocations is not None
    rows = []
    for row, number in enumerate(schedule.number.tolist()):
        done = measured.get(number) if schedule.state[row] == State.DONE else None
        held = schedule.allocations[row]
        rows.append(
            {
                "job": number,
                "application": done.placed.work.application if done else "",
                "size": int(schedule.nodes[row]),
                "submit": float(schedule.submit[row]),
                "wait": float(schedule.start[row] - schedule.submit[row]),
                "start": float(schedule.start[row]),
                "end": float(schedule.end[row]),
                "nodes": (done.placed.nodes if done else held).tolist(),
                "contiguous": bool(schedule.contiguous[row]),
                "state": State(int(schedule.state[row])).name.lower(),
                "kills": int(schedule.kills[row]),
                "start_cycle": done and done.start,
                "end_cycle": done and done.start + round(done.live),
                "alone": done and done.alone * second,
                "fresh": done and done.fresh * second,
                "live": done and done.live * second,
                "slowdown": done and (done.live / done.alone if done.alone else 1.0),
                "half_width": done and done.half_width,
                "slowdown_half_width": done and done.chance * (done.live / done.alone if done.alone else 1.0),
                **({} if unmapped is None else _of_log(done, number, unmapped, second)),
            }
        )
    return rows


def _of_log(
    done: Measured | None, number: int, unmapped: Mapping[int, float], second: float
) -> dict[str, float | None]:
    if done is None:
        return {"logged": None, "unmapped": None}
    return {"logged": float(done.placed.job.run_time), "unmapped": unmapped[number] * second}


def figures(schedule: Schedule, rows: Sequence[Row], live: bool) -> dict[str, Any]:
    """Return the figures of a run.

    ``schedule`` are those of the job level; ``sharing`` what sharing the network cost; ``table_error`` by how
    much the time of a table, fresh, is beside the live one, as a share of it, None where times are a table's.
    """
    done = [row for row in rows if row["live"] is not None]
    return {
        "schedule": measure(schedule).to_dict(),
        "sharing": _sharing(done),
        "table_error": table_error(done) if live else None,
    }


def table_error(done: Sequence[Row]) -> dict[str, Any] | None:
    """Return the error of a table over all jobs, and by the groups of `GROUPS`."""
    if not done:
        return None
    found: dict[str, Any] = {"all": _error(done)}
    for name, group in GROUPS.items():
        members: dict[str, list[Row]] = {}
        for row in done:
            members.setdefault(group(row), []).append(row)
        found[name] = {key: _error(members[key]) for key in sorted(members, key=_in_order)}
    return found


def within_chance(row: Mapping[str, Any]) -> bool:
    """Tell whether a job's slowdown differs from 1, and by no more than chance makes it."""
    return bool(0 < abs(row["slowdown"] - 1) <= (row.get("slowdown_half_width") or 0))


def _in_order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


def _sharing(done: Sequence[Row]) -> dict[str, Any] | None:
    if not done:
        return None
    slowdown = np.array([row["slowdown"] for row in done])
    lost = np.array([(row["live"] - row["alone"]) * row["size"] for row in done])
    needed = sum(row["alone"] * row["size"] for row in done)
    p50, p95 = np.percentile(slowdown, (50, 95)).tolist()
    return {
        "jobs": len(done),
        "mean_slowdown": float(slowdown.mean()),
        "median_slowdown": p50,
        "p95_slowdown": p95,
        "most_slowdown": float(slowdown.max()),
        "slowed_by_1_percent": float((slowdown > 1.01).mean()),
        "within_chance": float(np.mean([within_chance(row) for row in done])),
        "node_hours": float(lost.sum()) / 3600,
        "share_of_node_hours": float(lost.sum() / needed) if needed else 0.0,
    }


def _error(rows: Sequence[Row]) -> dict[str, float]:
    # A job of no cycles has no error.
    error = np.abs([row["fresh"] / row["live"] - 1 if row["live"] else 0.0 for row in rows])
    return {
        "jobs": len(rows),
        "mean": float(error.mean()),
        "p95": float(np.percentile(error, 95)),
        "most": float(error.max()),
    }
