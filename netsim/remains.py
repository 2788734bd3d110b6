"""What a network tells of itself besides a result: what packets left, and whom waiting is charged to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks.calls import check_fields

__all__ = ["Residue", "Waiting"]


@dataclass(frozen=True, eq=False)
class Residue:
    """What packets leave behind in a network once they have passed; see `Network.residue`.

    Attributes
    ----------
    cycle : int
        Next cycle to be simulated.
    pointers : tuple of ndarray of int16
        Where arbiters and links begin their next search, in the order of the engine.
    """

    cycle: int
    pointers: tuple[NDArray[np.int16], ...]

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, eq=False)
class Waiting:
    """Cycles that head packets waited, charged to the job whose packet held what they waited for.

    Attributes
    ----------
    cycles : ndarray of int64, shape (jobs + 1, jobs + 1)
        By job that waited and by job charged, itself included, in the order in which they were given to the
        network; open-loop traffic comes last.
    links : ndarray of int64, shape (routers, ports + 1, 2)
        The same cycles by link waited for, in the last place of a router for its node's consumption: charged
        to the job that waited, and to others.
    waited : int
        Cycles that heads have waited, counted without asking for whom: the sum of each of the others.
    """

    cycles: NDArray[np.int64]
    links: NDArray[np.int64]
    waited: int

    @property
    def total(self) -> int:
        """All cycles charged."""
        return int(self.cycles.sum())
