"""What naive first fit finds and visits, worked out for all bases together instead of node by node."""

from __future__ import annotations

from netplace.experiments.first_fit.searches.over_nodes import OverNodes
from netplace.native import experiments as native

__all__ = ["CountedFirstFit"]


class CountedFirstFit(OverNodes):
    """The answers and visits of `NaiveFirstFit`, in a time that the size of the box hardly alters.

    How many nodes are looked at from a base, up to the first that is held, follows dimension by dimension: at
    rows that begin there from the free nodes up to the next held one, at a section of a box from those of its
    rows, and so on. `visited` is the sum over all bases up to the answer.
    """

    find = staticmethod(native.counted_first_fit)
