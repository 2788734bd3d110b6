"""Routes in large regular trees, computed for each packet instead of stored for each pair of switches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.records import freeze_arrays
from netplace.topologies.routing.switches import Switches

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RegularTree:
    """A tree in which all parents of a switch have the same leaf switches below them, as many at each level.

    A packet goes down by the ports to the child above its leaf switch, and otherwise up by any port.

    Attributes
    ----------
    below : ndarray of int64, shape (switches, 4)
        First leaf switch below each switch, their number, their number below each child, and the row of
        `ports` with the ports to its parents; the next rows contain the ports to each child.
    ports : ndarray of int16, shape (rows, n)
        Ports, padded with -1.
    """

    below: Int
    ports: NDArray[np.int16]

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def ports_at(self, switch: ArrayLike, leaf: ArrayLike) -> NDArray[np.int16]:
        """Return the ports at switches through which packets continue to leaf switches, shape (..., n)."""
        first, count, each, row = np.moveaxis(self.below[np.asarray(switch)], -1, 0)
        place = np.asarray(leaf) - first
        inside = (place >= 0) & (place < count)
        return np.asarray(self.ports[row + np.where(inside, 1 + place // each, 0)])


def regular_tree(switches: Switches, parent_by_parent: bool) -> RegularTree | None:
    """Return the routes in a tree, or None if it is not regular or nodes are elsewhere than at leaf switches.

    Ports are in increasing order or, if `parent_by_parent`, in that of `Switches.turn`.
    """
    assert switches.places is not None
    level = switches.places[:, 0] - switches.places[:, 0].min()
    leaves, end = int((level == 0).sum()), switches.neighbor
    step = np.where(end >= 0, level[end] - level[:, None], 0)
    has_all_nodes = switches.home.min() >= 0 and switches.home.max() < leaves
    if (np.abs(step) != (end >= 0)).any() or level[:leaves].any() or not has_all_nodes:
        return None
    first, size = np.arange(switches.count), [1]
    for at in range(1, int(level.max()) + 1):
        here = np.flatnonzero(level == at)
        child = np.where(step[here] < 0, end[here], -1)
        first[here] = np.where(child < 0, leaves, first[child]).min(axis=1)
        size.append(np.where(child < 0, 0, first[child] + size[-1]).max() - first[here].max())
        if not _divided(first, here, child, size[-2], size[-1]):
            return None
    count, each = np.array(size)[level], np.array([1, *size[:-1]])[level]
    if (count[(step <= 0).all(axis=1)] != leaves).any():
        return None
    row = np.cumsum([0, *(1 + count // each)])
    here, port = np.nonzero(end >= 0)
    child = end[here, port]
    group = row[here] + np.where(step[here, port] < 0, 1 + (first[child] - first[here]) // each[here], 0)
    order = np.lexsort((switches.turn[here, port] if parent_by_parent else port, group))
    place = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    ports = np.full((row[-1], int(place.max(initial=0)) + 1), -1, np.int16)
    ports[group[order], place] = port[order]
    return RegularTree(np.stack((first, count, each, row[:-1]), axis=1), ports)


def _divided(first: Int, switch: Int, child: Int, each: int, size: int) -> bool:
    """Return whether a child of each switch has its part of `size` leaf switches, and no other child has."""
    if size < 1 or size % each or (first[switch] % size).any():
        return False
    here, port = np.nonzero(child >= 0)
    below = child[here, port]
    part = (first[below] - first[switch[here]]) // each
    if part.max() >= size // each:
        return False
    found = np.full((len(switch), size // each), -1)
    found[here, part] = below
    return bool((found >= 0).all() and (found[here, part] == below).all())
