"""The communication of the NAS Parallel Benchmarks, version 3.3.1, for each class and number of tasks.

Every generator takes (class, tasks, iterations) and returns the timed section of the benchmark as a
program, without computation. Process grids, message sizes and the order of operations are computed as the
benchmark does; nothing is tabulated but the problem sizes of the classes.
"""

from __future__ import annotations

from collections.abc import Callable

from apps.npb.bt import bt
from apps.npb.cg import cg
from apps.npb.ft import ft
from apps.npb.is_ import is_
from apps.npb.lu import lu
from apps.npb.mg import mg
from apps.npb.sp import sp
from apps.program import Program

__all__ = ["NPB", "bt", "cg", "ft", "is_", "lu", "mg", "sp"]

NPB: dict[str, Callable[..., Program]] = {
    "bt": bt,
    "cg": cg,
    "ft": ft,
    "is": is_,
    "lu": lu,
    "mg": mg,
    "sp": sp,
}
