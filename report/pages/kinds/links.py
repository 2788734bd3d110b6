"""Loads of links, drawn on the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.waiting import Waiting
from netplace.report.plots.figure import Figure
from netplace.report.plots.networks import network_panel
from netplace.topologies import Topology

_MOST_WINDOWS = 60
_MOST_LINKS = 20_000  # that are drawn: those with most


def load_map(machine: Topology, ends: Sequence[int], rows: Sequence[Sequence[float]]) -> Figure:
    """Return the map of link loads (phits per cycle) of the whole run, and of windows that end at `ends`."""
    loads = np.zeros((1 + len(ends), *machine.neighbor.shape))
    for router, port, *course in rows:
        loads[: len(course), int(router), int(port)] = course
    names = [f"cycles {low:,} to {high:,}" for low, high in zip([0, *ends], ends, strict=False)]
    return _map(
        machine,
        loads,
        ["the whole run", *names],
        title="Link loads",
        caption="Load of each link, in phits per cycle; 1 is its capacity. "
        + ("Move the slider to another window of time." if ends else "--window N adds windows of time."),
        label="phits a cycle",
    )


def waiting_map(machine: Topology, waiting: Waiting, cycle_ns: float) -> Figure:
    """Return the waiting that links caused among jobs, in all and window by window."""
    course = max((len(link.over_time) for link in waiting.links), default=0)
    step, width = max(1, -(-course // _MOST_WINDOWS)), waiting.window * cycle_ns / 1000
    begins = range(0, course, step)
    waited = np.zeros((1 + len(begins), *machine.neighbor.shape))
    for link in waiting.links:
        if link.port < machine.neighbor.shape[1]:  # consumption is no link of the map
            sums = [sum(link.over_time[begin : begin + step]) for begin in begins]
            waited[:, link.router, link.port] = [link.others, *sums]
    names = [f"from {begin * width:,.4g} to {(begin + step) * width:,.4g} µs" for begin in begins]
    return _map(
        machine,
        waited,
        ["all the time", *names],
        title="Links where jobs waited for other jobs",
        caption="Cycles that packets waited for a link because of other jobs. Move the slider to another "
        "window of time.",
        label="cycles",
    )


def _map(
    machine: Topology,
    loads: NDArray[np.float64],
    frames: Sequence[str],
    *,
    title: str,
    caption: str,
    label: str,
) -> Figure:
    count = int((machine.neighbor >= 0).sum())
    if count > _MOST_LINKS:
        caption += f" The map shows {_MOST_LINKS:,} of {count:,} links, those with the highest values."
    panel, height = network_panel(machine, loads, (), label, name=machine.link_name, maximum=_MOST_LINKS)
    return Figure(
        title=title, caption=caption, panels=[panel], frames=frames, height=max(4.6, min(5.6, height))
    )
