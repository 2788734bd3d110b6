"""Figures of a network: what its links carry, whose its nodes are, and the traffic between tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from netplace.report.plots.figure import (
    INK,
    PALE,
    Axis,
    Cells,
    Curve,
    Figure,
    Links,
    Mark,
    Panel,
    Shades,
    Words,
)
from netplace.report.plots.layout import Panel as Part
from netplace.report.plots.layout import panels
from netplace.report.plots.machines import job_colour
from netplace.topologies import Grid, Topology

MEASURED = "load (phits per cycle)"
_EXPECTED = "expected load (bytes, all minimal routes equally likely)"
_GAP = 1.0  # between two parts of a network, in the distance of two routers
_LEGEND = 12  # jobs that a legend names
_BESIDE = (0.15, 0.1)  # where the number of a router is, in the distance of two routers
_NUMBERED = 64  # routers of a network whose pictures have their numbers


def network_figure(
    topology: Topology,
    load: NDArray[np.float64],
    jobs: Sequence[ArrayLike] = (),
    title: str = "",
    label: str = MEASURED,
) -> Figure:
    """Return the load of every directed link, shape (routers, ports), and the nodes colored by job.

    A grid of up to two dimensions is a map; a larger one is a map for each place in the other dimensions. A
    tree is a row for each stage, and any other network a circle of switches, group by group. Of a grid with
    too many maps the sorted loads are drawn, a curve for each direction. `label`: what `load` is, with unit.
    """
    panel, height = network_panel(topology, load[None], jobs, label)
    return Figure(title=title or str(topology), panels=[panel], height=height)


def network_panel(
    topology: Topology,
    loads: NDArray[np.float64],
    jobs: Sequence[ArrayLike] = (),
    label: str = MEASURED,
    *,
    name: Callable[[int, int], str] | None = None,
    maximum: int | None = None,
) -> tuple[Panel, float]:
    """Return the panel of `network_figure` and its height; `loads` has shape (frames, routers, ports)."""
    drawn = panels(topology)
    if not drawn:
        return _sorted_loads(topology, loads[0], label), 4.4
    place, links, lines, words, (wide, tall) = _laid_out(topology, drawn)
    if maximum is not None and len(links) > maximum:
        kept = np.sort(np.argsort(-loads[0][links[:, 0], links[:, 1]], kind="stable")[:maximum])
        links, lines = links[kept], lines[kept]
    values = loads[:, links[:, 0], links[:, 1]]
    shown = math.ceil(math.sqrt(len(drawn)))
    thick, dot = (max(0.4, size / shown) for size in (drawn[0].width, drawn[0].marker))
    x0, y0, x1, y1 = lines.T
    marks: list[Mark] = [
        Links(
            x0=x0,
            y0=y0,
            x1=x1,
            y1=y1,
            values=values,
            width=thick,
            by_value=True,
            tips=[name(router, port) for router, port in links.tolist()] if name else (),
        )
    ]
    marks += _routers(topology, place, jobs, dot)
    if topology.routers <= _NUMBERED:
        numbers = [str(number) for number in range(topology.routers)]
        x, y = (place + _BESIDE).T
        marks.append(Words(x=x, y=y, texts=numbers, corner=True, colour=INK))
    if words:
        x, y, texts = zip(*words, strict=True)
        marks.append(Words(x=x, y=y, texts=texts, corner=True, colour=INK))
    shades = Shades(label=label, low=0.0, high=max(float(loads.max(initial=0.0)), 1e-9))
    label_x = drawn[0].xlabel
    panel = Panel(
        marks=marks, x=Axis(hidden=True, label=label_x), y=Axis(hidden=True), shades=shades, equal=True
    )
    return panel, min(8.5, max(2.4, 5.4 * tall / wide + 1.2))


def _routers(
    topology: Topology, place: NDArray[np.float64], jobs: Sequence[ArrayLike], size: float
) -> list[Curve]:
    """Return the routers: switches dark, free nodes pale, others in the colours of their jobs."""
    whose = np.full(len(place), -1)
    for number, nodes in enumerate(jobs):
        whose[np.asarray(nodes, int)] = number
    numbers = np.arange(len(place))
    kinds: list[tuple[NDArray[np.bool_], int | str, str]] = [
        (numbers >= topology.nodes, INK, ""),
        ((numbers < topology.nodes) & (whose < 0), PALE, ""),
    ]
    named = 1 < len(jobs) <= _LEGEND
    for number in range(len(jobs)):
        colour = number if len(jobs) <= 8 else job_colour(number)
        kinds.append((whose == number, colour, f"job {number}" if named else ""))
    return [
        Curve(label=label, colour=colour, x=place[own, 0], y=place[own, 1], line="", size=size)
        for own, colour, label in kinds
        if own.any()
    ]


def _laid_out(
    topology: Topology, drawn: Sequence[Part]
) -> tuple[
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
    list[tuple[float, float, str]],
    tuple[float, float],
]:
    """Return places of routers, links, their lines, names of parts, width and height."""
    place = np.zeros((topology.routers, 2))
    links, lines, words = [], [], []
    columns = max(1, math.ceil(math.sqrt(len(drawn))))
    down, widest = 0.0, 0.0
    named = any(part.title for part in drawn)
    for first in range(0, len(drawn), columns):
        across, tall = 0.0, 0.0
        for part in drawn[first : first + columns]:
            stands, own = np.asarray(part.place, float), np.asarray(part.lines, float)
            low, high = stands.min(axis=0), stands.max(axis=0)
            # A tree is as wide as it has leaves: what counts is who is beside whom, not how far.
            size = np.where(high - low > 0, high - low, 1.0)
            scale = np.ones(2) if part.equal else np.array([10.0, 5.0]) / size
            offset = np.array([across, down]) - np.array([low[0], high[1]]) * scale
            place[part.drawn] = stands * scale + offset
            links.append(np.stack([part.router, part.port], axis=1))
            lines.append((own * scale + offset).reshape(-1, 4))
            if part.title:
                words.append((across - 0.4, down + 0.35, part.title))
            for row, text in enumerate(part.rows):
                if text:
                    words.append((across - 1.1, float(row * scale[1] + offset[1] - 0.1), text))
            width, height = (size * scale).tolist()
            across, tall = across + width + _GAP, max(tall, height)
        widest, down = max(widest, across - _GAP), down - tall - _GAP - 0.5 * named
    every, ends = np.concatenate(links), np.concatenate(lines).round(4)
    _, kept = np.unique(every, axis=0, return_index=True)
    return place.round(4), every[kept], ends[kept], words, (widest + 0.8, -down - _GAP + 0.8)


def _sorted_loads(topology: Topology, load: NDArray[np.float64], label: str) -> Panel:
    """Return the sorted loads of the links of every direction."""
    wired, marks = topology.neighbor >= 0, list[Mark]()
    for port in range(topology.ports):
        loads = np.sort(load[wired[:, port], port])[::-1]
        if len(loads):
            name = f"dimension {port // 2} {'+-'[port % 2]}" if isinstance(topology, Grid) else f"port {port}"
            marks.append(
                Curve(label=name, colour=port, x=np.linspace(0, 100, len(loads)), y=loads, mark="", width=1.8)
            )
    x = Axis(label="links, most loaded first (%)", grid=True)
    return Panel(marks=marks, x=x, y=Axis(label=label, low=0.0, grid=True))


def traffic_figure(W: Any, title: str = "") -> Figure:
    """Return a matrix of bytes, from rows to columns, on a logarithmic scale; white: no traffic."""
    return Figure(title=title or "Traffic", panels=[_traffic(W)], height=5.4)


def _traffic(W: Any) -> Panel:
    flows = np.asarray(W.todense() if sparse.issparse(W) else W, float)
    row, column = np.nonzero(flows > 0)
    sent = flows[row, column]
    minimum, maximum = (float(sent.min()), float(sent.max())) if len(sent) else (1.0, 1.0)
    # A decade at least: small differences stay small.
    shades = Shades(label="traffic (bytes)", low=min(minimum, maximum / 10), high=maximum, log=True)
    tall, wide = flows.shape
    return Panel(
        marks=[Cells(x=column, y=row, wide=wide, tall=tall, values=sent)],
        x=Axis(label="to task", low=-0.5, high=wide - 0.5),
        y=Axis(label="from task", low=-0.5, high=tall - 0.5, down=True),
        shades=shades,
        equal=True,
    )


def mapping_figure(
    W: Any, topology: Topology, load: NDArray[np.float64], jobs: Sequence[ArrayLike] = (), title: str = ""
) -> Figure:
    """Return a matrix of bytes beside a `network_figure` of the bytes expected on the links."""
    network, _ = network_panel(topology, load[None], jobs, _EXPECTED)
    return Figure(title=title or str(topology), panels=[_traffic(W), network], columns=2, height=3.4)
