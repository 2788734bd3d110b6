"""NFF: naive first fit, node by node."""

from __future__ import annotations

from netplace.experiments.first_fit.searches.over_nodes import OverNodes
from netplace.native import experiments as native

__all__ = ["NaiveFirstFit"]


class NaiveFirstFit(OverNodes):
    """An exact search on meshes and tori that looks at every node of every box; `visited` counts nodes.

    A base is given up at the first held node.
    """

    find = staticmethod(native.naive_first_fit)
