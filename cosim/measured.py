"""The measurements of one job's time on the network."""

from __future__ import annotations

from dataclasses import dataclass

from netplace.cosim.placed import Placed


@dataclass(frozen=True, eq=False)
class Measured:
    placed: Placed  # the job on its nodes
    start: int  # first cycle in which its tasks could act
    live: float  # from its start to its end
    alone: float  # time alone, with the same start, nodes, mapping and state of the network
    fresh: float  # time alone on a new network, as in a table
    # Half-width of the interval of `live` at the level of 0.95, as a share of it; 0 if it was counted, not
    # estimated.
    half_width: float = 0.0
    chance: float = 0.0  # Half-width of the interval of ``live / alone`` from chance alone, at the same level
    draws: tuple[float, ...] = ()  # times alone in each draw, if several were wanted
    ran: int | None = None  # cycles of the run that the schedule had, if `live` is a mean over draws
