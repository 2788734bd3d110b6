"""Contiguous partitioners: boxes of nodes on meshes and tori, found by different searches.

To add a search, write a class with the members of `Search` and a line in `SEARCHES`; a search of another
package becomes a partitioner by `box_partitioner`.
"""

from __future__ import annotations

from collections.abc import Callable

from netplace.inputs import check_choice
from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Partitioner
from netplace.scheduling.partitioner.contiguous.search import (
    Account,
    Boxes,
    Buddy,
    Erosion,
    FrameSliding,
    NodeArray,
    Search,
    mesh_2d,
)
from netplace.scheduling.partitioner.shapes import (
    BestShapes,
    Choices,
    Factors,
    Ranking,
    Shape,
    factorisations,
)
from netplace.scheduling.partitioner.tree import tree_contiguous
from netplace.topologies import Grid, Topology, hierarchy

__all__ = [
    "SEARCHES",
    "SHAPE_OPTION",
    "Account",
    "BestShapes",
    "Boxes",
    "Choices",
    "Factors",
    "NodeArray",
    "Ranking",
    "Search",
    "Shape",
    "box_partitioner",
    "contiguous",
    "factorisations",
    "mesh_2d",
]

SEARCHES: dict[str, Callable[[Grid], Search]] = {
    "buddy": Buddy,
    "contiguous": Erosion,
    "frame-sliding": FrameSliding,
}

SHAPE_OPTION = "cubic, fs, bps or bps-all, and fixed, round-up, no-lines, inside"


def contiguous(topology: Topology, option: str, seed: int, ranking: Ranking | None = None) -> Partitioner:
    """Return the partitioner of an empty machine: boxes on meshes and tori, subtrees on trees."""
    if hierarchy(topology) is not None:
        return tree_contiguous(topology, option, seed)
    return box_partitioner("contiguous", Erosion)(topology, option, seed, ranking)


def box_partitioner(name: str, search: Callable[[Grid], Search]) -> Callable[..., Partitioner]:
    """Return a function that makes a partitioner called `name`, whose boxes a search finds.

    Words of the option: the rule for shapes, ``fs`` (default; all factors in increasing average pairwise
    distance), ``cubic``, ``bps`` (the best shape and mapping of the ranking only) or ``bps-all`` (then the
    others); ``fixed``: sides are not permuted; ``round-up``: more nodes if no box has as many as the job
    needs; ``no-lines``: boxes of one dimension only if there is no other; ``inside``: no box of more than
    half a ring, so that minimal routes stay in it.
    """

    def make(topology: Topology, option: str, seed: int, ranking: Ranking | None = None) -> Partitioner:
        label = f"partitioner {name}"
        grid = grid_of(topology, label)
        if grid.twist:
            raise ValueError(f"{label}: is defined on meshes and tori, not on {grid}")
        return Boxes(grid, search, _shapes(grid, option, f"{label}:{option}", ranking))

    return make


def _shapes(grid: Grid, option: str, label: str, ranking: Ranking | None) -> Ranking:
    rules, others = ("cubic", "fs", "bps", "bps-all"), ("fixed", "round-up", "no-lines", "inside")
    words = (
        [check_choice(word.strip(), rules + others, label) for word in option.split(",")] if option else []
    )
    chosen = [word for word in words if word in rules]
    if len(chosen) > 1 or len(words) != len(set(words)):
        raise ValueError(f"{label}: expected one of {', '.join(rules)}, each word once")
    rotations, round_up = "fixed" not in words, "round-up" in words
    lines = "no-lines" not in words
    if not chosen or not chosen[0].startswith("bps"):
        cubic = chosen == ["cubic"]
        return Factors(
            grid, cubic=cubic, rotations=rotations, round_up=round_up, lines=lines, inside="inside" in words
        )
    if round_up or not lines:
        word = "round-up" if round_up else "no-lines"
        raise ValueError(f"{label}: {word} applies to cubic and fs; {chosen[0]} takes the boxes of its table")
    if ranking is None:
        raise ValueError(f"{label}: needs a run-time table that ranks shapes, and none was given")
    return BestShapes(grid, ranking, rotations=rotations, others=chosen == ["bps-all"])
