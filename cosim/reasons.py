"""Why a job was slow: with whom it shared which links, and what it would have taken without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.carry import placing_of
from netplace.cosim.placed import Placing
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import Started, replay, started_jobs
from netplace.netsim import Network
from netplace.topologies import Grid, Topology

__all__ = ["link_name", "links_of", "reasons"]

_AXES = "XYZUVW"


@dataclass(frozen=True)
class _Neighbour:
    """Another job that was there at the same time."""

    job: Started
    overlap: float  # share of our time
    shared: NDArray[np.int64]  # packets on each link, the fewer of ours and its own


def reasons(
    plan: CosimPlan, rows: Sequence[Mapping[str, Any]], job: int, suspects: int = 3, links: int = 5
) -> dict[str, Any]:
    """Return who slowed a job, on which links, and what it would have taken without each, and alone.

    Jobs that were there at the same time are put in order of the packets on links that both use: for each
    link the fewer of the two jobs' packets, times the share of the job's time in which the other was there.
    The first `suspects` of them are taken out, one at a time, and the run is made again with all starts as
    they were.

    Parameters
    ----------
    plan : CosimPlan
        What was carried out.
    rows : sequence of mapping
        What came of its jobs.
    job : int
        The job that is asked about.
    suspects : int
        How many others are taken out, one run each.
    links : int
        How many links are told, those with most packets of others.

    Raises
    ------
    ValueError
        If there is no such job, or the run cannot be made again.
    """
    row = _row(rows, job)
    everybody = started_jobs(plan, rows)
    placing = placing_of(plan)
    ours = next(started for started in everybody if started.number == job)
    mine = links_of(placing, ours)
    ends = {one["job"]: one["end_cycle"] for one in rows}
    found = [
        _Neighbour(other, overlap, np.minimum(mine, links_of(placing, other)))
        for other in everybody
        if other.number != job
        and (overlap := _overlap(ours.start, ends[job], other.start, ends[other.number])) > 0
    ]
    found.sort(key=lambda one: -float(one.shared.sum()) * one.overlap)
    second = plan.config.cycle_ns * 1e-9
    told = [
        {
            "job": one.job.number,
            "application": one.job.placed.work.application,
            "size": len(one.job.placed.nodes),
            "overlap": one.overlap,
            "links": int(np.count_nonzero(one.shared)),
            "packets": int(one.shared.sum()),
            "without": None,
            "saved": None,
        }
        for one in found
    ]
    for one in told[:suspects]:
        if one["packets"]:
            left = [started for started in everybody if started.number != one["job"]]
            without = replay(placing, left, until=job).cycles[job] * second
            one |= {"without": without, "saved": (row["live"] - without) / row["alone"]}
    return {
        "job": row,
        "neighbours": told,
        "links": _most_shared(placing.machine, mine, found, links),
    }


def links_of(placing: Placing, started: Started) -> NDArray[np.int64]:
    """Return the packets of a job on each link, alone on a new network; shape (routers, ports)."""
    network = Network(placing.machine, placing.config, seed=placing.seed)
    network.start(placing.program(started.placed), started.placed.nodes)
    network.finish()
    return np.asarray(network.counters().link_packets, np.int64)


def link_name(machine: Topology, router: int, port: int) -> str:
    """Return a link in words, such as ``5 -> 6 (X+)``; switches of a tree by stage are routers too."""
    end = int(machine.neighbor[router, port])
    if isinstance(machine, Grid):
        return f"{router} -> {end} ({_AXES[port // 2] if port < 12 else port // 2}{'+-'[port % 2]})"
    kind = [f"node {number}" if number < machine.nodes else f"switch {number}" for number in (router, end)]
    return " -> ".join(kind)


def _row(rows: Sequence[Mapping[str, Any]], job: int) -> Mapping[str, Any]:
    for row in rows:
        if row["job"] == job:
            if row["live"] is None:
                raise ValueError(f"job {job}: did not come to its end, so there is no time to explain")
            return row
    numbers = sorted(row["job"] for row in rows)
    raise ValueError(f"job {job}: there is none of that number, expected {numbers[0]} to {numbers[-1]}")


def _overlap(start: int, end: int, other_start: int, other_end: int) -> float:
    """Return the share of the first interval in which the second is."""
    return max(0, min(end, other_end) - max(start, other_start)) / max(1, end - start)


def _most_shared(
    machine: Topology, mine: NDArray[np.int64], found: Sequence[_Neighbour], count: int
) -> list[dict[str, Any]]:
    """Return the links with most shared packets, and whose they are."""
    total = sum((one.shared * one.overlap for one in found), np.zeros(mine.shape))
    told = []
    for place in np.argsort(-total, axis=None, kind="stable")[:count].tolist():
        router, port = divmod(place, mine.shape[1])
        if total[router, port] <= 0:
            break
        others = [(float(one.shared[router, port]) * one.overlap, one.job.number) for one in found]
        told.append(
            {
                "link": link_name(machine, router, port),
                "router": router,
                "port": port,
                "packets": int(mine[router, port]),
                "others": [number for much, number in sorted(others, reverse=True) if much > 0],
            }
        )
    return told
