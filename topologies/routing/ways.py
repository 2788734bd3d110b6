"""The possible steps of packets with a routing: the channels they use, and which of them wait for which.

The rules are those of the engines ("Levels" and "The way" in docs/background/model-tables.md), followed for
all packets at once. A channel is a link in a phase at a level. If phases have separate levels, phase 1 is
that of packets that head for their destination; otherwise there is only phase 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.routing.compute_nodes import of_plane
from netplace.topologies.routing.routes import Routes, rises
from netplace.topologies.routing.switches import Switches

Int = NDArray[np.int64]


def via_of(switches: Switches, routes: Routes, switch: int) -> Int:
    """Return the intermediate switches of packets from a switch."""
    if routes.via is None:
        return np.arange(switches.count)
    return np.asarray(routes.via[switch if len(routes.via) > 1 else 0], np.int64)


def barred(switches: Switches, routes: Routes) -> Int:
    """Return the position of each switch or its group among the intermediate ones; -1 if it has none.

    A packet that chooses a route draws neither the position of its current switch nor that of its
    destination. With Valiant routing, no switch has a position, and all can be drawn.
    """
    place = np.full(switches.count, -1, np.int64)
    if routes.choice == "valiant":
        return place
    if switches.compute_nodes:  # which are not drawn; places are the same in all planes
        plane = barred(*of_plane(switches, routes, 0))
        return np.concatenate((*([plane] * switches.planes), place[: switches.compute_nodes]))
    via = np.arange(switches.count)[None, :] if routes.via is None else routes.via
    if switches.group is not None and via.shape == (switches.count, int(switches.group.max()) + 1):
        return switches.group.astype(np.int64)
    if len(via) == 1:
        place[via[0]] = np.arange(via.shape[1])
    return place


class Ways:
    """The channels of a routing whose table leads everywhere, and the dependencies between them.

    A packet reaches fewer than `levels` levels within a phase; channel = (2 link + phase) levels + level.
    """

    def __init__(self, switches: Switches, routes: Routes, levels: int) -> None:
        self.switches, self.levels = switches, levels
        # Switch and port where each link begins, and the switch where it ends.
        self.here, self.port = np.nonzero(switches.neighbor >= 0)
        self.end = switches.neighbor[self.here, self.port]
        self.count = len(self.end) * 2 * levels
        ports = routes.ports if routes.escape is None else routes.escape[:, :, None]
        step, kind = rises(switches, routes)
        ends = switches.with_nodes
        given = (switches.neighbor, ports, step, kind, levels, routes.anew, ends)
        if routes.detours:
            via = np.arange(switches.count)[None, :] if routes.via is None else routes.via
            found = topologies.detour_ways(
                *given, via.astype(np.int32), barred(switches, routes), switches.group,
                routes.choice == "valiant", routes.choice == "par",
            )  # fmt: skip
        else:
            sources = ends if routes.escape is None else np.arange(switches.count)
            found = topologies.table_ways(*given, sources, np.ascontiguousarray(routes.ports[:, :, 0]))
        used, waits, self.circular, at, target = found
        self.used: Int = used  # channels in use, in order
        self.waits: Int = waits  # pairs of which one waits for the other, in order, as one x `count` + other
        if at >= 0:
            raise ValueError(
                f"routing {routes.name}: no route from switch {at} to switch {target} of {switches.text}, "
                f"which packets may need"
            )

    def parts(self, channel: Int) -> tuple[Int, Int, Int]:
        """Return the link, the phase and the level of channels."""
        rest, level = np.divmod(channel, self.levels)
        return rest >> 1, rest & 1, level
