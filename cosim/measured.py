"""What is known of one job's time on the network."""

from __future__ import annotations

from dataclasses import dataclass

from netplace.scheduling.partitioner.allocation import Nodes

__all__ = ["Measured"]


@dataclass(frozen=True, eq=False)
class Measured:
    """One job's times on the network, in cycles.

    Attributes
    ----------
    application : str
        What it ran.
    nodes : ndarray of int64
        Node of each task.
    start : int
        First cycle in which its tasks could act.
    live : int
        From its start to its end.
    alone : int
        Alone: same start, nodes, mapping and state of the network, and nobody else.
    fresh : int
        Alone on a new network, as a table has it.
    """

    application: str
    nodes: Nodes
    start: int
    live: int
    alone: int
    fresh: int
