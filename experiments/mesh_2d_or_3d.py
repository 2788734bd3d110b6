"""64-task applications on meshes of two and three dimensions: ``docs/studies/mesh-2d-or-3d.md``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.experiments.shared.relative_bars import draw_relative
from netplace.experiments.shared.statistics import best, spread
from netplace.experiments.td_vs_classic import APPLICATIONS, MAPPINGS
from netplace.report.studies import Report, ReportTable, Row, Study, StudyRequest, of_runs
from netplace.runs import resolve

NETWORKS = {"8x8": "mesh:8x8", "4x4x4": "mesh:4x4x4"}


def rows(request: StudyRequest) -> list[Row]:
    """Return the runs: the first mapping of every kind before the second."""
    runs = [row for app in (("LU",) if request.quick else APPLICATIONS) for row in _rows_of(app, request)]
    return sorted(runs, key=lambda row: int(row.labels["number"]))


def _rows_of(app: str, request: StudyRequest) -> Iterator[Row]:
    job = {"trace": f"{app}.A.64"} | ({"iterations": "1:1"} if request.quick else {})
    many = request.mappings or (2 if request.quick else 5)
    for shape, network in NETWORKS.items():
        for mapping, rule in MAPPINGS.items():
            for number in range(1 if mapping == "consecutive" else many):
                run = resolve(network, job | {"mapping": rule}, seed=number)
                yield Row({"app": app, "mesh": shape, "mapping": mapping, "number": number}, run)


def report(request: StudyRequest, runs: pd.DataFrame) -> Report:
    cells = _cells(runs)
    times = ReportTable("times", "Times in 10,000 cycles", cells, _DIGITS)
    shapes = _shapes(cells)
    beside = ReportTable(
        "meshes",
        "Mean time on the 4x4x4 mesh / mean time on the 8x8 mesh",
        shapes,
        dict.fromkeys((*MAPPINGS, "best mapping of each"), 2),
    )
    figure = {"meshes": partial(_draw, cells=cells)}
    return Report((beside, times), tuple(_summary(shapes)), figure, notes=(_MARKS,))


_DIGITS = {"mean": 2, "std": 2, "least": 2, "to consecutive 8x8": 3}


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for app, group in runs.groupby("app", sort=False):
        samples = {
            key: (own["cycles"] / 1e4).tolist() for key, own in group.groupby(["mesh", "mapping"], sort=False)
        }
        base = float(np.mean(samples["8x8", "consecutive"]))
        winners = best({f"{mesh} {mapping}": sample for (mesh, mapping), sample in samples.items()})
        for (mesh, mapping), sample in samples.items():
            mean, deviation = spread(sample)
            name = f"{mesh} {mapping}"
            cells.append(
                {
                    "app": app,
                    "mesh": mesh,
                    "mapping": mapping,
                    "mean": mean,
                    "std": deviation if len(sample) > 1 else np.nan,
                    "least": min(sample),
                    "to consecutive 8x8": mean / base,
                    "winner": "*" if name == winners[0] else "=" if name in winners else "",
                }
            )
    return pd.DataFrame(cells)


def _shapes(cells: pd.DataFrame) -> pd.DataFrame:
    means = cells.pivot(index="app", columns=["mesh", "mapping"], values="mean")
    apps = list(dict.fromkeys(cells["app"]))
    ratios = (means["4x4x4"] / means["8x8"]).loc[apps, list(MAPPINGS)]
    ratios["best mapping of each"] = (means["4x4x4"].min(axis=1) / means["8x8"].min(axis=1)).loc[apps]
    ratios["8x8 best with"] = means["8x8"].loc[apps].idxmin(axis=1)
    ratios["4x4x4 best with"] = means["4x4x4"].loc[apps].idxmin(axis=1)
    return ratios.reset_index()


_MARKS = (
    "`*` marks the least mean of an application over both meshes and all mappings, `=` those not different "
    "from it at 0.05 (t-test where one side does not vary, else Kruskal-Wallis; Holm's correction for all "
    "others of an application)."
)


def _summary(shapes: pd.DataFrame) -> list[str]:
    sentences = []
    for mapping in (*MAPPINGS, "best mapping of each"):
        faster = shapes.loc[shapes[mapping] < 1, "app"].tolist()
        named = f" ({', '.join(faster)})" if faster else ""
        sentences.append(
            f"{mapping}: the 4x4x4 mesh is faster for {len(faster)} of {len(shapes)} applications{named}; "
            f"on average, its time is {shapes[mapping].mean():.2f} times that on the 8x8 mesh."
        )
    return sentences


def _draw(path: Path, cells: pd.DataFrame) -> None:
    named = cells.assign(placement=cells["mesh"] + " " + cells["mapping"])
    title, value, base = "64 tasks on a mesh", "to consecutive 8x8", "consecutive on 8x8"
    draw_relative(path, named, title, "placement", value, base)


STUDY = Study(
    name="mesh-2d-or-3d",
    title="Run times on an 8x8 and a 4x4x4 mesh with four mappings",
    source="Pascual, Miguel-Alonso and Lozano, DCAI 2010 (verdicts in words); Pascual, thesis, UPV/EHU 2013",
    parts={"meshes": "NPB class A, 64 tasks, on the 8x8 and the 4x4x4 mesh"},
    run=of_runs(rows, report),
    options=("mappings",),
)
