"""Rules for the processors of a job among those that stay free long enough, by name.

F. Mendonca, thesis, Université Grenoble Alpes, 2017, chapters 4 and 5; chapter 4 takes the first piece with
room, chapter 5 the longest. Names that end in ``-largest`` and ``-rank`` are variants of the author's own
simulator (fernandodeperto/batch-simulator). The order of clusters is described only for best effort, and that
simulator orders blocks by number or by size: names that end in ``-tightest`` are our own reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.checks import check_choice
from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.native import experiments as native

__all__ = ["RULES", "PlaceRule", "place"]

# Families of rules, as rules.hpp numbers them.
BASIC, FIRST_PIECE, PIECES, CLUSTERS, BLOCK, BLOCK_RANK, CLUSTERS_TIGHTEST, BLOCK_TIGHTEST = range(8)


@dataclass(frozen=True)
class PlaceRule:
    """An allocation rule; "first" always means lowest number.

    Attributes
    ----------
    kind : int
        Its family.
    forced : bool
        Whether a job waits rather than get other processors.
    source : str
        Where it is from in the thesis (T), the author's simulator (A), or a reading.
    description : str
        Description in one line.
    """

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
    """Return the processors that a rule takes, or None if it refuses.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    platform : Platform
        The machine.
    free : array_like of int
        Processors that may be taken.
    size : int
        How many are wanted, at least 1.

    Examples
    --------
    >>> place("becont", Platform.read("1-2-4-8"), [1, 3, 4, 5, 7], 3).tolist()
    [3, 4, 5]
    >>> place("plat", Platform.read("1-2-4-8"), [1, 3, 4, 5, 7], 3).tolist()
    [4, 5, 7]
    """
    chosen_rule = RULES[check_choice(rule, RULES, "rule")]
    open_ = np.zeros(platform.processors, np.bool_)
    open_[np.asarray(free, np.int64)] = True
    if open_.sum() < size:
        return None
    blocks = np.array(platform.blocks, np.int64)
    chosen = native.choose(chosen_rule.kind, chosen_rule.forced, open_, blocks, size)
    return None if chosen is None else np.flatnonzero(chosen)
