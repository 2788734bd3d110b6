"""The kernel's constants and arrays of a routing by tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.general import General
from netplace.netsim.kernel import graph_state as g
from netplace.topologies.routing import Routes

__all__ = ["routing_setting", "routing_tables", "table_bytes"]

_CHOICES = {"table": g.TABLE, "valiant": g.VALIANT, "ugal-l": g.UGAL_L, "ugal-g": g.UGAL_G, "par": g.PAR}
_SPREADS = {"least": g.LEAST, "destination": g.DESTINATION, "flow": g.FLOWS}


def _has_sums(table: General, vcs: int) -> bool:
    """Tell whether one word holds an entry of the table, and no level depends on the port."""
    last = (table.switches.ports - 1) * vcs
    return last < g.PORT_AT and table.spread == "least" and not table.anew


def routing_setting(table: General, vcs: int) -> dict[str, int]:
    """Return those of the kernel's constants that a routing decides."""
    return {
        "first_switch": table.switches.first,
        "switches": table.switches.count,
        "compute_from": table.switches.count - table.switches.compute_nodes,
        "plane": table.switches.of_plane,
        "most": table.routes.most_ports,
        "entry": table.routes.most_ports + int(table.routes.escape is not None),
        "summed": int(_has_sums(table, vcs)),
        "levels": table.levels,
        "base": table.base,
        "anew": int(table.anew),
        "escapes": int(table.routes.escape is not None),
        "choice": _CHOICES[table.routes.choice],
        "threshold": table.routes.threshold,
        "spread": _SPREADS[table.spread],
        "via_row": table.via.shape[1] if len(table.via) > 1 else 0,
        "via_count": table.via.shape[1],
    }


def table_bytes(table: General, vcs: int) -> int:
    """Return the bytes of the array in which ways are looked up: `ways` if it has sums, else `table`."""
    routes = table.routes
    width = routes.most_ports + int(routes.escape is not None)
    word = 4 if _has_sums(table, vcs) else width * np.dtype(_word(table.switches.ports)).itemsize
    return int(routes.ports.shape[0] * routes.ports.shape[1] * word)


def _word(ports: int) -> type[np.integer[Any]]:
    """Return the type of a port's number in as few bytes as may be: a packet waits longest for its way."""
    return np.int8 if ports < 1 << 7 else np.int16


def _entries(routes: Routes, ports: int) -> NDArray[Any]:
    """Return the table, all choices of an entry side by side."""
    parts = [routes.ports] if routes.escape is None else [routes.ports, routes.escape[:, :, None]]
    return np.concatenate(parts, axis=2).astype(_word(ports)).ravel()


def _sums(routes: Routes, vcs: int) -> NDArray[np.int32]:
    """Return every entry of the table in one word, see `graph_state.PORT_AT`."""
    words = np.zeros(routes.ports.shape[:2], np.int32)
    for choice in range(routes.most_ports):
        port = routes.ports[:, :, choice].astype(np.int32)
        words |= np.where(port < 0, 0, 1 << np.maximum(port, 0) * vcs).astype(np.int32)
    if routes.escape is not None:
        words |= np.maximum(routes.escape, 0).astype(np.int32) << g.PORT_AT
    return words.ravel()


def routing_tables(table: General, u: Any) -> dict[str, Any]:
    """Return the kernel's arrays that hold a routing."""
    switches, routes = table.switches, table.routes
    rise = np.where(switches.neighbor >= 0, table.step, -1)
    by_hops = u.choice in (g.UGAL_L, g.PAR)
    arrays: dict[str, Any] = {
        "table": _entries(routes, switches.ports),
        "ways": _sums(routes, u.vcs) if u.summed else np.zeros(1, np.int32),
        "far_hops": (table.hops if by_hops else np.zeros(1)).astype(np.int32).ravel(),
        "rise": rise.astype(np.int8).ravel(),
        "kind": table.kind.astype(np.int8).ravel(),
        "end": switches.neighbor.astype(np.int32).ravel(),
        "via": table.via.astype(np.int32).ravel(),
        "low": np.array(table.low, np.int32),
        "high": np.array(table.high, np.int32),
        "home": switches.home.astype(np.int32),
        "gate": table.gate.astype(np.int32),
        "node_port": table.node_port.astype(np.int32),
        "place": table.place,
        "stride": (np.ones(switches.count) if routes.stride is None else routes.stride).astype(np.int32),
        "kin": (np.zeros(1) if switches.group is None else switches.group).astype(np.int32),
    }
    return {name: array.copy() for name, array in arrays.items()}  # numba wants them writeable
