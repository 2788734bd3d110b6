"""The parts of a network: switches, ports, cables by kind, bisection and cost."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplace.files import input_file, parsed_toml
from netplace.inputs import abbreviate
from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid
from netplace.topologies.hierarchy import hierarchy
from netplace.topologies.text_form import read_compute_nodes
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree

_MOST_SPECTRUM = 1500  # switches up to which the lower bound of a bisection is computed
_MOST_CUTS = 1 << 14  # and up to which cuts are looked for
Int = NDArray[np.int64]
_KIND = re.compile(r"node|local|global|dimension [1-9]\d*|level \d+-\d+")


@dataclass(frozen=True)
class Cables:
    """Cables of one kind, each of which is one link in each direction.

    Attributes
    ----------
    kind : str
        ``"node"`` (to a node, or to a compute node with several tasks), ``"local"`` or ``"global"`` if
        switches have groups, ``"dimension 1"`` and so on in grids, ``"level 1-2"`` and so on between the
        levels of a tree, and ``"local"`` between the switches of other networks.
    """

    kind: str
    count: int


@dataclass(frozen=True)
class Bisection:
    """Bounds on the number of cables between two halves of the nodes (None if unknown), and their origin."""

    least: int | None
    most: int | None
    how: str


@dataclass(frozen=True)
class Inventory:
    """The parts of a network.

    Attributes
    ----------
    nodes : int
        Number of nodes, or of compute nodes if nodes run several tasks.
    switches : int
        Number of switches. On a network whose nodes are routers, such as a torus, each node counts as one.
    in_nodes : int
        Number of these switches that are themselves nodes.
    interfaces : int
        Number of network interfaces: one per cable to a node, or one per node that is a router.
    radix : int
        Number of ports of a switch: the largest number in the network, or the number in a price list.
    ports_used, ports_free : int
        Number of ports of all switches with a cable, and without one.
    cables : tuple of Cables
        Cables by kind; there are none inside compute nodes.
    """

    network: str
    nodes: int
    switches: int
    in_nodes: int
    interfaces: int
    radix: int
    ports_used: int
    ports_free: int
    cables: tuple[Cables, ...]
    bisection: Bisection


def inventory(topology: Topology, radix: int = 0) -> Inventory:
    """Return the parts of a network; if `radix` is 0, it is the largest number of ports of its switches.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> made = inventory(parse("dragonfly:a=4,p=2,h=2"))
    >>> made.switches, made.radix, [(cables.kind, cables.count) for cables in made.cables]
    (36, 7, [('node', 72), ('local', 54), ('global', 36)])
    """
    nodes, inside = _compute_nodes(topology)
    own = isinstance(topology, Tree) or (isinstance(topology, Graph) and topology.first_switch > 0)
    first = topology.nodes if own else 0  # of the switches: nodes are routers of their own, or are switches
    last = topology.routers - inside
    router, port = np.nonzero(topology.neighbor >= 0)
    end = topology.neighbor[router, port].astype(np.int64)
    here, there = (((place >= first) & (place < last)) for place in (router, end))
    cable = here & (there | (end >= last) | (inside == 0))  # seen from a switch; others lie inside nodes
    used = int(cable.sum())
    wired = np.bincount(router[cable], minlength=topology.routers)
    most = max(int(wired.max()), topology.ports if isinstance(topology, Grid | Tree) and not radix else 0)
    if radix and most > radix:
        raise ValueError(f"{topology}: a switch has {most} cables, more than the {radix} ports of radix")
    to_node = cable & ~there
    between = cable & there & (router < end)
    of_kind, names = _kinds(topology, first, router[between], port[between], end[between])
    counts = dict(zip(names, np.bincount(of_kind, minlength=len(names)).tolist(), strict=True))
    counts = {"node": int(to_node.sum()), **counts}
    switches = last - first
    return Inventory(
        network=str(topology),
        nodes=nodes,
        switches=switches,
        in_nodes=0 if first else topology.nodes,
        interfaces=counts["node"] or nodes,
        radix=radix or most,
        ports_used=used,
        ports_free=(radix or most) * switches - used,
        cables=tuple(Cables(kind, count) for kind, count in counts.items() if count),
        bisection=_bisection(topology),
    )


def _compute_nodes(topology: Topology) -> tuple[int, int]:
    """Return the number of nodes, and the number of routers, the last ones, inside compute nodes."""
    text = topology.text
    while text.startswith(("faulty:", "service:")):
        text = text.partition("/")[2]
    if not text.startswith("nodes:"):
        return topology.nodes, 0
    numbers = read_compute_nodes(text)[1]
    hosts, sockets = topology.nodes // numbers["tasks"], numbers.get("sockets", 1)
    return hosts, hosts * (1 + sockets if sockets > 1 else 1)


def _kinds(topology: Topology, first: int, router: Int, port: Int, end: Int) -> tuple[Int, list[str]]:
    """Return the kind of each cable between two switches, as its index among names."""
    if isinstance(topology, Tree):
        stage = topology.stage_of(np.arange(topology.routers))
        return np.minimum(stage[router], stage[end]), [
            f"level {s}-{s + 1}" for s in range(1, topology.stages)
        ]
    if isinstance(topology, Grid):
        return port // 2, _dimensions(topology.ports // 2)
    assert isinstance(topology, Graph)
    a, b = router - first, end - first
    if topology.group is not None:
        return (topology.group[a] != topology.group[b]).astype(np.int64), ["local", "global"]
    if topology.axis is not None:
        axis = topology.axis[router, port]
        return axis, _dimensions(int(axis.max(initial=-1)) + 1)
    if topology.places is not None and hierarchy(topology) is not None:
        level = topology.places[:, 0]
        ends = np.stack((np.minimum(level[a], level[b]), np.maximum(level[a], level[b])), axis=1)
        pairs, which = np.unique(ends, axis=0, return_inverse=True)
        return which.ravel(), [f"level {low}-{high}" for low, high in pairs.tolist()]
    return np.zeros(len(router), np.int64), ["local"]


def _dimensions(count: int) -> list[str]:
    return [f"dimension {number}" for number in range(1, count + 1)]


def _bisection(topology: Topology) -> Bisection:
    if not isinstance(topology, Graph):
        width = topology.bisection_width
        return Bisection(width, width, "exact, by the formula of grids and trees")
    if topology.routers > _MOST_CUTS:
        return Bisection(None, None, f"not computed for more than {_MOST_CUTS} routers and nodes")
    most = topology.bisection_width
    if topology.switches > _MOST_SPECTRUM:
        return Bisection(None, most, "upper bound: the best cut found by exchanges of nodes")
    least = topology.least_bisection
    met = "exact: a cut reaches the spectral bound"
    return Bisection(least, most, met if least == most else "spectral bound, and the best cut found")


Amount = Annotated[float, msgspec.Meta(ge=0)]


class CablePrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The price of a cable of a kind: ``each``, plus ``metre`` times its ``length`` in meters."""

    each: Amount = 0.0
    metre: Amount = 0.0
    length: Amount = 0.0


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A price list.

    Attributes
    ----------
    currency : str
        Currency of the prices, which is only displayed.
    switch, port, nic : float
        Price of a switch, of each of its ports, used or free, and of the network interface of a node.
    radix : int
        Number of ports of a switch, if switches have more than a network needs; 0 means as many as needed.
    cable : dict of str to CablePrice
        Price of each kind of cable; ``"level 1-2"`` or ``"dimension 3"`` takes precedence over ``"local"``.
    """

    currency: str = ""
    switch: Amount = 0.0
    port: Amount = 0.0
    nic: Amount = 0.0
    radix: Annotated[int, msgspec.Meta(ge=0, le=1 << 20)] = 0
    cable: dict[str, CablePrice] = {}

    def cost(self, made: Inventory) -> dict[str, float]:
        """Return the cost of a network by part: switches, interfaces, each kind of cable, and ``"total"``."""
        parts = {
            "switches": made.switches * (self.switch + made.radix * self.port),
            "interfaces": made.interfaces * self.nic,
        }
        for cables in made.cables:
            kinds = [cables.kind] if cables.kind in ("node", "global") else [cables.kind, "local"]
            price = next((self.cable[kind] for kind in kinds if kind in self.cable), None)
            if price is None:
                known = " or ".join(f"[cable.{_quoted(kind)}]" for kind in dict.fromkeys(kinds))
                raise ValueError(
                    f"{made.network}: the price list has no {known}, but the network has {cables.count:,} "
                    f"of these"
                )
            parts[f"cables, {cables.kind}"] = cables.count * (price.each + price.metre * price.length)
        return {**parts, "total": math.fsum(parts.values())}


def _quoted(kind: str) -> str:
    return f'"{kind}"' if " " in kind else kind


def read_prices(path: str | Path) -> Prices:
    """Read a price list from a TOML file."""
    try:
        content = input_file(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
    try:
        prices = msgspec.convert(parsed_toml(content, str(path))[1], Prices)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {str(error).replace('$.', '')}") from None
    for kind, price in prices.cable.items():
        if not _KIND.fullmatch(kind):
            raise ValueError(
                f"{path}: [cable.{_quoted(kind)}]: unknown kind {abbreviate(kind)}, expected node, local, "
                'global, or such as "dimension 1" or "level 1-2"'
            )
        if not math.isfinite(price.each + price.metre * price.length):
            raise ValueError(f"{path}: [cable.{_quoted(kind)}]: the price is not finite")
        if bool(price.metre) != bool(price.length):
            raise ValueError(f"{path}: [cable.{_quoted(kind)}]: expected metre and length, or neither")
    if not math.isfinite(prices.switch + prices.port + prices.nic):
        raise ValueError(f"{path}: a price is not finite")
    return prices
