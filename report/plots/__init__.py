"""Pictures, a function each; a file appears whole or not at all.

Each is loaded when it is requested: ``from netplace.report.plots import draw_network``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = [
    "draw_bars",
    "draw_comparison",
    "draw_gantt",
    "draw_heat_map",
    "draw_load",
    "draw_mapping",
    "draw_network",
    "draw_occupancy",
    "draw_scatter",
    "draw_timeline",
]

_MODULES = {
    "draw_gantt": "schedule",
    "draw_network": "network_map",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name, name.removeprefix("draw_"))
    return getattr(import_module(f"{__name__}.{module}"), name)
