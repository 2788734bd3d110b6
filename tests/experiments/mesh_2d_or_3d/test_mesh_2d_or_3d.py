"""The study of the 8x8 and the 4x4x4 mesh."""

import pytest
from answers import csv_rows

from netplace.experiments.mesh_2d_or_3d import rows
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["mesh-2d-or-3d"]


def test_every_application_runs_on_both_meshes_under_four_mappings():
    runs = rows(make_request(STUDY, mappings=3))
    assert len(runs) == 7 * 2 * (1 + 3 * 3)
    assert {row.run.network for row in runs} == {"mesh:8x8", "mesh:4x4x4"}
    assert len({row.run.key for row in runs}) == len(runs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, quick):
    return quick(STUDY.name, tmp_path_factory.mktemp("meshes") / "out", "--mappings", "1")


def test_task_grids_of_two_dimensions_like_the_flat_mesh(folder):
    times = {(row["mesh"], row["mapping"]): float(row["mean"]) for row in csv_rows(folder / "times.csv")}
    assert len(times) == 8
    assert min(times, key=times.get) == ("8x8", "consecutive")  # LU's tasks are an 8x8 grid
    assert times["4x4x4", "random"] < times["8x8", "random"]  # shorter ways, more links


def test_ratios_are_those_of_the_means(folder):
    times = {(row["mesh"], row["mapping"]): float(row["mean"]) for row in csv_rows(folder / "times.csv")}
    (row,) = csv_rows(folder / "meshes.csv")
    for mapping in ("consecutive", "random", "classic", "td"):
        assert float(row[mapping]) == pytest.approx(times["4x4x4", mapping] / times["8x8", mapping])
    assert row["8x8 best with"] == "consecutive"
    assert "4x4x4 mesh is faster for" in (folder / "report.md").read_text()
