"""The links that packets between all pairs of nodes cross, with a routing in tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native
from netplace.placement.expected_loads import flows
from netplace.placement.rule import Nodes
from netplace.topologies import Graph, Topology
from netplace.topologies.limits import check_memory
from netplace.topologies.routing import Switches, all_minimal, make_routes, reach, steps

MOST_SWITCHES = 2048  # switches: their pairs are tabulated


@dataclass(frozen=True, eq=False)
class RoutedLinks:
    """The load of a byte between two nodes on the links between switches."""

    # shape (nodes,): switch of each of the nodes, numbered among those at which any of them hangs.
    home: NDArray[np.int64]
    # shape (switches**2 + 1,): where in `link` and `share` those of a pair of switches begin: pair ``a *
    # switches + b``.
    first: NDArray[np.int64]
    link: NDArray[np.int64]  # links, numbered by switch and port
    share: NDArray[np.float64]  # cycles per phit of the link, times the share of the packets that cross it
    links: int  # how many there may be

    @property
    def switches(self) -> int:
        return int(self.home.max()) + 1

    def loads(self, places: Nodes, W: Any) -> NDArray[np.float64]:
        source, target, size = flows(W, len(places))
        link_loads = np.zeros(self.links)
        home = self.home[places]
        pair = home[source] * self.switches + home[target]
        native.add_loads(self.first, self.link, self.share, self.switches, pair, size, link_loads)
        return link_loads


def routed_links(topology: Topology, nodes: Nodes, routing: str = "") -> RoutedLinks:
    """Return the links that the packets between some nodes cross.

    `topology`: any network. `routing`: as in `netplace.topologies.routing.make_routes`. If its table lists
    several ports, each takes the same share. Routings with intermediate switches count by the direct way.
    Empty means the default of the network; on grids and trees, which choose among shortest ways, it means all
    of these.
    """
    switches = Switches.of(topology)
    here, home = np.unique(switches.home[nodes], return_inverse=True)
    if len(here) > MOST_SWITCHES:
        raise ValueError(
            f"mapping link-load: stores the routes between all switches of the available nodes, and "
            f"{len(here)} switches of {topology} are more than {MOST_SWITCHES}; set a partition"
        )
    if routing or isinstance(topology, Graph):
        switches, routes = make_routes(topology, routing)
        ports = routes.ports
        reach(switches, ports, steps(switches, "none")[0], routes.name)  # it leads everywhere
    else:
        ports = all_minimal(switches)
    weight = np.ones(switches.neighbor.shape)
    if isinstance(topology, Graph):
        weight[:] = topology.cycles[switches.first :]
    table = ports, switches.neighbor, weight, here
    first = native.walk_table(*table, counted=True)[0]
    check_memory(topology.text, int(first[-1]) * 16, "the routes between all pairs of switches")
    first, link, share = native.walk_table(*table, counted=False)
    return RoutedLinks(home.astype(np.int64), first, link, share, switches.neighbor.size)
