"""Figures: modules of functions that return specifications, and two functions that draw any of them.

``write_figure("loads.png", network_figure(topology, load))`` writes a figure to a file, and
``axes_of(network_figure(topology, load))`` returns the axes of Matplotlib that it has drawn, as a notebook
shows them. Matplotlib is loaded when either is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["axes_of", "write_figure"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.drawing"), name)
