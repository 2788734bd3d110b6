"""Figures of the nodes of a machine: which job holds them, and what allocators choose."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.report.plots.figure import (
    FREE,
    HELD,
    Axis,
    Boxes,
    Cells,
    Curve,
    Figure,
    Mark,
    Panel,
    Rule,
    Words,
)
from netplace.topologies import Grid, Hierarchy, Topology, Tree, hierarchy

_FREE = 0.88  # grey of a free node
_SERVICE = np.full(3, 0.25)  # nodes that do not compute
_LEGEND = 12  # jobs that a legend names
_LABELS = 64  # slices that are named in the picture
_LINES = 160  # nodes or switches a row between which lines are drawn
_TITLE_LINES = 12
_GOLDEN = (math.sqrt(5) - 1) / 2
_WHITE = "#ffffff"


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


def occupancy_figure(topology: Topology, holder: ArrayLike, title: str = "") -> Figure:
    """Return the nodes of a machine, colored by the job that holds them.

    A mesh or torus of two dimensions is a map; a larger one is slices of it, one for each Z (and each
    place in the dimensions beyond). A tree is rows of leaves, those of a switch in rows of their own where
    switches differ in size, with lines between the nodes of different switches: the broader a line, the
    higher is the lowest switch that both sides share. `holder`: the job on each node; negative: it is free.
    """
    whose = np.asarray(holder)
    if whose.shape != (topology.nodes,):
        raise ValueError(
            f"holder: has shape {whose.shape}, expected one job for each of the {topology.nodes} nodes of "
            f"{topology}"
        )
    drawn = _map(topology)
    colours = np.where((whose >= 0)[:, None], job_colours(np.maximum(whose, 0)), _FREE)
    colours[topology.service] = _SERVICE
    (tall, wide), (y, x) = drawn.place.shape, np.nonzero(drawn.place >= 0)
    nodes = drawn.place[y, x]
    marks: list[Mark] = [
        Cells(
            x=x,
            y=y,
            wide=wide,
            tall=tall,
            colours=colours[nodes],
            tips=[_on(node, whose) for node in nodes.tolist()],
        ),
        *_divided(drawn),
    ]
    if 0 < len(drawn.slices) <= _LABELS:
        texts, left, top = zip(*drawn.slices, strict=True)
        marks.append(Words(x=np.subtract(left, 0.4), y=np.subtract(top, 0.6), texts=texts, corner=True))
    jobs = np.unique(whose[whose >= 0])
    for job in jobs.tolist() if len(jobs) <= _LEGEND else ():
        marks.append(
            Curve(label=f"job {job}", colour=job_colour(job), x=[], y=[], line="", mark="s", size=7.0)
        )
    bare = bool(drawn.slices)
    panel = Panel(
        marks=marks,
        x=Axis(label=f"{drawn.xlabel}\n{_count(whose)}", low=-0.5, high=wide - 0.5, whole=True, hidden=bare),
        y=Axis(
            label=drawn.ylabel, low=-0.5, high=tall - 0.5, whole=True, hidden=bare, down=not drawn.upwards
        ),
        equal=True,
    )
    height = min(8.5, max(2.6, 5.4 * tall / wide + 1.0) + 0.3 * bool(len(jobs) <= _LEGEND))
    return Figure(title=title or str(topology), panels=[panel], height=height)


def _on(node: int, whose: NDArray[np.int64]) -> str:
    return f"node {node}: " + (f"job {whose[node]}" if whose[node] >= 0 else "free")


def allocation_figure(
    topology: Topology,
    held: Sequence[int] | NDArray[np.int64],
    chosen: Sequence[tuple[str, Collection[int]]],
    title: str,
) -> Figure:
    """Return maps of a machine with what each allocator chooses: free pale, held gray, the job's nodes red.

    `held`: nodes of other jobs; `chosen`: the title of each map, and the nodes that the job gets there.
    """
    places = node_places(topology)
    tall, wide = _map(topology).place.shape

    def boxes(nodes: Sequence[int], colour: str, kind: str) -> Boxes:
        x, y = places[list(nodes)].T
        tips = [f"node {node}: {kind}" for node in nodes]
        return Boxes(x0=x - 0.5, x1=x + 0.5, y0=y - 0.5, y1=y + 0.5, colour=colour, edge=True, tips=tips)

    every = range(topology.nodes)
    back = [boxes(every, FREE, "free"), boxes(np.asarray(held, int).tolist(), HELD, "held")]
    x, y = Axis(hidden=True), Axis(hidden=True, down=True)
    across = max(1, min(len(chosen), round(math.sqrt(len(chosen) * 1.5 * (tall + 4) / wide))))
    wrapped = textwrap.TextWrapper(max(12, int(119 / across)), break_on_hyphens=False)
    titles = [wrapped.wrap(name)[:_TITLE_LINES] for name, _ in chosen]
    maps = [[*back, boxes([*map(int, nodes)], "#D55E00", "chosen")] for _, nodes in chosen]
    grid = [
        Panel(marks=marks, x=x, y=y, equal=True, title="\n".join(lines))
        for lines, marks in zip(titles, maps, strict=True)
    ]
    room = 0.16 * max(map(len, titles)) + 0.2
    height = min(9.0, -(-len(chosen) // across) * (7 / across * tall / wide + room) + 0.5)
    return Figure(title=title, panels=grid, columns=across, height=height)


def node_places(topology: Topology) -> NDArray[np.int64]:
    """Return the place of each node on the map of a machine, shape (nodes, 2): from the left and the top."""
    drawn = _map(topology)
    places = np.zeros((topology.nodes, 2), np.int64)
    row, column = np.nonzero(drawn.place >= 0)
    down = drawn.place.shape[0] - 1 - row if drawn.upwards else row
    places[drawn.place[row, column]] = np.stack([column, down], axis=-1)
    return places


def job_colours(jobs: ArrayLike) -> NDArray[np.float64]:
    """Return colors, shape (..., 3), with hues a golden ratio apart, so that neighboring jobs differ much."""
    from matplotlib.colors import hsv_to_rgb

    numbers = np.asarray(jobs, np.int64)
    hue = numbers * _GOLDEN % 1
    shade = numbers % 3
    return np.asarray(hsv_to_rgb(np.stack([hue, 0.85 - 0.2 * shade, 0.75 + 0.1 * shade], axis=-1)))


def job_colour(job: int) -> str:
    from matplotlib.colors import to_hex

    return to_hex(tuple(job_colours(job).tolist()))


def _map(topology: Topology) -> _Map:
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
        f"nodes, {tree.down} per leaf switch",
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


def _divided(drawn: _Map) -> list[Rule]:
    """Return the lines between subtrees: below the size of a row they stand, above it they lie."""
    tall, wide = drawn.place.shape
    marks, lying = list[Rule](), 0
    for nodes, level in drawn.lines:
        lies = nodes >= wide
        lying += lies
        step, last, width = (nodes // wide, tall, lying) if lies else (nodes, wide, level)
        if last // step <= _LINES:
            marks += [
                Rule(at=at - 0.5, lying=lies, colour=_WHITE, width=0.5 * width)
                for at in range(step, last, step)
            ]
    return marks + [
        Rule(at=row - 0.5, lying=True, colour=_WHITE, width=1.5 * level) for row, level in drawn.above
    ]


def _count(whose: NDArray[np.int64]) -> str:
    """Return how many jobs hold how many nodes, in words."""
    held = whose[whose >= 0]
    return (
        f"{len(np.unique(held))} jobs occupy {len(held):,} of {len(whose):,} nodes "
        f"({100 * len(held) / len(whose):.1f} %); gray: free"
    )
