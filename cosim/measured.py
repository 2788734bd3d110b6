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
    # Half-widths of the intervals of `live` and of ``live / alone`` at the level of 0.95, as shares; 0 if
    # nothing is left to chance or estimated, None if there is a single draw of chance.
    half_width: float | None = 0.0
    chance: float | None = 0.0
    ran: int | None = None  # cycles of the run that the schedule had, if `live` is a mean over draws
