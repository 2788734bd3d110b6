"""Picture of a machine: which job holds which nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import hsv_to_rgb
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from netplace.report.plots.page import page
from netplace.topologies import Grid, Hierarchy, Topology, Tree, hierarchy

__all__ = ["draw_occupancy", "draw_occupancy_on", "draw_places_on", "job_colours", "map_shape", "node_places"]

_FREE = 0.88  # grey of a free node
_SERVICE = np.full(3, 0.25)  # nodes that do not compute
_LEGEND = 12  # jobs that a legend names
_LABELS = 64  # slices that are named in the picture
_LINES = 160  # nodes or switches a row between which lines are drawn
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class _Map:
    """Where the nodes stand: ``place[y, x]`` is a node, or -1 where there is none; row 0 is on top or not."""

    place: NDArray[np.int64]
    xlabel: str
    ylabel: str
    upwards: bool = False
    slices: tuple[tuple[str, int, int], ...] = ()  # name, x and y of each slice
    lines: tuple[tuple[int, int], ...] = ()  # nodes along X between lines, their level
    above: tuple[tuple[int, int], ...] = ()  # rows above which a line lies, its level


def draw_occupancy(path: Path, topology: Topology, holder: ArrayLike, title: str) -> None:
    """Draw the nodes of a machine, colored by the job that holds them.

    A mesh or torus of two dimensions is a map, one of more is slices of it, one for each Z (and each place
    in the dimensions beyond); a tree is rows of leaves, those of a switch in rows of their own where switches
    differ in size, with lines between the nodes of different switches,
    broader the higher the lowest switch that they share.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    topology : Topology
        The machine.
    holder : array_like of int, shape (nodes,)
        Number of the job on each node; negative: the node is free.
    title : str
        Title of the picture.
    """
    with page(path, _height(_map(topology).place.shape)) as figure:
        axes = figure.subplots()
        draw_occupancy_on(axes, topology, holder)
        figure.suptitle(title)


def draw_occupancy_on(axes: Axes, topology: Topology, holder: ArrayLike) -> None:
    """Draw what `draw_occupancy` draws on axes."""
    whose = np.asarray(holder)
    if whose.shape != (topology.nodes,):
        raise ValueError(
            f"holder: has shape {whose.shape}, expected one job for each of the {topology.nodes} nodes of "
            f"{topology}"
        )
    drawn = _map(topology)
    colours = np.where((whose >= 0)[:, None], job_colours(np.maximum(whose, 0)), _FREE)
    colours[topology.service] = _SERVICE
    draw_places_on(axes, topology, colours)
    for name, x, y in drawn.slices if len(drawn.slices) <= _LABELS else ():
        axes.text(x - 0.4, y - 0.6, name, fontsize="small", va="bottom", ha="left")
    axes.set_xlabel(f"{drawn.xlabel}\n{_count(whose)}", fontsize="small")
    axes.set_ylabel(drawn.ylabel, fontsize="small")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(
            NullLocator() if drawn.slices else MaxNLocator("auto", integer=True, min_n_ticks=1)
        )
    _name_jobs(axes, whose)


def draw_places_on(axes: Axes, topology: Topology, colours: NDArray[np.float64]) -> None:
    """Draw the nodes of a machine on axes, each in its color, shape (nodes, 3)."""
    drawn = _map(topology)
    image = np.where((drawn.place >= 0)[..., None], colours[drawn.place], 1.0)
    axes.imshow(image, interpolation="nearest", origin="lower" if drawn.upwards else "upper")
    _divide(axes, drawn)


def node_places(topology: Topology) -> NDArray[np.int64]:
    """Return where each node stands on the map of a machine, shape (nodes, 2): from the left and the top."""
    drawn = _map(topology)
    places = np.zeros((topology.nodes, 2), np.int64)
    row, column = np.nonzero(drawn.place >= 0)
    down = drawn.place.shape[0] - 1 - row if drawn.upwards else row
    places[drawn.place[row, column]] = np.stack([column, down], axis=-1)
    return places


def map_shape(topology: Topology) -> tuple[int, int]:
    """Return how many nodes the map of a machine is tall and wide."""
    tall, wide = _map(topology).place.shape
    return tall, wide


def job_colours(jobs: ArrayLike) -> NDArray[np.float64]:
    """Return the color of each job, the same in every picture, shape (..., 3), red, green and blue 0..1.

    Hues are a golden section of the circle apart, so jobs with neighboring numbers differ much.
    """
    numbers = np.asarray(jobs, np.int64)
    hue = numbers * _GOLDEN % 1
    shade = numbers % 3
    return np.asarray(hsv_to_rgb(np.stack([hue, 0.85 - 0.2 * shade, 0.75 + 0.1 * shade], axis=-1)))


def _map(topology: Topology) -> _Map:
    """Return where to draw the nodes."""
    if isinstance(topology, Grid):
        return _slices(topology)
    if isinstance(topology, Tree):
        return _leaves(topology)
    if known := hierarchy(topology):
        return _switches(known)
    width = math.ceil(math.sqrt(topology.nodes))
    return _Map(_rows(np.arange(topology.nodes), width), "node", f"rows of {width} nodes")


def _slices(grid: Grid) -> _Map:
    """Return the slices of a grid, row by row, with room for a name above each."""
    nodes = np.arange(grid.nodes).reshape(grid.sizes[::-1])
    if grid.dims <= 2:
        return _Map(np.atleast_2d(nodes), "X", "Y", upwards=True)
    wide, tall, count = grid.sizes[0], grid.sizes[1], math.prod(grid.sizes[2:])
    room = -(-tall // 12)  # rows for the name
    across = max(1, round(math.sqrt(count * (tall + room) / (wide + 1))))
    place = np.full((-(-count // across) * (tall + room), min(across, count) * (wide + 1) - 1), -1)
    names = []
    for number, members in enumerate(nodes.reshape(count, tall, wide)):
        x, y = number % across * (wide + 1), number // across * (tall + room) + room
        place[y : y + tall, x : x + wide] = members[::-1]
        at = np.unravel_index(number, grid.sizes[:1:-1])[::-1]
        names.append((f"Z = {', '.join(str(int(coordinate)) for coordinate in at)}", x, y))
    ylabel = "Y, a slice for each Z" + (" and each place beyond" if grid.dims > 3 else "")
    return _Map(place, "X", ylabel, slices=tuple(names))


def _leaves(tree: Tree) -> _Map:
    """Return the nodes of a tree in rows, each one a subtree of about half of the levels."""
    level = -(-tree.stages // 2)
    width = tree.down**level
    lines = tuple((tree.down**below, below) for below in range(1, tree.stages))
    return _Map(
        _rows(np.arange(tree.nodes), width),
        f"nodes, {tree.down} a leaf switch",
        f"subtrees of {width} nodes",
        lines=lines,
    )


def _switches(tree: Hierarchy) -> _Map:
    """Return the nodes of a tree of any shape: a row for each leaf switch, or several for a large one."""
    leaves, width = tree.starts[1], math.ceil(2 * math.sqrt(len(tree.order)))
    rows, first = list[NDArray[np.int64]](), dict[int, int]()
    for begin, end in zip(leaves[:-1].tolist(), leaves[1:].tolist(), strict=True):
        first[begin] = len(rows)
        rows += [tree.order[at : min(at + width, end)] for at in range(begin, end, width)]
    place = np.full((len(rows), max(map(len, rows))), -1)
    for number, nodes in enumerate(rows):
        place[number, : len(nodes)] = nodes
    level = {
        first[begin]: at for at, starts in enumerate(tree.starts[2:-1], 1) for begin in starts[1:-1].tolist()
    }
    return _Map(place, "node at its leaf switch", "leaf switches", above=tuple(level.items()))


def _rows(nodes: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return nodes in rows of `width`, the last one filled up with -1."""
    place = np.full(-(-len(nodes) // width) * width, -1)
    place[: len(nodes)] = nodes
    return place.reshape(-1, width)


def _divide(axes: Axes, drawn: _Map) -> None:
    """Draw the lines between subtrees: below the size of a row they stand, above it they lie."""
    tall, wide = drawn.place.shape
    lying = 0
    for nodes, level in drawn.lines:
        if nodes < wide:
            if wide // nodes <= _LINES:
                across = np.arange(nodes, wide, nodes) - 0.5
                axes.vlines(across, -0.5, tall - 0.5, "white", linewidths=0.5 * level)
        else:
            lying += 1
            rows = nodes // wide
            if tall // rows <= _LINES:
                down = np.arange(rows, tall, rows) - 0.5
                axes.hlines(down, -0.5, wide - 0.5, "white", linewidths=0.5 * lying)
    for row, level in drawn.above:
        axes.axhline(row - 0.5, color="white", linewidth=1.5 * level)


def _count(whose: NDArray[np.int64]) -> str:
    """Return how many jobs hold how many nodes, in words."""
    held = whose[whose >= 0]
    return (
        f"{len(np.unique(held))} jobs hold {len(held):,} of {len(whose):,} nodes "
        f"({100 * len(held) / len(whose):.1f} %); grey: free"
    )


def _name_jobs(axes: Axes, whose: NDArray[np.int64]) -> None:
    """Add a legend of the jobs if there are few."""
    jobs = np.unique(whose[whose >= 0])
    if 0 < len(jobs) <= _LEGEND:
        marks = [
            Patch(color=tuple(colour), label=f"job {job}")
            for job, colour in zip(jobs.tolist(), job_colours(jobs), strict=True)
        ]
        axes.legend(handles=marks, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))


def _height(shape: tuple[int, ...]) -> float:
    """Return the height of the picture in inches, after how many nodes are across and down."""
    tall, wide = shape
    return min(8.5, max(2.6, 5.4 * tall / wide + 1.0))
