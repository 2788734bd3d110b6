"""A mapping at a glance: who talks to whom, and what becomes of it on the links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.report.plots.heat_map import draw_heat_map_on
from netplace.report.plots.network_map import draw_network_on
from netplace.report.plots.page import page
from netplace.topologies import Topology

__all__ = ["draw_mapping"]


def draw_mapping(
    path: Path, W: Any, topology: Topology, load: NDArray[np.float64], jobs: Sequence[ArrayLike], title: str
) -> None:
    """Draw the heat map of a traffic matrix beside the network with the bytes expected on its links.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    W : array_like or sparse array, shape (tasks, tasks)
        Traffic in bytes.
    topology, load, jobs
        As in `draw_network`; `load` in bytes.
    title : str
        Title of the picture.
    """
    with page(path, 3.4) as figure:
        left, right = np.asarray(figure.subfigures(1, 2, width_ratios=(5, 7))).tolist()
        draw_heat_map_on(left, W)
        draw_network_on(right, topology, load, jobs, "expected load (bytes, all minimal routes alike)")
        figure.suptitle(title)
