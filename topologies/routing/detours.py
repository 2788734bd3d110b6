"""Intermediate switches: those that can be drawn at a switch, and those that are barred to a packet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.compute_nodes import of_plane
from netplace.topologies.routing.routes import Routes
from netplace.topologies.routing.switches import Switches

__all__ = ["barred", "drawn_pairs", "via_of"]

Int = NDArray[np.int64]


def via_of(switches: Switches, routes: Routes, switch: int) -> Int:
    """Return the intermediate switches of packets from a switch."""
    if routes.via is None:
        return np.arange(switches.count)
    return np.asarray(routes.via[switch if len(routes.via) > 1 else 0], np.int64)


def barred(switches: Switches, routes: Routes) -> Int:
    """Return the place of each switch, or of its group, among the intermediate ones; -1 if it has none.

    A packet that chooses its way draws neither the place of its current switch nor that of its destination.
    With Valiant routing, no switch has a place, and all can be drawn.
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


def drawn_pairs(switches: Switches, routes: Routes, at: Int) -> tuple[Int, Int]:
    """Return all (switch, intermediate switch) pairs of which the second can be drawn at the first.

    The pairs exclude the switch itself and those of its own place.
    """
    place = barred(switches, routes)
    rows = [via_of(switches, routes, int(switch)) for switch in at]
    here = np.repeat(at, [len(row) for row in rows])
    via = np.concatenate([*rows, np.zeros(0, np.int64)])
    open_to = (via != here) & ((place[via] != place[here]) | (place[here] < 0))
    pair = np.unique(here[open_to] * switches.count + via[open_to])
    return pair // switches.count, pair % switches.count
