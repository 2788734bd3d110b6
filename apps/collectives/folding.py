"""Any number of ranks folded into a power of two: who stays, and by which number."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Folding"]


@dataclass(frozen=True)
class Folding:
    """The first ``2 rest`` of `ranks` in pairs, of each of which one stays with the ``size`` of the core.

    Attributes
    ----------
    ranks : int
        Their number.
    stays : int
        Which of a pair stays: 0, the even rank, or 1.
    """

    ranks: int
    stays: int = 1

    @property
    def size(self) -> int:
        """The largest power of two that is at most `ranks`."""
        return 1 << (self.ranks.bit_length() - 1)

    @property
    def rest(self) -> int:
        """How many are folded in."""
        return self.ranks - self.size

    def rank(self, place: int) -> int:
        """Return the rank that stands at `place` of the core."""
        return 2 * place + self.stays if place < self.rest else place + self.rest

    def place(self, rank: int) -> int:
        """Return the place in the core of a rank, or of the one that stays for it."""
        return rank // 2 if rank < 2 * self.rest else rank - self.rest

    def pairs(self) -> list[tuple[int, int]]:
        """Return (the rank that leaves, the rank that stays) of each pair."""
        return [(2 * pair + 1 - self.stays, 2 * pair + self.stays) for pair in range(self.rest)]

    def blocks(self, first: int, count: int) -> tuple[int, int]:
        """Return first block and number of the blocks that `count` places of the core stand for."""
        begin, end = (place + min(place, self.rest) for place in (first, first + count))
        return begin, end - begin
