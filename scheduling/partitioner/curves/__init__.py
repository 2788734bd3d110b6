"""Partitions along a curve through all nodes of a mesh or torus.

A new curve is a function that gives the order of a grid's nodes, and a line in `ORDERS`; a new way to choose
among the intervals of free nodes is a function, and a line in `SELECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable

from netplace.checks import one_of
from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.curves.along import Along
from netplace.scheduling.partitioner.curves.hilbert import hilbert
from netplace.scheduling.partitioner.curves.row import row
from netplace.scheduling.partitioner.curves.selection import Selection, best_fit, first_fit, sum_of_squares
from netplace.scheduling.partitioner.curves.snake import snake
from netplace.topologies import Grid, Topology

__all__ = ["ORDERS", "SELECTIONS", "along_curve"]

ORDERS: dict[str, Callable[[Grid], Nodes]] = {
    "row": row,
    "snake": snake,
    "hilbert": hilbert,
}

SELECTIONS: dict[str, Selection] = {
    "first-fit": first_fit,
    "best-fit": best_fit,
    "sum-of-squares": sum_of_squares,
}


def along_curve(topology: Topology, option: str = "", seed: int = 0) -> Along:
    """Return the partitioner that gives nodes along a curve.

    Parameters
    ----------
    topology : Topology
        A mesh or torus.
    option : str
        A key of `ORDERS`, and after a comma a key of `SELECTIONS`; without it best fit, and without either
        best fit along Hilbert's curve.
    seed : int
        Not used: nothing is left to chance.

    Raises
    ------
    ValueError
        If there is no such order or selection, or the network is no grid.
    """
    what = f"partitioner curve:{option}" if option else "partitioner curve"
    curve, comma, choice = (option or "hilbert").partition(",")
    order = ORDERS[one_of(curve, ORDERS, f"{what}, order of the nodes")]
    if not comma:
        choice = "best-fit"
    select = SELECTIONS[one_of(choice, SELECTIONS, f"{what}, choice of the interval")]
    return Along(order(grid_of(topology, what)), select)
