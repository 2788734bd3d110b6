"""Synthetic applications: pure communication patterns, as defined by the tools of INSEE.

Tasks send before they receive, so most patterns need eager sends: if messages exceed the eager limit and
therefore wait for their receives, the pattern never ends, as `Program.check` reports.
"""

from __future__ import annotations

from netplace.apps.application import Application
from netplace.apps.synthetic.neighbours import (
    mesh_2d,
    mesh_3d,
    shift_2d,
    shift_3d,
    t_mesh_2d,
    t_mesh_3d,
    t_shift_2d,
    t_shift_3d,
    t_torus_2d,
    t_torus_3d,
    torus_2d,
    torus_3d,
)
from netplace.apps.synthetic.patterns import (
    all_to_all,
    all_to_one,
    binary_tree,
    butterfly,
    gups,
    one_to_all,
    sweep_2d,
    sweep_3d,
    t_sweep_2d,
    waterfall,
)

__all__ = ["SYNTHETIC"]

SYNTHETIC: dict[str, Application] = {
    item.name: item
    for item in (
        Application("all-to-all", "each task sends to all others, then receives from them", all_to_all),
        Application("all-to-one", "each task sends to task 0", all_to_one),
        Application("one-to-all", "task 0 sends to each task", one_to_all),
        Application("2d-mesh", "neighbors on a 2-D grid exchange", mesh_2d),
        Application("2d-torus", "neighbors on a 2-D torus exchange", torus_2d),
        Application("2d-sweep", "a wavefront crosses a 2-D grid", sweep_2d),
        Application("2d-t-mesh", "2d-mesh on the transposed grid", t_mesh_2d),
        Application("2d-t-torus", "2d-torus on the transposed grid", t_torus_2d),
        Application("2d-t-sweep", "2d-sweep on the transposed grid", t_sweep_2d),
        Application("3d-mesh", "neighbors on a 3-D grid exchange", mesh_3d),
        Application("3d-torus", "neighbors on a 3-D torus exchange", torus_3d),
        Application("3d-sweep", "a wavefront crosses a 3-D grid", sweep_3d),
        Application("3d-t-mesh", "3d-mesh on the transposed grid", t_mesh_3d),
        Application("3d-t-torus", "3d-torus on the transposed grid", t_torus_3d),
        Application(
            "2d-shift",
            "messages shift along the rings of a 2-D torus, one round per task of a ring",
            shift_2d,
        ),
        Application("2d-t-shift", "2d-shift on the transposed grid", t_shift_2d),
        Application(
            "3d-shift",
            "messages shift along the rings of a 3-D torus, one round per task of a ring",
            shift_3d,
        ),
        Application("3d-t-shift", "3d-shift on the transposed grid", t_shift_3d),
        Application("binary-tree", "a reduction to task 0 along a binary tree", binary_tree),
        Application(
            "butterfly", "each task exchanges with the tasks whose numbers differ in one bit", butterfly
        ),
        Application("gups", "random updates, each of which is a message that the target waits for", gups),
        Application("waterfall", "successive wavefronts cross a 2-D grid", waterfall),
    )
}
