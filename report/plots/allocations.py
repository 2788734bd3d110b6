"""Picture of what allocators choose on one machine: a map for each."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.report.plots.occupancy import draw_places_on, map_shape
from netplace.report.plots.page import WIDTH, page
from netplace.topologies import Topology

__all__ = ["draw_allocations"]

_LINES = 12  # of the title of a map
_RULED = 64  # nodes across up to which there are lines between them
FREE, HELD, CHOSEN = (0.93, 0.93, 0.93), (0.62, 0.62, 0.62), (0.80, 0.27, 0.13)


def draw_allocations(
    path: Path,
    topology: Topology,
    held: NDArray[np.int64],
    chosen: Sequence[tuple[str, Collection[int]]],
    title: str,
) -> None:
    """Draw a map of the machine for each choice: free nodes light, held ones gray, the job's in color.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    topology : Topology
        The machine.
    held : ndarray of int64
        Nodes that others hold.
    chosen : sequence of (str, collection of int)
        Title of each map, and the nodes that the job gets there.
    title : str
        Title of the picture.
    """
    tall, wide = map_shape(topology)
    across = max(1, min(len(chosen), round(math.sqrt(len(chosen) * 1.5 * (tall + 4) / wide))))
    down = -(-len(chosen) // across)
    each = WIDTH / across
    wrapped = textwrap.TextWrapper(max(12, int(17 * each)), break_on_hyphens=False)
    titles = [wrapped.wrap(name)[:_LINES] for name, _ in chosen]
    room = 0.13 * max(map(len, titles)) + 0.25
    with page(path, min(9.0, down * (each * tall / wide + room) + 0.5)) as figure:
        grid = figure.subplots(down, across, squeeze=False).ravel()
        for axes in grid[len(chosen) :]:
            axes.axis("off")
        for axes, lines, (_, nodes) in zip(grid, titles, chosen, strict=False):
            colours = np.tile(np.array(FREE), (topology.nodes, 1))
            colours[held] = HELD
            colours[list(nodes)] = CHOSEN
            draw_places_on(axes, topology, colours)
            if max(tall, wide) <= _RULED:  # nodes can be counted
                axes.set_xticks(np.arange(wide) - 0.5, minor=True)
                axes.set_yticks(np.arange(tall) - 0.5, minor=True)
                axes.grid(which="minor", color="white", linewidth=0.6)
                axes.tick_params(which="minor", length=0)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title("\n".join(lines), fontsize="small", loc="left")
        figure.suptitle(title)
