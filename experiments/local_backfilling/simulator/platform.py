"""Trees of processors, the rules that take some of them, and what a place costs a job."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_choice, check_float
from netplace.native import experiments as native
from netplace.scheduling.times import GROWTHS


@dataclass(frozen=True)
class Platform:
    """Processors 0 to m - 1 at the leaves of a tree; fan-outs may differ from level to level.

    A *block* of level L holds the processors below one switch of that level; blocks of level 1 are
    *clusters*. The form is that of F. Mendonca's simulator: ``1-2-10-240`` is a root, 2 switches, 10 clusters
    and 240 processors.
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
        words = str(text).split("-")
        if not all(word.isascii() and word.isdigit() and len(word) <= 9 for word in words):
            raise ValueError(
                f"platform {text[:60]!r}: expected whole numbers joined by '-', such as 1-2-10-240"
            )
        return cls(tuple(map(int, words)))

    @property
    def text(self) -> str:
        return "-".join(map(str, self.levels))

    @property
    def processors(self) -> int:
        return self.levels[-1]

    @property
    def blocks(self) -> tuple[int, ...]:
        return tuple(self.processors // count for count in self.levels[-2::-1])

    @property
    def cluster(self) -> int:
        return self.blocks[0]

    def level(self, processors: ArrayLike) -> int:
        """Return the least level at which one block holds all of `processors`, one or more."""
        chosen = np.asarray(processors)
        first, last = int(chosen.min()), int(chosen.max())
        return next(level for level, size in enumerate(self.blocks, 1) if first // size == last // size)

    def least_level(self, size: int) -> int:
        for level, block in enumerate(self.blocks, 1):
            if block >= size:
                return level
        raise ValueError(f"platform {self.text}: has no room for {size} processors")

    def above_least(self, processors: ArrayLike) -> int:
        """Return by how many levels `processors` are above the least level for so many."""
        return self.level(processors) - self.least_level(len(np.asarray(processors)))


@dataclass(frozen=True)
class Penalty:
    """A penalty by level, by default none: F. Mendonca, thesis, 2017, section 5.3.4."""

    growth: str = "geometric"  # key of `GROWTHS`
    factor: float = 1.0

    def seconds(self, nominal: float, above: int) -> float:
        """Return the run time of a job of `nominal` seconds that sits `above` levels over its least."""
        return nominal * GROWTHS[self.growth](self.factor, above)


def read_penalty(text: str) -> Penalty:
    """Return the penalty of a text such as ``"geometric:2"``; ``quadratic:F`` means ``geometric:F`` here."""
    name, _, factor = text.partition(":")
    name = "geometric" if name == "quadratic" else name  # so called in the thesis
    check_choice(name, ("none", "linear", "geometric"), "penalty")
    if name == "none":
        return Penalty()
    return Penalty(name, check_float(factor, f"penalty {text}: factor", 1 if name == "geometric" else 0))


# Families of rules, as rules.hpp numbers them.
BASIC, FIRST_PIECE, PIECES, CLUSTERS, BLOCK, BLOCK_RANK, CLUSTERS_TIGHTEST, BLOCK_TIGHTEST = range(8)


@dataclass(frozen=True)
class PlaceRule:
    """An allocation rule; "first" always means lowest number; `source`: thesis (T) or simulator (A)."""

    kind: int
    forced: bool
    source: str
    description: str


RULES: dict[str, PlaceRule] = {
    "basic": PlaceRule(BASIC, False, "T, algorithm 2", "the first processors"),
    "becont": PlaceRule(
        FIRST_PIECE, False, "T, algorithm 3", "the first piece with room; without one, as basic"
    ),
    "becont-largest": PlaceRule(PIECES, False, "T, chapter 5; A", "pieces, the longest first"),
    "cont": PlaceRule(FIRST_PIECE, True, "T, chapter 4; A", "the first piece with room, or wait"),
    "cont-largest": PlaceRule(PIECES, True, "T, chapter 5", "the longest piece, or wait"),
    "beloc": PlaceRule(CLUSTERS, False, "T, algorithm 4", "clusters, the one with most free first"),
    "loc": PlaceRule(CLUSTERS, True, "T, chapter 4; A", "as beloc, in the fewest clusters possible, or wait"),
    "beplat": PlaceRule(
        BLOCK, False, "T, algorithm 5", "the first block with room of the lowest level, inside as beloc"
    ),
    "plat": PlaceRule(BLOCK, True, "T, chapter 5", "as beplat, at the least level for the job, or wait"),
    "beplat-rank": PlaceRule(BLOCK_RANK, False, "A", "the same blocks as beplat, inside as basic"),
    "plat-rank": PlaceRule(BLOCK_RANK, True, "A", "the same blocks as plat, inside as basic"),
    "beloc-tightest": PlaceRule(
        CLUSTERS_TIGHTEST,
        False,
        "reading",
        "as beloc; the rest to the cluster with fewest free that holds it",
    ),
    "loc-tightest": PlaceRule(
        CLUSTERS_TIGHTEST, True, "reading", "as beloc-tightest, in the fewest clusters possible, or wait"
    ),
    "beplat-tightest": PlaceRule(
        BLOCK_TIGHTEST, False, "reading", "as beplat, the block with fewest free; inside as beloc-tightest"
    ),
    "plat-tightest": PlaceRule(
        BLOCK_TIGHTEST, True, "reading", "as beplat-tightest, at the least level, or wait"
    ),
}


def place(rule: str, platform: Platform, free: ArrayLike, size: int) -> NDArray[np.int64] | None:
    """Return the processors that a rule takes, or None if it refuses."""
    chosen_rule = RULES[check_choice(rule, RULES, "rule")]
    open_ = np.zeros(platform.processors, np.bool_)
    open_[np.asarray(free, np.int64)] = True
    if open_.sum() < size:
        return None
    blocks = np.array(platform.blocks, np.int64)
    chosen = native.choose(chosen_rule.kind, chosen_rule.forced, open_, blocks, size)
    return None if chosen is None else np.flatnonzero(chosen)
