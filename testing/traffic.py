"""The check of a pattern of open-loop traffic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.traffic import PATTERN
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import parse

__all__ = ["check_traffic"]


def check_traffic(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that a traffic pattern gives each node a destination, and is reproducible.

    Parameters
    ----------
    rule : str or callable
        A function that takes a `netplace.topologies.Topology` and returns the destination of each node's
        packets, or -1 for a random other node; or the text by which a user selects it.
    networks : sequence of str
        Networks to try; the rule can refuse some with a ValueError.

    Raises
    ------
    AssertionError
        If the rule violates a requirement.
    """
    what = f"traffic {name_of(rule)}"

    def targets(network: str) -> NDArray[np.int64]:
        function = rule if callable(rule) else PATTERN.find(rule, "traffic")[0]
        return np.asarray(function(parse(network)))

    for network, destinations in accepted(networks, targets, what):
        nodes = parse(network).nodes
        demand(
            destinations.shape == (nodes,),
            f"{what} on {network}: shape {destinations.shape}, expected ({nodes},)",
        )
        inside = (
            np.issubdtype(destinations.dtype, np.integer)
            and ((destinations >= -1) & (destinations < nodes)).all()
        )
        demand(inside, f"{what} on {network}: gives other than nodes and -1")
        demand(
            np.array_equal(destinations, targets(network)),
            f"{what} on {network}: not the same when asked again",
        )
