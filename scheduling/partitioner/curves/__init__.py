"""Partitions along a curve through all nodes of a network.

To add a curve, write a function that returns the order of a network's nodes, and a line in `ORDERS`. A choice
among intervals of free nodes is a function with a line in `SELECTIONS`, one among free nodes in `LISTINGS`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from netplace.inputs import check_choice
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.curves.along import (
    Along,
    Listing,
    Selection,
    best_fit,
    first_fit,
    first_places,
    linear_span,
    minimum_span,
    ranks_along,
    ring_span,
    sum_of_squares,
)
from netplace.scheduling.partitioner.curves.orders import (
    hilbert,
    hilbert_cut,
    hindex,
    optimal_order,
    order_from_file,
    row,
    searched_order,
    snake,
)
from netplace.topologies import Topology, switch_grid

__all__ = [
    "LISTINGS",
    "ORDERS",
    "SELECTIONS",
    "along_curve",
    "linear_span",
    "order_of",
    "ranks_along",
    "ring_span",
]

ORDERS: dict[str, Callable[[Topology], Nodes]] = {
    "row": row,
    "snake": snake,
    "hilbert": hilbert,
    "hilbert-cut": hilbert_cut,
    "hindex": hindex,
    "searched": searched_order,
    "optimal": optimal_order,
}
_OF_NODES = ("row", "searched", "optimal")  # the others are orders of a grid, switch by switch

SELECTIONS: dict[str, Selection] = {
    "first-fit": first_fit,
    "best-fit": best_fit,
    "sum-of-squares": sum_of_squares,
}

LISTINGS: dict[str, Listing] = {
    "free-list": first_places,
    "minimum-span": minimum_span,
}

_FILE = "file="
_RING = "ring"


def order_of(topology: Topology, text: str) -> Nodes:
    """Return the computing nodes of a network in the order that a text names, shape (nodes,).

    Nodes at one switch follow each other by number; nodes that do not compute are struck out and leave no gap
    (Leung et al. 2002, sections 1 and 4). `text`: a key of `ORDERS`, or ``file=PATH``.
    """
    if text == _FILE:
        raise ValueError(f"order {text}: does not name a file, expected {_FILE}PATH")
    if text.startswith(_FILE):
        order = order_from_file(Path(text.removeprefix(_FILE)), topology)
    else:
        order = _of_all(topology, check_choice(text, [*ORDERS, f"{_FILE}PATH"], "order of the nodes"))
    return order[np.isin(order, topology.computing)] if len(topology.service) else order


def _of_all(topology: Topology, name: str) -> Nodes:
    below = None if name in _OF_NODES else switch_grid(topology)
    if below is None:
        return ORDERS[name](topology)
    grid, switch = below
    rank = np.argsort(ORDERS[name](grid))
    return np.argsort(rank[switch], kind="stable")


def along_curve(topology: Topology, option: str = "", seed: int = 0) -> Along:
    """Return the partitioner along a curve; option: order, choice, ``ring``."""
    label = f"partitioner curve:{option}" if option else "partitioner curve"
    curve, *words = (option or "hilbert").split(",")
    ring = bool(words) and words[-1] == _RING
    words = words[:-1] if ring else words
    if len(words) > 1:
        raise ValueError(f"{label}: unexpected word {words[1]!r}, expected ORDER,CHOICE,{_RING}")
    choice = words[0] if words else "best-fit"
    check_choice(choice, [*SELECTIONS, *LISTINGS], f"{label}, choice of the interval")
    if not curve.startswith(_FILE):
        check_choice(curve, [*ORDERS, f"{_FILE}PATH"], f"{label}, order of the nodes")
    return Along(order_of(topology, curve), SELECTIONS.get(choice), LISTINGS.get(choice, minimum_span), ring)
