"""States of nodes over time, and the energy that the nodes use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from netplace.records import freeze_arrays

__all__ = ["STATES", "Energy"]

STATES = ("off", "booting", "idle", "busy", "stopping")


@dataclass(frozen=True, eq=False)
class Energy:
    """The states of the nodes from the first submission to the last end, and the power that they drew.

    Attributes
    ----------
    time : ndarray of float64, shape (steps + 1,)
        Times at which the number of nodes in a state changed, and the end.
    nodes : dict of str to ndarray of int64, shape (steps,)
        Number of nodes in each of `STATES` from one time to the next; their sum is the number of nodes of the
        machine.
    watts : dict of str to float
        Power of a node in each state.
    begin : ndarray of float64, shape (jobs,)
        Time at which all nodes of a job were on, so that it began to run; it holds them from its start.
    boots, stops : int
        Numbers of times that a node was switched on, and off.
    counts : mapping of str to int
        Counters of the switching rule, such as the numbers of plans and fallbacks.
    """

    switching: str
    time: NDArray[np.float64]
    nodes: Mapping[str, NDArray[np.int64]]
    watts: Mapping[str, float]
    begin: NDArray[np.float64]
    job_joules: NDArray[np.float64]
    boots: int = 0
    stops: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def node_seconds(self) -> dict[str, float]:
        """Node-seconds spent in each state."""
        lasting = np.diff(self.time)
        return {state: float((self.nodes[state] * lasting).sum()) for state in STATES}

    @property
    def joules(self) -> dict[str, float]:
        """Energy used in each state, in joules."""
        return {state: seconds * self.watts[state] for state, seconds in self.node_seconds.items()}

    @property
    def total(self) -> float:
        """Total energy in joules."""
        return sum(self.joules.values())
