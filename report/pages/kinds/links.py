"""Loads of links where they stand on a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netplace.cosim.reasons import link_name
from netplace.report.pages.page import NetworkMap
from netplace.report.plots.layout import panels
from netplace.topologies import Topology

__all__ = ["network_map"]

_GAP = 0.08  # of the height of a panel, between two panels
_MOST_WINDOWS = 60


def network_map(
    machine: Topology, links: Sequence[Mapping[str, Any]], window: int, cycle_ns: float
) -> NetworkMap:
    """Return the waiting that links caused among jobs, in all and window by window."""
    routers: list[tuple[float, float]] = []
    places: dict[tuple[int, int], tuple[float, float, float, float]] = {}
    down = 0.0
    for panel in panels(machine):
        stands = np.asarray(panel.place, float)
        low, high = (stands.min(axis=0), stands.max(axis=0)) if len(stands) else (np.zeros(2), np.ones(2))
        # A tree is as wide as it has leaves: what counts is who is beside whom, not how far.
        size = np.where(high - low > 0, high - low, 1.0)
        scale = np.ones(2) if panel.equal else np.array([1.0, 0.5]) * 10 / size
        offset = np.array([0.0, down]) - np.array([low[0], high[1]]) * scale
        routers += [tuple(place) for place in (stands * scale + offset).round(4).tolist()]
        lines = (np.asarray(panel.lines, float) * scale + offset).round(4)
        for router, port, ends in zip(
            panel.router.tolist(), panel.port.tolist(), lines.tolist(), strict=True
        ):
            places.setdefault((router, port), (*ends[0], *ends[1]))
        down -= float((size * scale)[1]) * (1 + _GAP) + 1
    waited = {(link["router"], link["port"]): link for link in links}
    course = max((len(link["over_time"]) for link in links), default=0)
    step, width = max(1, -(-course // _MOST_WINDOWS)), window * cycle_ns / 1000
    loads = [[waited[key]["others"] if key in waited else 0 for key in places]]
    names = ["all the time"]
    for begin in range(0, course, step):
        loads.append(
            [sum(waited[key]["over_time"][begin : begin + step]) if key in waited else 0 for key in places]
        )
        names.append(f"from {begin * width:,.4g} to {(begin + step) * width:,.4g} µs")
    return NetworkMap(
        title="Where jobs waited for others",
        caption="Cycles that packets waited for a link because of another job's. "
        "Move the slider for windows of time.",
        height=460,
        routers=routers,
        links=list(places.values()),
        names=[link_name(machine, router, port) for router, port in places],
        loads=loads,
        windows=names,
        value="cycles",
    )
