"""The routing interface of engines: tables of ports, and how packets change VCs along a route."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_choice
from netplace.records import freeze_arrays
from netplace.topologies.grid import Grid
from netplace.topologies.routing.regular_trees import RegularTree
from netplace.topologies.routing.switches import Switches

CHOICES = {
    "table": "along the table",
    "valiant": "along the table to an intermediate switch drawn for each packet, then to the destination",
    "ugal-l": "one of the two, by the occupancy of the first link of each route",
    "ugal-g": "one of the two, by the occupancy of all links of each route",
    "par": "as ugal-l, but a packet on the minimal route can still change to the other in its source group",
}
DISCIPLINES = {
    "hop": "a level higher after every hop between switches",
    "group": "a level higher after every hop between groups",
    "phase": "one level to the intermediate switch and one level from there",
    "dateline": "a level higher after the link that closes a ring; restarts in each dimension and phase",
    "none": "one level",
}
SPREADS = {
    "least": "by the lowest occupancy",
    "destination": "by a digit of the destination's number",
    "flow": "by a hash of source, destination and switch",
}


@dataclass(frozen=True, eq=False)
class Routes:
    """A routing in tables, made before a run.

    A packet leaves through one of the ports that the table lists for its target; if there are several,
    `spread` selects one. The packet has a **level**, which determines the virtual channels that it can use.

    Attributes
    ----------
    name : str
        Name for error messages.
    ports : ndarray of int16, shape (switches, switches, n)
        Ports of each switch through which a packet can continue to each other switch, in any order, padded
        with -1.
    discipline : str
        How the level rises along a route: a key of `DISCIPLINES`.
    escape : ndarray of int16, shape (switches, switches), or None
        Port of each switch that leads to each other switch on the escape channel, VC 0. `ports` then apply to
        the other VCs. A packet requests the escape channel when it finds no room elsewhere, and stays on it.
    choice, spread : str
        Keys of `CHOICES` (how a packet chooses between routes) and of `SPREADS` (how it selects one of
        several ports).
    threshold : int
        Threshold of UGAL: how much worse the direct route can be before a packet avoids it, in packets times
        hops.
    via : ndarray of int32, shape (switches, n), or None
        Intermediate switches from which one is drawn with equal probability at each source switch; None means
        all switches.
    stride : ndarray of int64, shape (switches,), or None
        With the spread ``"destination"``, the divisor of the number of the destination node at each switch:
        of n ports, in order, the port with the number (⌊node / stride⌋ mod n) is selected. None means 1
        everywhere.
    grid : Grid or None
        A mesh or torus that is too large for a table. `ports` is then empty, and the port of dimension order
        is computed for each packet.
    tree : RegularTree or None
        The same for a tree, with the ports up and down for packets to leaf switches.
    """

    name: str
    ports: NDArray[np.int16]
    discipline: str = "hop"
    escape: NDArray[np.int16] | None = None
    choice: str = "table"
    threshold: int = 0
    via: NDArray[np.int32] | None = None
    spread: str = "least"
    stride: NDArray[np.int64] | None = None
    grid: Grid | None = None
    tree: RegularTree | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)
        check_choice(self.discipline, DISCIPLINES, f"routing {self.name}: discipline")
        check_choice(self.choice, CHOICES, f"routing {self.name}: choice")
        check_choice(self.spread, SPREADS, f"routing {self.name}: spread")
        if self.spread != "least" and (self.detours or self.escape is not None):
            raise ValueError(
                f"routing {self.name}: spread {self.spread} with detours or escape, expected neither"
            )
        if self.escape is not None and self.detours:
            raise ValueError(
                f"routing {self.name}: choice {self.choice} with an escape channel, expected one of the two"
            )

    def ports_at(self, switch: ArrayLike, target: ArrayLike) -> NDArray[np.int16]:
        """Return the ports at switches through which packets continue to others, shape (..., n)."""
        if self.tree is not None:
            return self.tree.ports_at(switch, target)
        if self.grid is None:
            return np.asarray(self.ports[np.asarray(switch), np.asarray(target)])
        here, goal = self.grid.coordinates(switch), self.grid.coordinates(target)
        size = np.array(self.grid.sizes)
        forward = (goal - here) % size if self.grid.wraps else np.where(goal > here, 0, size)
        others = goal.sum(axis=-1, keepdims=True) - goal
        upward = (2 * forward < size) | ((2 * forward == size) & ((here + others) % 2 == 0))
        differs = here != goal
        d = differs.argmax(axis=-1)[..., None]
        port = 2 * d + ~np.take_along_axis(upward, d, axis=-1)
        return np.where(differs.any(axis=-1, keepdims=True), port, -1).astype(np.int16)

    @property
    def detours(self) -> bool:
        """Whether a packet can go through an intermediate switch."""
        return self.choice != "table"

    @property
    def computed(self) -> bool:
        """Whether routes are computed for each packet, without a table."""
        return self.grid is not None or self.tree is not None

    @property
    def anew(self) -> bool:
        """Whether levels restart in each phase and class of links; each phase then has levels of its own."""
        return self.discipline in ("phase", "dateline")

    @cached_property
    def most_ports(self) -> int:
        """Largest number of ports among which a packet can choose."""
        return int(self.ports.shape[2] if self.tree is None else self.tree.ports.shape[1])


def table(ports: ArrayLike) -> NDArray[np.int16]:
    """Return a table in the format of `Routes`, given a port or a list of ports for each pair of switches."""
    given = np.asarray(ports)
    if given.ndim == 2:
        given = given[:, :, None]
    kept = np.ascontiguousarray(given.astype(np.int16))
    kept.setflags(write=False)
    return kept


def steps(switches: Switches, discipline: str) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the increase of the level on each link and the link's class, both of shape (switches, ports).

    The level returns to 0 when a packet enters another class of links.
    """
    wired = switches.neighbor >= 0
    if switches.compute_nodes:  # links of compute nodes raise nothing: nothing waits in a circle there
        first = switches.count - switches.compute_nodes
        wired = wired & (switches.neighbor < first)
        wired[first:] = False
    none = np.zeros(wired.shape, np.int8)
    if discipline == "hop":
        return wired.astype(np.int8), none
    if discipline == "group":
        if switches.group is None:
            raise ValueError(f"{switches.text}: no groups, which VC discipline group needs; use hop")
        here = switches.group[:, None]
        return (wired & (switches.group[switches.neighbor] != here)).astype(np.int8), none
    if discipline == "dateline":
        if switches.axis is None:
            raise ValueError(f"{switches.text}: no dimensions, which VC discipline dateline needs; use hop")
        closes = none if switches.closes is None else switches.closes.astype(np.int8)
        return closes, np.maximum(switches.axis, 0).astype(np.int8)
    return none, none


def rises(switches: Switches, routes: Routes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the increase of the level of packets on each link and the link's class, as `steps` does.

    With an escape channel, all other channels share one level, and no level rises.
    """
    step, kind = steps(switches, routes.discipline)
    if routes.escape is not None:
        step = np.zeros_like(step)
    return step.astype(np.int64), kind.astype(np.int64)


def by_destination(every: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the table of single ports: of n ports of `every`, in order, number destination mod n."""
    count = np.maximum(1, (every >= 0).sum(axis=2))
    which = np.arange(len(every))[None, :] % count
    return table(np.take_along_axis(every, which[:, :, None], axis=2))
