"""A workload in figures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.workload.load import load
from netplace.scheduling.workload.workload import Workload

__all__ = ["describe", "hours"]

_HOUR = 3600
_DAY_HOURS = 24


def describe(workload: Workload, nodes: int | None = None) -> dict[str, Any]:
    """Return the figures of a workload, as JSON can hold them.

    Parameters
    ----------
    workload : Workload
        At least one job.
    nodes : int, optional
        Nodes of the machine; by default those that the workload names.

    Returns
    -------
    dict
        ``records``, ``jobs``, ``dropped`` by reason; ``machine_nodes`` (None: not known), ``load`` (None: no
        machine, no run times, or all jobs at once), ``larger_than_machine``; ``span_seconds`` from first to
        last submission; ``nodes``, ``run_seconds`` and ``gap_seconds`` with mean, median and max; shares of
        jobs: ``serial`` (one node), ``power_of_two`` (of those on more than one), ``with_estimate``,
        ``over_estimate`` (of those with one), ``without_run_time`` (0 seconds); ``jobs_by_hour`` of the day;
        ``applications``.
    """
    machine = nodes or workload.machine_nodes
    carried = load(workload, machine) if machine and workload.run_time.any() else math.inf
    size, run_time, estimate = workload.nodes, workload.run_time, workload.estimate
    known = ~np.isnan(estimate)
    return {
        "records": workload.records,
        "jobs": len(workload),
        "dropped": dict(workload.dropped),
        "machine_nodes": machine,
        "larger_than_machine": int(np.count_nonzero(size > machine)) if machine else None,
        "load": carried if math.isfinite(carried) else None,
        "span_seconds": float(workload.submit[-1] - workload.submit[0]),
        "nodes": _spread(size),
        "run_seconds": _spread(run_time),
        "gap_seconds": _spread(np.diff(workload.submit)),
        "serial": _share(size == 1),
        "power_of_two": _share((size & (size - 1) == 0)[size > 1]),
        "with_estimate": _share(known),
        "over_estimate": _share((run_time > estimate)[known]),
        "without_run_time": _share(run_time == 0),
        "jobs_by_hour": np.bincount(hours(workload), minlength=_DAY_HOURS).tolist(),
        "applications": _applications(workload),
    }


def hours(workload: Workload) -> NDArray[np.int64]:
    """Return the hour of the day, 0 to 23, in which each job is submitted.

    Time 0 is the clock time of the header's ``StartTime``, or else midnight.
    """
    return ((workload.submit + _start(workload.header)) // _HOUR % _DAY_HOURS).astype(np.int64)


def _start(header: Sequence[str]) -> int:
    matches = (re.match(r"\s*StartTime:.*?(\d\d):(\d\d):(\d\d)", line) for line in header)
    match = next((match for match in matches if match), None)
    return (
        sum(int(part) * unit for part, unit in zip(match.groups(), (_HOUR, 60, 1), strict=True))
        if match
        else 0
    )


def _spread(values: NDArray[Any]) -> dict[str, float] | None:
    if not len(values):
        return None
    return {"mean": float(values.mean()), "median": float(np.median(values)), "max": float(values.max())}


def _share(which: NDArray[np.bool_]) -> float | None:
    return float(which.mean()) if len(which) else None


def _applications(workload: Workload) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (name, _), count in zip(workload.kinds, np.bincount(workload.kind).tolist(), strict=False):
        if name:
            counts[name] += count
    return dict(sorted(counts.items()))
