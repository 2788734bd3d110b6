"""ZFF: Zhu's first fit, by the coverage of what is held."""

from __future__ import annotations

from netplace.experiments.first_fit.searches.over_nodes import OverNodes
from netplace.native import experiments as native

__all__ = ["ZhuFirstFit"]


class ZhuFirstFit(OverNodes):
    """An exact search that marks all bases from which a box meets a held one; `visited` counts nodes.

    The marks are those of the array of held nodes spread backwards by the sides of the box: one pass over
    all nodes a dimension, and one to find the first that is not marked. The time depends on the size of the
    machine alone.

    Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel
    and Distributed Computing 16 (1992). That is for 2-D meshes, a pass along rows and one along columns;
    here there is one for every dimension, and rings go on at their beginning.
    """

    find = staticmethod(native.zhu_first_fit)
