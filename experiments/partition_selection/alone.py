"""Effects of box, mapping and scattering on a job alone: figures 4 and 5 of the published study.

Source: J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, J. Supercomput. 71 (2015), section 5. Six
applications of 64 tasks run alone in six boxes under three mappings; and eight jobs of one of them run on
random nodes of a 16x16x16 mesh, relative to one in a 4x4x4 box with its best mapping. The figures have no
numbers; the text says which box is best, that the worst of the 3-D mesh takes more than six times the best,
and that time grows with the average distance for all-to-all alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.shared.box_times import run_in_box, shapes
from netplace.placement import partition
from netplace.placement.metrics import average_pairwise_distance
from netplace.report.studies import ReportTable, Row, StudyContext, measured
from netplace.runs import resolve
from netplace.scheduling.workload import INTENSITIES
from netplace.topologies import parse

ALONE = {
    "boxes-alone": "six applications of 64 tasks in six boxes under three mappings (figure 4)",
    "scattered-alone": "eight jobs on random nodes of a 16x16x16 mesh, by average distance (figure 5)",
}
_APPS = ("all-to-all", "all-to-one", "2d-mesh", "3d-mesh", "binary-tree", "butterfly")
_MAPPINGS = ("consecutive", "random", "td:iterations=1000")
_TASKS, _JOBS, _MESH = 64, 8, "mesh:16x16x16"
# The boxes and mappings that the text calls best.
_BEST = {
    "all-to-all": ("4x4x4", ("td", "random")),
    "all-to-one": ("4x4x4", ("td",)),
    "2d-mesh": ("8x8x1", ("consecutive",)),
    "3d-mesh": ("4x4x4", ("consecutive",)),
    "butterfly": ("4x4x4", ("consecutive", "td")),
}


def alone(context: StudyContext, quick: bool) -> tuple[ReportTable, str]:
    """Return times over the best of each application, and which published verdicts hold."""
    runs = measured(_in_boxes(quick), context)
    least = runs.groupby("application")["cycles"].transform("min")
    frame = runs[["application", "shape", "mapping", "cycles"]].assign(to_best=runs["cycles"] / least)
    frame["mapping"] = frame["mapping"].str.partition(":")[0]
    frame = frame.rename(columns={"shape": "box", "to_best": "to best"})
    held, chance = [], 0.0
    for app, (box, mappings) in _BEST.items():
        own = frame[frame["application"] == app]
        best = own[own["to best"] <= 1.02]  # within 2 %: as good
        if len(own):
            held.append(bool(((best["box"] == box) & best["mapping"].isin(mappings)).any()))
            chance += len(mappings) * len(best) / len(own)
    worst = frame[frame["application"] == "3d-mesh"]["to best"].max()
    sentence = (
        f"boxes-alone: a published best box and mapping is best here in {sum(held)} of {len(held)} "
        f"applications (by chance at most {chance:.1f}); the worst of the 3-D mesh takes {worst:.1f} times "
        "the best (published: over 6)."
    )
    title = f"{ALONE['boxes-alone']}: cycles, and over those of the best"
    return ReportTable("boxes-alone", title, frame, {"cycles": 0, "to best": 2}), sentence


def _in_boxes(quick: bool) -> list[Row]:
    return [
        run_in_box(app, "low", _TASKS, shape, mapping)
        for app in (_APPS[3:4] if quick else _APPS)
        for shape in shapes(_TASKS, (32, 32, 32), lines=False)
        for mapping in _MAPPINGS
    ]


def scattered(context: StudyContext, quick: bool) -> tuple[ReportTable, str]:
    """Return times on random nodes over that in a cube, and their correlation with the average distance."""
    apps, draws = (_APPS[3:4], 2) if quick else (_APPS, 10)
    cube = measured([row for row in _in_boxes(quick) if row.labels["shape"] == "4x4x4"], context)
    base = cube.groupby("application")["cycles"].min()
    machine = parse(_MESH)
    rows = []
    for app in apps:
        job = {"app": app, "bytes": INTENSITIES["low"], "tasks": _TASKS, "mapping": "consecutive"}
        rows += [
            Row(
                {"application": app, "draw": draw},
                resolve(_MESH, [job] * _JOBS, partition="random", seed=draw),
            )
            for draw in range(draws)
        ]
    runs = measured(rows, context)
    distance = {
        draw: [
            average_pairwise_distance(machine, nodes)
            for nodes in partition("random", machine, [_TASKS] * _JOBS, seed=draw)
        ]
        for draw in range(draws)
    }
    lines: list[dict[str, Any]] = []
    for app, own in runs.groupby("application", sort=False):
        times = np.concatenate(own["jobs"].tolist()) / base[app]
        far = np.concatenate([distance[draw] for draw in own["draw"]])
        lines.append(
            {
                "application": app,
                "mean": times.mean(),
                "least": times.min(),
                "most": times.max(),
                "r, distance": np.corrcoef(times, far)[0, 1] if np.ptp(times) else 0.0,
            }
        )
    frame = pd.DataFrame(lines)
    r = frame.set_index("application")["r, distance"]
    sentence = (
        f"scattered-alone: jobs on random nodes take {frame['mean'].min():.1f} to {frame['mean'].max():.1f} "
        f"times as long as in a 4x4x4 box; times and average distances correlate by {r.min():.2f} "
        f"({r.idxmin()}) to {r.max():.2f} ({r.idxmax()}) (published: a trend for all-to-all alone)."
    )
    title = f"{ALONE['scattered-alone']}: time over that in a 4x4x4 box with the best mapping"
    return ReportTable("scattered-alone", title, frame, dict.fromkeys(frame.columns[1:], 2)), sentence
