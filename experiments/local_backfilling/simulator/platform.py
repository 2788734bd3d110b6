"""A machine whose processors are the leaves of a tree, given by the number of switches per level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Platform"]


@dataclass(frozen=True)
class Platform:
    """Processors 0 to m - 1 at the leaves of a tree; fan-outs may differ from level to level.

    A *block* of level L holds the processors below one switch of that level; blocks of level 1 are
    *clusters*. The form is that of F. Mendonca's simulator: ``1-2-10-240`` is a root, 2 switches, 10
    clusters and 240 processors.

    Attributes
    ----------
    levels : tuple of int
        How many there are from the root to the processors; begins with 1, each divides the next.

    Examples
    --------
    >>> platform = Platform.read("1-2-10-240")
    >>> platform.cluster, platform.blocks, platform.least_level(25)
    (24, (24, 120, 240), 2)
    """

    levels: tuple[int, ...]

    def __post_init__(self) -> None:
        text = "-".join(map(str, self.levels))
        if len(self.levels) < 2 or self.levels[0] != 1:
            raise ValueError(
                f"platform {text!r}: expected counts from the root, which is 1, to the processors, "
                "such as 1-2-10-240"
            )
        for above, below in zip(self.levels, self.levels[1:], strict=False):
            if below < 1 or below % above:
                raise ValueError(
                    f"platform {text!r}: {below} cannot be spread evenly below {above}, expected a multiple"
                )

    @classmethod
    def read(cls, text: str) -> Platform:
        """Return the platform of a text such as ``"1-2-10-240"``."""
        words = str(text).split("-")
        if not all(word.isascii() and word.isdigit() and len(word) <= 9 for word in words):
            raise ValueError(
                f"platform {text[:60]!r}: expected whole numbers joined by '-', such as 1-2-10-240"
            )
        return cls(tuple(map(int, words)))

    @property
    def text(self) -> str:
        """Its text form."""
        return "-".join(map(str, self.levels))

    @property
    def processors(self) -> int:
        """Number of processors."""
        return self.levels[-1]

    @property
    def blocks(self) -> tuple[int, ...]:
        """Processors of a block of each level, from level 1 on."""
        return tuple(self.processors // count for count in self.levels[-2::-1])

    @property
    def cluster(self) -> int:
        """Processors of a cluster."""
        return self.blocks[0]

    def level(self, processors: ArrayLike) -> int:
        """Return the least level at which one block holds all of `processors`, one or more."""
        chosen = np.asarray(processors)
        first, last = int(chosen.min()), int(chosen.max())
        return next(level for level, size in enumerate(self.blocks, 1) if first // size == last // size)

    def least_level(self, size: int) -> int:
        """Return the least level whose blocks have room for `size` processors."""
        for level, block in enumerate(self.blocks, 1):
            if block >= size:
                return level
        raise ValueError(f"platform {self.text}: has no room for {size} processors")

    def above_least(self, processors: ArrayLike) -> int:
        """Return by how many levels `processors` are above the least level for so many."""
        return self.level(processors) - self.least_level(len(np.asarray(processors)))
