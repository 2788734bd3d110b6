"""netplace: simulation of applications, jobs and interconnection networks, packet by packet.

This module lists the names for the first steps. It loads each name at its first use, so that
``import netplace`` is fast. All other names are in the packages: `netplace.topologies`, `netplace.apps`,
`netplace.netsim`, `netplace.placement`, `netplace.scheduling`, `netplace.runs`.
"""

from __future__ import annotations

import importlib

from netplace.version import __version__

TYPE_CHECKING = False  # `typing` is not imported: under ``python -m`` the working folder is searched first
if TYPE_CHECKING:
    from typing import Any

    from netplace.apps.bundled import bundled_trace
    from netplace.apps.formats import read, write
    from netplace.netsim import Config, simulate
    from netplace.placement import map_tasks
    from netplace.placement.partition import partition
    from netplace.plugins import load_plugin
    from netplace.scheduling.simulator import schedule
    from netplace.topologies import parse

__all__ = [
    "Config", "__version__", "bundled_trace", "load_plugin", "map_tasks", "parse", "partition", "read",
    "schedule", "simulate", "write",
]  # fmt: skip

_HOMES = {
    "Config": "netplace.netsim",
    "bundled_trace": "netplace.apps.bundled",
    "load_plugin": "netplace.plugins",
    "map_tasks": "netplace.placement",
    "parse": "netplace.topologies",
    "partition": "netplace.placement",
    "read": "netplace.apps.formats",
    "schedule": "netplace.scheduling",
    "simulate": "netplace.netsim",
    "write": "netplace.apps.formats",
}


def __getattr__(name: str) -> Any:
    """Load one of the names of `__all__` when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'netplace' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
