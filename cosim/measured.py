"""The measurements of one job's time on the network."""

from __future__ import annotations

from dataclasses import dataclass

from netplace.cosim.placed import Placed

__all__ = ["Measured"]


@dataclass(frozen=True, eq=False)
class Measured:
    """One job's times on the network, in cycles.

    Attributes
    ----------
    placed : Placed
        The job on its nodes.
    start : int
        First cycle in which its tasks could act.
    live : float
        From its start to its end.
    alone : float
        Time alone, with the same start, nodes, mapping and state of the network.
    fresh : float
        Time alone on a new network, as in a table.
    half_width : float
        Half-width of the interval of `live` at the level of 0.95, as a share of it; 0 if it was counted, not
        estimated.
    chance : float
        Half-width of the interval of ``live / alone`` from chance alone, at the same level.
    """

    placed: Placed
    start: int
    live: float
    alone: float
    fresh: float
    half_width: float = 0.0
    chance: float = 0.0
