"""State of a network in addition to a result: residues of packets, and charged waiting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks.calls import check_fields

__all__ = ["ArbiterState", "Waiting"]


@dataclass(frozen=True, eq=False)
class ArbiterState:
    """The state that packets leave behind in a network; see `Network.residue`."""

    cycle: int  # next cycle to simulate
    # Positions at which arbiters and links begin their next search, in the order of the engine.
    pointers: tuple[NDArray[np.int16], ...]

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, eq=False)
class Waiting:
    """Cycles of waiting head packets, charged to the jobs whose packets held the resources."""

    # shape (jobs + 1, jobs + 1): cycles by waiting job and by charged job, including itself, in the order in
    # which the jobs were given to the network; open-loop traffic is last.
    cycles: NDArray[np.int64]
    # shape (routers, ports + 1, 2): the same cycles by link: charged to the waiting job, and to others. The
    # last place of a router is the consumption of its node.
    links: NDArray[np.int64]
    # Total waiting of heads, counted independently; equals the sum of each of the other attributes.
    waited: int

    @property
    def total(self) -> int:
        """Sum of all charged cycles."""
        return int(self.cycles.sum())
