"""The communication of the NAS Parallel Benchmarks, version 3.3.1, for each class and number of tasks.

Every generator takes the class (S, W, A, B, C or D), the number of tasks and the number of iterations, and
returns the timed section of the benchmark as a program without computation. Process grids, message sizes and
the order of operations are computed as in the benchmark; only the problem sizes of the classes come from a
table. By default, the number of iterations is the benchmark's own, and the collective algorithms are the
built-in ones. A ValueError is raised if the class does not exist or cannot run on this number of tasks, or if
the program would be too large. As an application, a benchmark is called with the number of tasks and the
options ``problem_class`` and ``iterations``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from netplace.apps.application import Application
from netplace.apps.npb.cg import cg
from netplace.apps.npb.ft import ft
from netplace.apps.npb.is_ import is_
from netplace.apps.npb.lu import lu
from netplace.apps.npb.mg import mg
from netplace.apps.npb.multipartition import bt, sp
from netplace.apps.program import Program

__all__ = ["NPB", "bt", "cg", "ft", "is_", "lu", "mg", "sp"]


def _by_tasks(generator: Callable[..., Program]) -> Callable[..., Program]:
    """Return `generator` with the number of tasks first and a default class."""

    def make(
        tasks: int, problem_class: str = "A", iterations: int | None = None, **collectives: Any
    ) -> Program:
        return generator(problem_class, tasks, iterations, **collectives)

    of_class, of_tasks, *others = inspect.signature(generator).parameters.values()
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [of_tasks, of_class.replace(default="A"), *others]
    )
    return make


NPB: dict[str, Application] = {
    name: Application(name, description, _by_tasks(generator))
    for name, description, generator in (
        ("bt", "NPB BT: sweeps of 5x5 blocks along x, y and z through a multipartitioned cube", bt),
        ("cg", "NPB CG: vector sums along rows of tasks and exchanges with the transposed task", cg),
        ("ft", "NPB FT: all-to-all transposes of a 3-D grid", ft),
        ("is", "NPB IS: a bucket sort, all-to-all of keys with uneven sizes", is_),
        ("lu", "NPB LU: wavefronts over a 2-D grid of tasks, plane by plane and back", lu),
        ("mg", "NPB MG: halo exchanges on a 3-D torus at every level of a multigrid cycle", mg),
        ("sp", "NPB SP: scalar sweeps along x, y and z through a multipartitioned cube", sp),
    )
}
