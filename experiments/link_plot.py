"""Pictures of link loads."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.outputs import whole_file
from netsim import Result
from topologies import Grid, Topology, Tree

__all__ = ["draw_links"]

_LABEL = "load (phits a cycle)"


def draw_links(path: Path, topology: Topology, result: Result, title: str) -> None:
    """Draw the load of every directed link.

    A 2-D mesh or torus is drawn as a map; of other networks the loads are sorted, a curve for each direction
    or each stage of a tree.
    """
    figure = Figure(figsize=(7, 5.8), layout="constrained")
    axes = figure.subplots()
    if isinstance(topology, Grid) and topology.dims == 2:
        _map(axes, topology, result.link_load)
    else:
        _curves(axes, topology, result.link_load)
    axes.set_title(textwrap.fill(title, 80), fontsize=10)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _map(axes: Axes, grid: Grid, load: NDArray[np.float64]) -> None:
    """Draw the nodes, and beside each line between two of them its two directions, each on its right."""
    place = grid.coordinates(np.arange(grid.nodes)).astype(float)
    router, port = np.nonzero(grid.neighbor >= 0)
    forward = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])[port]
    aside = np.array([(0, -1), (0, 1), (1, 0), (-1, 0)])[port] * 0.07
    adjacent = (place[router] + forward == place[grid.neighbor[router, port]]).all(axis=1)
    length = np.where(adjacent, 0.8, 0.4)[:, None]  # what wraps around is a stub
    start = place[router] + aside + forward * 0.1
    lines = np.stack([start, start + forward * length], axis=1)
    scale = Normalize(0, max(float(load.max(initial=0.0)), 1e-9))
    colours = colormaps["plasma_r"]
    width = max(0.8, 28 / max(grid.sizes))
    axes.add_collection(
        LineCollection(list(lines), colors=colours(scale(load[router, port])), linewidths=width)
    )
    axes.plot(*place.T, "o", color="0.25", markersize=width)
    axes.set(xlabel="X (each direction of a link is drawn on its right)", ylabel="Y", aspect="equal")
    axes.margins(0.03)
    axes.figure.colorbar(ScalarMappable(scale, colours), ax=axes, label=_LABEL, shrink=0.8)


def _curves(axes: Axes, topology: Topology, load: NDArray[np.float64]) -> None:
    """Draw the sorted loads of every kind of link."""
    for name, links in _kinds(topology).items():
        loads = np.sort(load[links])[::-1]
        axes.plot(np.linspace(0, 100, len(loads)), loads, label=name, linewidth=1.8)
    axes.set(xlabel="links, most loaded first (%)", ylabel=_LABEL, ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9)


def _kinds(topology: Topology) -> dict[str, NDArray[np.bool_]]:
    """Return the wired links (routers, ports) of every direction or stage, by name."""
    wired = topology.neighbor >= 0
    kinds = {}
    if isinstance(topology, Grid):
        for port in range(topology.ports):
            axis = "XYZ"[port // 2] if topology.dims <= 3 else f"dimension {port // 2} "
            kinds[f"{axis}{'+-'[port % 2]}"] = wired & (np.arange(topology.ports) == port)
    elif isinstance(topology, Tree):
        stage = topology.stage_of(np.arange(topology.routers))
        above = stage[np.where(wired, topology.neighbor, 0)] > stage[:, None]
        for level in range(topology.stages):
            below = "nodes" if level == 0 else f"stage {level - 1}"
            kinds[f"{below} up"] = wired & above & (stage[:, None] == level - 1)
            kinds[f"stage {level} down"] = wired & ~above & (stage[:, None] == level)
    else:
        kinds["links"] = wired
    return {name: links for name, links in kinds.items() if links.any()}
