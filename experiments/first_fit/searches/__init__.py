"""Searches for free boxes that give the same answer as the product's own, each at its own cost.

They are partitioners of the same names, offered by entry points as any other package's would be.
"""

from __future__ import annotations

from collections.abc import Callable

from netplace.experiments.first_fit.searches.adaptive_scan import AdaptiveScan
from netplace.experiments.first_fit.searches.iff import ImprovedFirstFit
from netplace.experiments.first_fit.searches.naive_counts import CountedFirstFit
from netplace.experiments.first_fit.searches.rbs import RightBorderSegments
from netplace.experiments.first_fit.searches.row_jumps import RowJumps
from netplace.experiments.first_fit.searches.zhu import ZhuFirstFit
from netplace.scheduling.partitioner.contiguous import SHAPE_OPTION, Search, box_partitioner
from netplace.scheduling.partitioner.kind import PartitionerKind
from netplace.topologies import Grid

__all__ = ["ADAPTIVE_SCAN", "IFF", "NAIVE", "RBS", "ROW_JUMPS", "SEARCHES", "ZFF"]

SEARCHES: dict[str, Callable[[Grid], Search]] = {
    "adaptive-scan": AdaptiveScan,
    "iff": ImprovedFirstFit,
    "naive": CountedFirstFit,
    "rbs": RightBorderSegments,
    "row-jumps": RowJumps,
    "zff": ZhuFirstFit,
}

ADAPTIVE_SCAN = PartitionerKind(
    box_partitioner("adaptive-scan", AdaptiveScan),
    "adaptive-scan",
    "boxes, first fit jumping behind held boxes (Ding, Bhuyan 1993)",
    SHAPE_OPTION,
    ranked=True,
)
IFF = PartitionerKind(
    box_partitioner("iff", ImprovedFirstFit),
    "iff:fs",
    "boxes, first fit jumping over forbidden bases (Pascual et al. 2014)",
    SHAPE_OPTION,
    ranked=True,
)
NAIVE = PartitionerKind(
    box_partitioner("naive", CountedFirstFit),
    "naive",
    "boxes, first fit node by node",
    SHAPE_OPTION,
    ranked=True,
)
RBS = PartitionerKind(
    box_partitioner("rbs", RightBorderSegments),
    "rbs",
    "boxes on 2-D meshes, first fit at right borders of held ones (Chiu, Chen 1999)",
    SHAPE_OPTION,
    ranked=True,
)
ROW_JUMPS = PartitionerKind(
    box_partitioner("row-jumps", RowJumps),
    "row-jumps",
    "boxes, first fit by free runs along rows, jumping over forbidden bases",
    SHAPE_OPTION,
    ranked=True,
)
ZFF = PartitionerKind(
    box_partitioner("zff", ZhuFirstFit),
    "zff",
    "boxes, first fit by the coverage of held nodes (Zhu 1992)",
    SHAPE_OPTION,
    ranked=True,
)
