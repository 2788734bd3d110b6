"""The arrays of a network of any wiring, and their checks when a network is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.limits import MOST_CYCLES, MOST_DELAY
from netplace.topologies.topology import Topology

if TYPE_CHECKING:
    import scipy.sparse

MOST_DIMENSIONS = 62
MOST_GROUPS = 1000  # numbers up to it may have gaps on a network of few routers


@dataclass(frozen=True)
class _Array:
    """The contents of an array per port, switch or node, and its number of dimensions."""

    per: str
    kind: type
    minimum: int = -(2**31)
    maximum: int = 2**31 - 1
    of_links: bool = False  # `minimum` is of links alone, not of ports that lead nowhere
    dims: int = 1


ARRAYS = {
    "home": _Array("node", np.int64), "cycles": _Array("port", np.int32, 1, MOST_CYCLES, of_links=True),
    "delay": _Array("port", np.int32, 0, MOST_DELAY, of_links=True), "group": _Array("switch", np.int64, 0),
    "places": _Array("switch", np.int64, dims=2), "closes": _Array("port", np.bool_),
    "axis": _Array("port", np.int64, -1, MOST_DIMENSIONS - 1), "cut": _Array("node", np.bool_),
}  # fmt: skip


def checked_arrays(
    network: Topology, first: int, given: Mapping[str, NDArray[Any] | None]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network by name, each with its declared type and read-only."""
    check_wiring(network)
    shape: dict[str, tuple[int, ...]] = {
        "port": network.neighbor.shape, "switch": (network.routers - first,), "node": (network.nodes,)
    }  # fmt: skip
    arrays = {**ARRAYS, "group": replace(ARRAYS["group"], maximum=max(network.routers, MOST_GROUPS))}
    fitting = {
        name: _fitting(network, name, values, arrays[name], shape[arrays[name].per])
        for name, values in given.items()
        if values is not None
    }
    for values in fitting.values():
        values.setflags(write=False)
    _check_homes(network, first, fitting["home"])
    return fitting


def _fitting(
    network: Topology, name: str, values: NDArray[Any], array: _Array, shape: tuple[int, ...]
) -> NDArray[Any]:
    label = f"network {network.text}: {name}"
    if values.shape[: len(shape)] != shape or values.ndim != len(shape) + array.dims - 1:
        raise ValueError(
            f"{label} of shape {values.shape} needs {'coordinates' if array.dims > 1 else 'a value'} "
            f"for each {array.per}, {' x '.join(map(str, shape))}"
        )
    if array.kind is np.bool_:
        if values.dtype != bool:
            raise ValueError(f"{label} must be True or False for each {array.per}")
        return values
    if values.dtype.kind not in "iu":
        raise ValueError(f"{label} must be whole numbers")
    _check_range(label, array, values, network.neighbor >= 0 if array.of_links else True)
    if array.dims > 1 and not 1 <= values.shape[1] <= MOST_DIMENSIONS:
        raise ValueError(f"{label}: {values.shape[1]} coordinates, expected 1 to {MOST_DIMENSIONS}")
    return values.astype(array.kind, copy=False)


def check_of_cables(text: str, name: str, values: NDArray[Any]) -> None:
    """Check the values of one of the arrays for each cable before it is made."""
    _check_range(f"network {text}: {name}", ARRAYS[name], values)


def _check_range(
    label: str, array: _Array, values: NDArray[Any], where: NDArray[np.bool_] | bool = True
) -> None:
    """Check that numbers are in their range; the minimum applies only `where` given."""
    outside = values[(where & (values < array.minimum)) | (values > array.maximum)]
    if len(outside):
        of = " of a link" if array.of_links else ""
        raise ValueError(f"{label}{of}: {outside[0]} is not in {array.minimum}..{array.maximum}")


def _check_homes(network: Topology, first: int, home: NDArray[Any]) -> None:
    """Check that nodes are connected to switches, by their first link if they are routers themselves."""
    outside = home[(home < first) | (home >= network.routers)]
    if len(outside):
        raise ValueError(
            f"network {network.text}: home: {outside[0]} is no router for a node, expected "
            f"{first} to {network.routers - 1}"
        )
    if first == 0:
        return
    leads = network.neighbor[: network.nodes]
    if (leads[:, 1:] >= 0).any() or ((leads[:, 0] >= 0) & (leads[:, 0] != home)).any():
        raise ValueError(f"network {network.text}: a node's only link does not lead to its home")


def check_wiring(network: Topology) -> None:
    """Check that every link leads to an input of its own and to another router."""
    neighbor, entry = network.neighbor, network.entry
    wrong = neighbor[(neighbor < -1) | (neighbor >= network.routers)]
    if len(wrong):
        raise ValueError(
            f"network {network.text}: a link leads to router {wrong[0]}, expected 0 to "
            f"{network.routers - 1}, or -1 for none"
        )
    wired = neighbor >= 0
    if ((entry >= network.ports) | ((entry >= 0) != wired)).any():
        raise ValueError(
            f"network {network.text}: an entry is not 0 to {network.ports - 1} where a link is, "
            "and -1 elsewhere"
        )
    ends = np.sort(neighbor[wired].astype(np.int64) * network.ports + entry[wired])
    if (ends[1:] == ends[:-1]).any():
        raise ValueError(f"network {network.text}: two links enter a router by the same port")


def ranks(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many equal keys come before each."""
    order = np.argsort(keys, kind="stable")
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
    return rank


def adjacency(neighbor: NDArray[np.integer[Any]]) -> scipy.sparse.csr_array:
    """Return the number of links from each switch to each other."""
    import scipy.sparse

    start, port = np.nonzero(neighbor >= 0)
    ones = np.ones(len(start), np.float32)
    shape = (len(neighbor), len(neighbor))
    return scipy.sparse.csr_array((ones, (start, neighbor[start, port])), shape=shape)


def all_hops(neighbor: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    """Return the hops from every switch to every other, by breadth-first search."""
    links = np.maximum(neighbor, -1, dtype=np.int64)
    return topologies.all_hops(links).reshape(len(neighbor), len(neighbor))
