"""Synthetic applications: pure communication patterns, as defined by the tools of INSEE.

Tasks send before they receive, so most patterns need eager sends: if messages exceed the eager limit and
therefore wait for their receives, the pattern never ends, as `Program.check` reports.
"""

from __future__ import annotations

from netplace.apps.application import Application
from netplace.apps.synthetic.patterns import (
    Steps,
    all_to_all,
    all_to_one,
    binary_tree,
    butterfly,
    gups,
    neighbors,
    on_grid,
    one_to_all,
    shift,
    sweep,
)

__all__ = ["SYNTHETIC"]

_SHIFT = "messages shift along the rings of a {} torus, one round per task of a ring"
_ON_GRIDS: dict[str, tuple[str, Steps, int, bool, int | None]] = {
    # description, steps, axes, whether they are rings, rounds
    "2d-mesh": ("neighbors on a 2-D grid exchange", neighbors, 2, False, 1),
    "2d-torus": ("neighbors on a 2-D torus exchange", neighbors, 2, True, 1),
    "2d-sweep": ("a wavefront crosses a 2-D grid", sweep, 2, False, 1),
    "2d-shift": (_SHIFT.format("2-D"), shift, 2, True, None),
    "3d-mesh": ("neighbors on a 3-D grid exchange", neighbors, 3, False, 1),
    "3d-torus": ("neighbors on a 3-D torus exchange", neighbors, 3, True, 1),
    "3d-sweep": ("a wavefront crosses a 3-D grid", sweep, 3, False, 1),
    "3d-shift": (_SHIFT.format("3-D"), shift, 3, True, None),
    "waterfall": ("successive wavefronts cross a 2-D grid", sweep, 2, False, 10),
}
_TRANSPOSED = ("2d-mesh", "2d-torus", "2d-sweep", "2d-shift", "3d-mesh", "3d-torus", "3d-shift")

SYNTHETIC: dict[str, Application] = {
    item.name: item
    for item in (
        Application("all-to-all", "each task sends to all others, then receives from them", all_to_all),
        Application("all-to-one", "each task sends to task 0", all_to_one),
        Application("one-to-all", "task 0 sends to each task", one_to_all),
        *(Application(name, grid[0], on_grid(name, *grid[1:])) for name, grid in _ON_GRIDS.items()),
        *(
            Application(
                name.replace("d-", "d-t-"),
                f"{name} on the transposed grid",
                on_grid(name.replace("d-", "d-t-"), *_ON_GRIDS[name][1:], transposed=True),
            )
            for name in _TRANSPOSED
        ),
        Application("binary-tree", "a reduction to task 0 along a binary tree", binary_tree),
        Application(
            "butterfly", "each task exchanges with the tasks whose numbers differ in one bit", butterfly
        ),
        Application("gups", "random updates, each of which is a message that the target waits for", gups),
    )
}
