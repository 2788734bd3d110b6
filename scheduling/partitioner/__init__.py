"""Allocators, which choose the nodes of a job on a shared machine: partitioners, by name.

To add one, write a class with the members of `Partitioner` and a line in `PARTITIONERS`; `PlainPartitioner`
has everything but the choice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from netplace.inputs import check_int
from netplace.placement.rule import grid_of
from netplace.registry import Registry
from netplace.scheduling.partitioner.allocation import Allocation, Nodes, Partitioner, PartitionerKind
from netplace.scheduling.partitioner.centres import by_distance, mc_boxes, mc_nodes
from netplace.scheduling.partitioner.contiguous import SHAPE_OPTION, box_partitioner, contiguous
from netplace.scheduling.partitioner.contiguous.search import Buddy, FrameSliding
from netplace.scheduling.partitioner.curves import along_curve
from netplace.scheduling.partitioner.noncontiguous import (
    FirstFree,
    MultipleBuddy,
    Paging,
    RandomFree,
    gabl,
    paging,
)
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.scheduling.partitioner.pss import by_processor_sets
from netplace.scheduling.partitioner.shapes import Ranking
from netplace.scheduling.partitioner.slurm import SLURM_RULES, slurm_choice
from netplace.scheduling.partitioner.static import STATIC, static_sets
from netplace.scheduling.partitioner.tree import Subtrees, nearly_contiguous, read_threshold
from netplace.topologies import Grid, Topology

__all__ = [
    "PARTITIONERS",
    "Allocation",
    "Nodes",
    "Paging",
    "Partitioner",
    "PartitionerKind",
    "PlainPartitioner",
    "Subtrees",
    "make_partitioner",
    "read_threshold",
]

_PARTITIONERS: dict[str, PartitionerKind] = {
    "buddy": PartitionerKind(
        box_partitioner("buddy", Buddy),
        "buddy:cubic",
        "boxes in squares whose sides are powers of two, split and joined (Li, Cheng 1991)",
        SHAPE_OPTION,
        ranked=True,
    ),
    "contiguous": PartitionerKind(
        contiguous,
        "contiguous:cubic",
        "boxes on grids by first fit on an eroded bitmap; subtrees on trees",
        SHAPE_OPTION,
        ranked=True,
    ),
    "curve": PartitionerKind(
        along_curve,
        "curve:hilbert,best-fit",
        "an interval of free nodes along a curve through the machine, or the intervals with the smallest "
        "span",
        "ORDER,CHOICE,ring",
        strikes_out=True,
    ),
    "frame-sliding": PartitionerKind(
        box_partitioner("frame-sliding", FrameSliding),
        "frame-sliding",
        "boxes in frames that slide by their sides, which misses some boxes (Chuang, Tzeng 1991)",
        SHAPE_OPTION,
        ranked=True,
    ),
    "gabl": PartitionerKind(
        gabl, "gabl", "a free box, or the largest ones that fit inside it (Bani-Mohammad et al. 2006)"
    ),
    "gen-alg": PartitionerKind(
        by_distance("gen-alg"),
        "gen-alg",
        "the free nodes nearest to the best free node as center (Krumke et al. 1997)",
    ),
    "gen-alg+inc": PartitionerKind(
        by_distance("gen-alg+inc"), "gen-alg+inc", "gen-alg, improved by swaps to a local optimum"
    ),
    "line": PartitionerKind(
        by_distance("line"), "line", "on a line: the free nodes with the smallest pairwise distance (exact)"
    ),
    "mbs": PartitionerKind(
        lambda topology, option, seed: MultipleBuddy(grid_of(topology, "partitioner mbs")),
        "mbs",
        "blocks with sides 2^i, by the binary digits of the size of the job (Lo et al. 1997)",
    ),
    "mc": PartitionerKind(
        mc_boxes,
        "mc:cubic",
        "free nodes in shells around a box of a shape (Mache, Lo, Windisch 1997)",
        "SHAPE,TIE",
    ),
    "mc1x1": PartitionerKind(
        mc_nodes, "mc1x1", "free nodes in shells around a free node (Mache, Lo, Windisch 1997)", "TIE"
    ),
    "mm": PartitionerKind(
        by_distance("mm"),
        "mm",
        "the free nodes nearest to the best crossing of free rows and columns (Bender et al. 2005)",
    ),
    "mm+inc": PartitionerKind(
        by_distance("mm+inc"), "mm+inc", "mm, improved by swaps to a local optimum (Bender et al. 2005)"
    ),
    "nearly-contiguous": PartitionerKind(
        nearly_contiguous,
        "nearly-contiguous:20",
        "the fullest subtree of the job's level, with up to a given percentage of the nodes from the nearest "
        "subtrees",
        "QCT",
    ),
    "non-contiguous": PartitionerKind(
        lambda topology, option, seed: FirstFree(topology.nodes),
        "non-contiguous",
        "the first free nodes in node order",
    ),
    "optimal": PartitionerKind(
        by_distance("optimal"),
        "optimal",
        "the free nodes with the smallest distances, by exhaustive search (small machines)",
    ),
    "paging": PartitionerKind(
        paging,
        "paging:1",
        "the first free pages of side 2^S (Lo et al. 1997); on trees, subtrees of level S",
        "S,ORDER",
    ),
    "pss": PartitionerKind(
        by_processor_sets,
        "pss:levels",
        "the free nodes in the cheapest processor sets, from the topology or a file (Drakenberg)",
        "levels|FILE,..",
    ),
    "quasi-contiguous": PartitionerKind(
        partial(nearly_contiguous, one_up=True),
        "quasi-contiguous:20",
        "one subtree of the job's level, with up to a given percentage of the nodes from one level above "
        "(Pascual 2009)",
        "QCT",
    ),
    "random": PartitionerKind(
        lambda topology, option, seed: RandomFree(topology.nodes, np.random.default_rng(seed)),
        "random",
        "random free nodes",
        is_random=True,
    ),
    "slurm": PartitionerKind(
        slurm_choice,
        "slurm",
        "the choice of Slurm 22.05 (select/cons_tres; slurm:linear: select/linear); listed boxes on tori",
        "|".join(SLURM_RULES) + "=SHAPES or SEGMENT",
    ),
    **{name: static_sets(name) for name in STATIC},
}


def _own(make: Callable[..., Partitioner], name: str, description: str) -> PartitionerKind:
    return PartitionerKind(make, name, description, "OPTION", is_random=True)


PARTITIONERS: Registry[PartitionerKind] = Registry(
    "partitioner", "netplace.partitioners", PartitionerKind, _PARTITIONERS, _own
)


def make_partitioner(
    text: str, topology: Topology, seed: int = 0, *, ranking: Ranking | None = None
) -> Partitioner:
    """Return a partitioner of an empty machine; service nodes are permanently held or omitted.

    Parameters
    ----------
    text : str
        A key of `PARTITIONERS`, with a colon and an option if the partitioner takes one.
    ranking : callable, optional
        Function that takes a job and returns boxes and mappings, the best ones first; used by
        ``"contiguous:bps"``.

    Raises
    ------
    ValueError
        If the partitioner is unknown, its option is invalid, or it does not support the machine.
    """
    kind, option = PARTITIONERS.find(str(text))
    name, colon, _ = str(text).partition(":")
    if option and not kind.option:
        raise ValueError(f"partitioner {name}: takes no option, but {option!r} was given")
    if colon and not option and PARTITIONERS.is_built_in(name):
        raise ValueError(
            f"partitioner {text}: no option after the colon, expected {kind.option or 'no colon'}"
        )
    rest = {"ranking": ranking} if kind.ranked else {}
    made = kind.make(topology, option, check_int(seed, "seed", 0), **rest)
    if kind.strikes_out:
        return made
    # One by one: each is a box of its own, so that partitioners of boxes can hold it too.
    box = (1,) * topology.dims if isinstance(topology, Grid) else None
    for node in topology.service:
        made.take(Allocation(np.array([node]), box))
    return made
