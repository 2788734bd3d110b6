"""Reachability of a table: whether it leads everywhere, with lengths and levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.routing.switches import Switches

Levels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Reach:
    """The worst case of a packet's remaining route along a table, shape (switches, switches).

    Attributes
    ----------
    hops : ndarray of int32
        Number of links to the destination; -1 if the table does not lead there.
    used, arrival : ndarray of int32
        Highest level on any link, and level after the last link, for a packet that begins at level 0 if
        levels are never reset between classes of links.
    """

    hops: Levels
    used: Levels
    arrival: Levels


def reach(switches: Switches, ports: NDArray[np.int16], step: NDArray[Any], name: str) -> Reach:
    """Follow a table from every switch to every other."""
    _check_ports(switches, ports, name)
    shape = (switches.count, switches.count)
    found = topologies.reach(switches.neighbor, ports, step.astype(np.int64))
    hops, used, arrival = (levels.reshape(shape) for levels in found)
    _check_paths(switches, hops, ports, name)
    return Reach(hops, used, arrival)


def _check_ports(switches: Switches, ports: NDArray[np.int16], name: str) -> None:
    """Raise ValueError if a table is of the wrong shape or names a port that does not lead to a switch."""
    count = switches.count
    if ports.shape[:2] != (count, count):
        raise ValueError(
            f"routing {name}: table of shape {ports.shape}, "
            f"expected {count} x {count} switches of {switches.text}"
        )
    if ports.max(initial=-1) >= switches.ports or ports.min(initial=-1) < -1:
        raise ValueError(
            f"routing {name}: port {ports.max()}, expected -1 to {switches.ports - 1} on {switches.text}"
        )
    end = switches.neighbor[np.arange(count)[:, None, None], ports]
    wrong = np.argwhere((ports >= 0) & (end < 0))
    if len(wrong):
        a, b, n = wrong[0]
        raise ValueError(
            f"routing {name}: from switch {a} to switch {b} by port {ports[a, b, n]}, "
            "which leads to no switch"
        )


def _check_paths(switches: Switches, hops: Levels, ports: NDArray[np.int16], name: str) -> None:
    """Raise ValueError if two switches with nodes have no way between them."""
    ends = switches.with_nodes
    missing = np.argwhere(hops[np.ix_(ends, ends)] < 0)
    if len(missing):
        a, b = ends[missing[0]]
        if (ports[a, b] < 0).all():
            raise ValueError(f"routing {name}: no route from switch {a} to switch {b} of {switches.text}")
        raise ValueError(
            f"routing {name}: the route from switch {a} to switch {b} of {switches.text} has a cycle or a "
            f"dead end"
        )
