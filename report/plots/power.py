"""Pictures of energy: states of the nodes and what they draw, over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.report.plots.page import COLOURS, page, until
from netplace.scheduling.energy import Energy

__all__ = ["draw_power"]

_HOUR = 3600.0
_MOST_STEPS = 1000  # beyond which means of windows are drawn
# From the bottom: what works, what is ready, what is in between, what is off.
_STACK = {"busy": COLOURS[0], "idle": "#c9d6e8", "booting": COLOURS[1], "stopping": COLOURS[3], "off": "0.9"}


def draw_power(path: Path, energy: Energy, title: str) -> None:
    """Draw how many nodes are in which state over time, and below it what all of them draw.

    Where there are too many changes to be seen, means of windows are drawn.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    energy : Energy
        What the nodes did.
    title : str
        Title of the picture.
    """
    time, values = _windows(energy)
    hours = (time - energy.time[0]) / _HOUR
    with page(path, 4.4) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        base = np.zeros(len(time) - 1)
        for state, colour in _STACK.items():
            if not values[state].any():
                continue
            upper.stairs(base + values[state], hours, baseline=base, fill=True, color=colour, label=state)
            base = base + values[state]
        upper.set(ylabel="nodes", ylim=until(base.max()))
        upper.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), reverse=True)
        watts = sum(values[state] * energy.watts[state] for state in values)
        lower.stairs(np.asarray(watts) / 1000, hours, color=COLOURS[0])
        lower.set(ylabel="power (kW)", xlabel="time (h)", xlim=until(hours[-1]))
        lower.set_ylim(0, None)
        lower.grid(alpha=0.3)
        upper.set_title(title)


def _windows(energy: Energy) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return the times and nodes by state, as they are or as means of windows."""
    if len(energy.time) - 1 <= _MOST_STEPS:
        return energy.time, {state: energy.nodes[state].astype(float) for state in _STACK}
    edges = np.linspace(energy.time[0], energy.time[-1], _MOST_STEPS // 2 + 1)
    lasting = np.diff(energy.time)
    by_state = {}
    for state in _STACK:
        sums = np.concatenate([[0.0], np.cumsum(energy.nodes[state] * lasting)])
        by_state[state] = np.diff(np.interp(edges, energy.time, sums)) / np.diff(edges)
    return edges, by_state
