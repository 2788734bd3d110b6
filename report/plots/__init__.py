"""Figures: a function each returns the axes of Matplotlib that it has drawn, as a notebook shows them.

``draw_network(topology, load)`` draws what `netplace.report.plots.networks.network_figure` specifies, with
the same arguments.

``write_figure("loads.png", network_figure(topology, load))`` writes a figure to a file, and a page
takes it as a part. Each name is loaded when it is used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

_FIGURES = {
    "draw_allocations": "plots.machines.allocation_figure",
    "draw_bars": "plots.charts.bar_figure",
    "draw_comparison": "plots.charts.comparison_figure",
    "draw_curves": "plots.charts.curve_figure",
    "draw_dots": "plots.points.dot_figure",
    "draw_gantt": "plots.schedules.gantt_figure",
    "draw_intervals": "plots.charts.interval_figure",
    "draw_load": "plots.points.load_figure",
    "draw_mapping": "plots.networks.mapping_figure",
    "draw_network": "plots.networks.network_figure",
    "draw_occupancy": "plots.machines.occupancy_figure",
    "draw_power": "plots.schedules.power_figure",
    "draw_scatter": "plots.points.scatter_figure",
    "draw_sharing": "plots.jobs.sharing_figure",
    "draw_timeline": "files.timeline.run_figure",
    "draw_traffic": "plots.networks.traffic_figure",
    "draw_utilisation": "plots.schedules.utilisation_figure",
    "draw_waiting": "plots.jobs.waiting_figure",
    "draw_workload": "plots.schedules.workload_figure",
}
__all__ = list(_FIGURES)
__all__ += ["write_figure"]

_RETURNS = """
    Returns
    -------
    Axes or ndarray of Axes
        The axes of the only panel, or of each panel.
    """


def __getattr__(name: str) -> Any:
    if name == "write_figure":
        return import_module(f"{__name__}.drawing").write_figure
    if name not in _FIGURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, function = f"netplace.report.{_FIGURES[name]}".rpartition(".")
    return _drawing(name, getattr(import_module(module), function))


def _drawing(name: str, figure: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(figure)
    def draw(*arguments: Any, **options: Any) -> Any:
        from netplace.report.plots.drawing import axes_of

        return axes_of(figure(*arguments, **options))

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = (figure.__doc__ or "").replace("Return", "Draw", 1) + _RETURNS
    return draw
