"""Dispersal of a partition, and metrics of a mapping on it; how well they predict run times varies.

Sources: J. A. Pascual, J. A. Lozano and J. Miguel-Alonso, "Application-aware metrics for partition selection
in cube-shaped topologies", tech. report EHU-KAT-IK-05-12, University of the Basque Country (2012), for the
nine metrics of `PUBLISHED`; J. Mache and V. Lo, "Dispersal metrics for non-contiguous processor allocation",
tech. report CIS-TR-96-13, University of Oregon (1996), the original source of NA, LA, AD, DFC and Diam. The
metrics of `OWN` measure the same with other formulas: routes instead of boxes, and means over messages
instead of over all pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_size
from netplace.notebook import html_table
from netplace.placement.compactness import bounding_box
from netplace.placement.expected_loads import distinct, flows, link_loads
from netplace.placement.mapping.cost import asymmetry, has_dimensions
from netplace.placement.rule import Nodes
from netplace.topologies import Grid, Topology

__all__ = ["OWN", "PUBLISHED", "Metrics", "average_pairwise_distance", "link_loads", "metrics"]

PUBLISHED = ("NA", "LA", "AD", "DFC", "Diam", "TAD", "WTAD", "TAD_AL", "WTAD_AL")
OWN = (
    *("LA_sum", "routed_nodes", "routed_links", "centroid_distance"),
    *("pair_hops", "byte_hops", "pair_hops_al", "byte_hops_al"),
)

_BYTES_PER_PAIR = 48  # of nodes while their routes are expanded


@dataclass(frozen=True)
class Metrics:
    """Metrics of a partition, and of an application mapped onto it.

    Here, P is the set of n nodes, d(a, b) the distance between two of them in hops, AL(a, b) the asymmetry
    level (the sum over pairs of dimensions of ``|d_x - d_y|``), W[i, j] the bytes from task i on node p(i) to
    task j on p(j), and T the number of tasks. On a ring, a side excludes the largest gap. Metrics of boxes
    are None except on meshes and tori, and metrics of asymmetry are None if distances have no dimensions.

    Attributes
    ----------
    NA : int or None
        Nodes affected: volume of the bounding box (the product of its sides).
    LA : int or None
        Links affected: product over dimensions i of ``(side_i - 1) * product over j != i of count_j``, where
        count_j is the number of distinct coordinates of P in dimension j. The report of Pascual et al. gives
        a sum, but its examples use this product.
    AD : float
        Average distance: mean of d(a, b) over the n (n - 1) ordered pairs of P; 0 for a single node.
    DFC : int
        Distance from the center: the smallest sum of the distances of all nodes to one of them.
    Diam : int
        Diameter: largest d(a, b).
    TAD : float or None
        Sum of d(p(i), p(j)) over the ordered pairs of tasks with W[i, j] > 0, divided by all T (T - 1)
        ordered pairs. None without traffic.
    WTAD : float or None
        Sum of ``W[i, j] d(p(i), p(j))`` divided by T (T - 1): mean over pairs of bytes times hops.
    TAD_AL, WTAD_AL : float or None
        TAD and WTAD with ``d + AL`` instead of d; this is the cost of the TD criterion.
    LA_sum : int or None
        LA as defined in the text of the report: a sum over dimensions.
    routed_nodes, routed_links : int
        Numbers of routers of the network (including switches) and of directed links that are on a minimal
        route between two nodes of P.
    centroid_distance : float or None
        Mean over P of ``sum over dimensions of |x - c|``. In each dimension, the center c is the position
        that minimizes the sum of squared distances; on a mesh, it is the mean. It need not be a node.
    pair_hops, byte_hops : float or None
        Mean distance over pairs of tasks with W[i, j] > 0, and over all bytes.
    pair_hops_al, byte_hops_al : float or None
        The same two means of ``d + AL``.
    """

    AD: float
    DFC: int
    Diam: int
    routed_nodes: int
    routed_links: int
    NA: int | None = None
    LA: int | None = None
    LA_sum: int | None = None
    centroid_distance: float | None = None
    TAD: float | None = None
    WTAD: float | None = None
    TAD_AL: float | None = None
    WTAD_AL: float | None = None
    pair_hops: float | None = None
    byte_hops: float | None = None
    pair_hops_al: float | None = None
    byte_hops_al: float | None = None

    def _repr_html_(self) -> str:
        known = [(item.name, getattr(self, item.name)) for item in fields(self)]
        return html_table("Metrics of a partition", [pair for pair in known if pair[1] is not None])


def metrics(
    topology: Topology, nodes: ArrayLike, W: Any = None, *, mapping: ArrayLike | None = None
) -> Metrics:
    """Return the metrics of a partition, and of an application mapped onto it.

    Parameters
    ----------
    nodes : array_like of int
        Nodes of the partition.
    W : array_like or sparse array, shape (tasks, tasks), optional
        Traffic in bytes; the diagonal does not count. If W is None, the metrics of traffic are None; if it
        contains no traffic, they are 0.
    mapping : array_like of int, shape (tasks,), optional
        Node of each task; by default, the nodes in their given order.
    """
    chosen = distinct(topology, nodes)
    distance = topology.distances(chosen).astype(np.int64)
    routed, links = _routed(topology, chosen)
    metric_values: dict[str, Any] = {
        "AD": _average(distance),
        "DFC": int(distance.sum(axis=1).min()),
        "Diam": int(distance.max()),
        "routed_nodes": routed,
        "routed_links": links,
    }
    if isinstance(topology, Grid):
        metric_values |= _of_box(topology, chosen)
        metric_values["centroid_distance"] = _from_centre(topology, chosen)
    if W is not None:
        placed = chosen if mapping is None else distinct(topology, mapping)
        source, target, size = flows(W, len(placed))
        pairs = max(1, len(placed) * (len(placed) - 1))
        hops = topology.distance(placed[source], placed[target])
        costs = {"": hops}
        if has_dimensions(topology):
            costs["_AL"] = hops + asymmetry(topology, placed)[source, target]
        for ending, values in costs.items():
            metric_values[f"TAD{ending}"] = float(values.sum() / pairs)
            metric_values[f"WTAD{ending}"] = float(values @ size / pairs)
            own = ending.lower()
            metric_values[f"pair_hops{own}"] = float(values.mean()) if len(values) else 0.0
            metric_values[f"byte_hops{own}"] = float(values @ size / size.sum()) if len(values) else 0.0
    return Metrics(**metric_values)


def average_pairwise_distance(topology: Topology, nodes: ArrayLike) -> float:
    """Return the mean distance over ordered pairs of different `nodes`, in hops; 0 for one node."""
    return _average(topology.distances(distinct(topology, nodes)).astype(np.int64))


def _of_box(grid: Grid, nodes: Nodes) -> dict[str, int]:
    """Return NA, LA and LA_sum, from the bounding box and the coordinates in use."""
    sides = bounding_box(grid, nodes)
    counts = [len(np.unique(column)) for column in grid.coordinates(nodes).T]
    affected = [(side - 1) * math.prod(counts[:i] + counts[i + 1 :]) for i, side in enumerate(sides)]
    return {"NA": math.prod(sides), "LA": math.prod(affected), "LA_sum": sum(affected)}


def _routed(topology: Topology, nodes: Nodes) -> tuple[int, int]:
    """Return how many nodes and directed links carry load on minimal routes between `nodes`."""
    check_size(len(nodes) ** 2, _BYTES_PER_PAIR, "pairs of nodes", str(topology))
    loads = link_loads(topology, nodes, np.ones((len(nodes), len(nodes))))
    links = topology.links()[loads > 0]
    return len(np.union1d(nodes, links[:, [0, 2]])), len(links)


def _from_centre(grid: Grid, nodes: Nodes) -> float:
    places = grid.coordinates(nodes)
    return sum(_spread(places[:, d], size if grid.wraps else 0) for d, size in enumerate(grid.sizes))


def _spread(places: NDArray[np.int64], ring: int) -> float:
    """Return the mean distance of places on a line, or on a ring of `ring` places, from their center."""
    # A ring is cut open before each of the places in turn; the centre belongs to the cut that gives the least
    # sum of squares.
    if not ring:
        return float(np.abs(places - places.mean()).mean())
    opened = (places[None, :] - np.unique(places)[:, None]) % ring
    gaps = np.abs(opened - opened.mean(axis=1, keepdims=True))
    gaps = np.minimum(gaps, ring - gaps)
    return float(gaps[(gaps**2).sum(axis=1).argmin()].mean())


def _average(distance: NDArray[np.int64]) -> float:
    pairs = len(distance) * (len(distance) - 1)
    return float(distance.sum() / pairs) if pairs else 0.0
