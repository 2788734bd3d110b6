"""Pictures of a network: what its links carry, and whose its nodes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize, to_hex, to_rgba
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from netplace.report.plots.layout import Panel, panels
from netplace.report.plots.occupancy import job_colours
from netplace.report.plots.page import COLOURS, SHADES, page
from netplace.topologies import Grid, Topology

__all__ = ["MEASURED", "draw_network", "draw_network_on"]

MEASURED = "load (phits a cycle)"
_FREE = "0.75"  # colour of a node that no job has
_IDLE = "0.9"  # colour of a link that carries nothing
_LEGEND = 12  # jobs that a legend names


def draw_network(
    path: Path,
    topology: Topology,
    load: NDArray[np.float64],
    jobs: Sequence[ArrayLike],
    title: str,
    label: str = MEASURED,
) -> None:
    """Draw the load of every directed link, and the nodes colored by job.

    A grid of up to two dimensions is drawn as a map, one of more as a map for each place in the others, a
    tree by its stages, a network of any wiring as a circle of switches, group by group. Of grids with too
    many such maps the sorted loads are drawn, a curve for each direction.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    topology : Topology
        The network.
    load : ndarray of float, shape (routers, ports)
        What each link carries.
    jobs : sequence of array_like of int
        The nodes of each job.
    title, label : str
        Title of the picture, and what `load` is, with its unit.
    """
    with page(path, _height(panels(topology))) as figure:
        draw_network_on(figure, topology, load, jobs, label)
        figure.suptitle(title)


def draw_network_on(
    figure: Figure | SubFigure,
    topology: Topology,
    load: NDArray[np.float64],
    jobs: Sequence[ArrayLike],
    label: str = MEASURED,
) -> None:
    """Draw what `draw_network` draws on a figure or part of one."""
    drawn = panels(topology)
    if not drawn:
        _curves(figure.subplots(), topology, load, label)
        return
    columns = _columns(len(drawn))
    places = figure.subplots(math.ceil(len(drawn) / columns), columns, squeeze=False).ravel()
    scale = Normalize(0, max(float(load.max(initial=0.0)), 1e-9))
    colours = _job_colours(topology, jobs)
    room = figure.bbox.height / figure.dpi / len(places) * columns / drawn[0].size
    for axes, panel in zip(places, drawn, strict=False):
        _map(axes, panel, load, scale, colours, min(1.0, room))
    for axes in places[len(drawn) :]:
        axes.set_axis_off()
    figure.colorbar(ScalarMappable(scale, SHADES), ax=places.tolist(), label=label, shrink=0.8)
    if 1 < len(jobs) <= _LEGEND:
        for number, nodes in enumerate(jobs):
            colour = colours[int(np.asarray(nodes)[0])]
            places[0].plot([], [], "o", color=colour, label=f"job {number}")
        figure.legend(loc="outside lower center", ncols=min(len(jobs), 8), frameon=False)


def _height(drawn: Sequence[Panel]) -> float:
    """Return the height of a picture of these panels, in inches."""
    if not drawn:
        return 4.4
    columns = _columns(len(drawn))
    rows = math.ceil(len(drawn) / columns)
    return min(8.5, max(2.4, 5.6 * rows / (drawn[0].aspect * columns) + 0.9))


def _columns(count: int) -> int:
    return max(1, math.ceil(math.sqrt(count)))


def _job_colours(topology: Topology, jobs: Sequence[ArrayLike]) -> list[str]:
    """Return the color of each router: that of the job on it; switches are dark."""
    colours: list[str] = [_FREE] * topology.nodes + ["0.25"] * (topology.routers - topology.nodes)
    for number, nodes in enumerate(jobs):
        for node in np.asarray(nodes).tolist():
            colours[node] = (
                COLOURS[number] if len(jobs) <= len(COLOURS) else to_hex(tuple(job_colours(number).tolist()))
            )
    return colours


def _map(
    axes: Axes,
    panel: Panel,
    load: NDArray[np.float64],
    scale: Normalize,
    colours: Sequence[str],
    room: float,
) -> None:
    """Draw links, the most loaded on top, and routers, so many times as thick as the panel says."""
    order = np.argsort(load[panel.router, panel.port], kind="stable")
    loads = load[panel.router, panel.port][order]
    shades = np.where((loads > 0)[:, None], SHADES(scale(loads)), to_rgba(_IDLE))
    axes.add_collection(
        LineCollection(list(panel.lines[order]), colors=shades, linewidths=room * panel.width)
    )
    whose = [colours[router] for router in panel.drawn.tolist()]
    x, y = panel.place.T
    axes.scatter(x, y, s=(room * panel.marker) ** 2, c=whose, zorder=3, linewidths=0)
    axes.set_aspect("equal" if panel.equal else "auto")
    axes.set_title(panel.title)
    axes.set_xlabel(panel.xlabel, fontsize="small")
    axes.set_ylabel(panel.ylabel, fontsize="small")
    axes.margins(0.03)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    if panel.rows:
        axes.set_yticks(range(len(panel.rows)), panel.rows)
        axes.set_xticks([])


def _curves(axes: Axes, topology: Topology, load: NDArray[np.float64], label: str) -> None:
    """Draw the sorted loads of the links of every direction."""
    wired = topology.neighbor >= 0
    for port in range(topology.ports):
        loads = np.sort(load[wired[:, port], port])[::-1]
        if len(loads):
            name = f"dimension {port // 2} {'+-'[port % 2]}" if isinstance(topology, Grid) else f"port {port}"
            axes.plot(np.linspace(0, 100, len(loads)), loads, label=name, linewidth=1.8)
    axes.set(xlabel="links, most loaded first (%)", ylabel=label, ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
