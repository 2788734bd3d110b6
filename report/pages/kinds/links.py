"""Loads of links where they stand on a network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from netplace.cosim.reasons import link_name
from netplace.cosim.waiting import Waiting
from netplace.report.pages.figures import NetworkMap
from netplace.report.plots.layout import Panel, panels
from netplace.topologies import Topology

__all__ = ["load_map", "waiting_map"]

_GAP = 1.0  # between two panels, in the distance of two routers
_MOST_WINDOWS = 60
_MOST_LINKS = 20_000  # that are drawn: those with most


def load_map(machine: Topology, ends: Sequence[int], rows: Sequence[Sequence[float]]) -> NetworkMap:
    """Return what links carried, over the whole run and window by window.

    Parameters
    ----------
    machine : Topology
        The network.
    ends : sequence of int
        Cycles at which the windows end, if any were counted.
    rows : sequence of sequences
        Router, port, and the load of the whole run and in each window, in phits per cycle, of links that
        carried something.
    """
    loads = {(int(router), int(port)): course for router, port, *course in rows}
    names = [f"cycles {low:,} to {high:,}" for low, high in zip([0, *ends], ends, strict=False)]
    return _map(
        machine,
        loads,
        ["the whole run", *names],
        title="What links carried",
        caption="Load of each link, in phits a cycle: 1 is all that it can carry. "
        + ("Move the slider for windows of time." if ends else "--window N gives windows of time."),
        value="phits a cycle",
    )


def waiting_map(machine: Topology, waiting: Waiting, cycle_ns: float) -> NetworkMap:
    """Return the waiting that links caused among jobs, in all and window by window."""
    course = max((len(link.over_time) for link in waiting.links), default=0)
    step, width = max(1, -(-course // _MOST_WINDOWS)), waiting.window * cycle_ns / 1000
    begins = range(0, course, step)
    waited = {
        (link.router, link.port): [
            link.others,
            *(sum(link.over_time[begin : begin + step]) for begin in begins),
        ]
        for link in waiting.links
    }
    names = [f"from {begin * width:,.4g} to {(begin + step) * width:,.4g} µs" for begin in begins]
    return _map(
        machine,
        waited,
        ["all the time", *names],
        title="Where jobs waited for others",
        caption="Cycles that packets waited for a link because of another job's. "
        "Move the slider for windows of time.",
        value="cycles",
    )


@dataclass(frozen=True)
class _Layout:
    """Where routers stand, and the ends of the line of each link."""

    routers: list[tuple[float, float]]
    links: dict[tuple[int, int], tuple[float, float, float, float]]


def _map(
    machine: Topology,
    loads: Mapping[tuple[int, int], Sequence[float]],
    windows: Sequence[str],
    *,
    title: str,
    caption: str,
    value: str,
) -> NetworkMap:
    layout = _laid_out(panels(machine))
    drawn = list(layout.links)
    if len(drawn) > _MOST_LINKS:
        caption += f" The {_MOST_LINKS:,} links with most of {len(drawn):,}."
        drawn = sorted(drawn, key=lambda link: -loads[link][0] if link in loads else 0)[:_MOST_LINKS]
    nothing = [0.0] * len(windows)
    courses = [loads.get(link, nothing) for link in drawn]
    return NetworkMap(
        title=title,
        caption=caption,
        height=460,
        routers=layout.routers,
        links=[layout.links[link] for link in drawn],
        names=[link_name(machine, router, port) for router, port in drawn],
        loads=[list(window) for window in zip(*courses, strict=True)],
        windows=windows,
        value=value,
    )


def _laid_out(drawn: Sequence[Panel]) -> _Layout:
    """Return the panels of a network side by side, in as many rows as columns."""
    made = _Layout([], {})
    columns = max(1, math.ceil(math.sqrt(len(drawn))))
    down = 0.0
    for first in range(0, len(drawn), columns):
        across, tall = 0.0, 0.0
        for panel in drawn[first : first + columns]:
            width, height = _place(panel, across, down, made)
            across, tall = across + width + _GAP, max(tall, height)
        down -= tall + _GAP
    return made


def _place(panel: Panel, across: float, down: float, made: _Layout) -> tuple[float, float]:
    """Add a panel whose upper left corner is at a place, and return how wide and tall it is."""
    stands = np.asarray(panel.place, float)
    low, high = (stands.min(axis=0), stands.max(axis=0)) if len(stands) else (np.zeros(2), np.ones(2))
    # A tree is as wide as it has leaves: what counts is who is beside whom, not how far.
    size = np.where(high - low > 0, high - low, 1.0)
    scale = np.ones(2) if panel.equal else np.array([1.0, 0.5]) * 10 / size
    offset = np.array([across, down]) - np.array([low[0], high[1]]) * scale
    made.routers.extend(map(tuple, (stands * scale + offset).round(4).tolist()))
    lines = (np.asarray(panel.lines, float) * scale + offset).round(4).tolist()
    for router, port, ends in zip(panel.router.tolist(), panel.port.tolist(), lines, strict=True):
        made.links.setdefault((router, port), (*ends[0], *ends[1]))
    width, height = (size * scale).tolist()
    return width, height
