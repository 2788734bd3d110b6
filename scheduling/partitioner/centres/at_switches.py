"""Centers at one switch of any network, of which the first is enough."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import TABLE, Axes

__all__ = ["has_switches", "one_a_switch"]


def has_switches(axes: Axes) -> bool:
    """Return whether distances are those of a table of switches, some of which have several nodes."""
    return bool(axes.kinds[0] == TABLE and axes.sizes[0] < axes.places.shape[1])


def one_a_switch(axes: Axes, centres: Nodes) -> Nodes:
    """Return the first center at each switch, in order; the sum over pairs is the same around the others.

    Nodes at one switch are equally far from all that are elsewhere, and nearest to each other. If no more are
    free there than are needed, all of them are taken, whichever is the center, and so are the same others; if
    more are, those that are taken are all at that switch.
    """
    _, first = np.unique(axes.places[0, centres], return_index=True)
    return centres[np.sort(first)]
