"""The study of TD against the classic mapping: its runs, its report, and its command."""

import pandas as pd
import pytest
from answers import csv_rows

from netplace.experiments import td_vs_classic as study
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.runs import execute

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["td-vs-classic"]


def test_full_tables_have_ten_mappings_of_each_kind():
    runs = study.rows(make_request(STUDY, ["1b"]))
    assert len(runs) == 7 * (1 + 3 * 10)
    assert len({row.run.key for row in runs}) == len(runs)


def test_random_partitions_are_crossed_with_mappings():
    runs = study.rows(make_request(STUDY, ["3c"], mappings=3, partitions=2))
    assert len(runs) == 7 * 2 * (1 + 3 * 3)
    assert {row.run.partition for row in runs} == {"random:0", "random:1"}
    assert all(len(row.run.jobs) == 4 for row in runs)


def test_programs_and_a_network_of_ones_own():
    request = make_request(
        STUDY, mappings=3, network="mesh:4x2", programs=["lu,class=S,iterations=1", "2d-mesh"]
    )
    runs = study.rows(request)
    assert len(runs) == 2 * (1 + 3 * 3)
    assert {row.run.network for row in runs} == {"mesh:4x2"}
    assert {row.run.jobs[0].program for row in runs} == {"lu", "2d-mesh"}
    frame = pd.DataFrame({**row.labels, "cycles": execute(row.run).cycles} for row in runs)
    made = study.report(request, frame)
    [shown] = made.tables
    assert "published" not in shown.frame.columns
    assert len(shown.frame) == 8
    assert sum("than classic; fastest:" in sentence for sentence in made.summary) == 2
    with pytest.raises(ValueError, match="expected both of them"):
        make_request(STUDY, programs=["2d-mesh"])
    with pytest.raises(ValueError, match="td-vs-classic takes them"):
        make_request(STUDIES["fabrics"], network="mesh:4x2", programs=["2d-mesh"])


def test_simulations_share_their_placement():
    runs = study.rows(make_request(STUDY, ["1a"], mappings=2, sim_seeds=3))
    first = [row.run for row in runs if row.labels == runs[1].labels]
    assert len(first) == 3
    assert len({run.seed for run in first}) == 1
    assert len({run.network_seed for run in first}) == 3
    assert study.rows(make_request(STUDY, ["1a"], mappings=2))[0].run in [row.run for row in runs]


@pytest.fixture(
    scope="module", params=[("BT", "MG", "IS"), pytest.param(study.APPLICATIONS, marks=pytest.mark.nightly)]
)
def report(request, tmp_path_factory, carried_out):
    folder, given = tmp_path_factory.mktemp("study"), ("--table", "1a", "--mappings", "2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "APPLICATIONS", request.param)
        first = carried_out(STUDY.name, folder / "first", *given, "--workers", "1")
        stored = ("--stored", "--store", str(first / "runs.sqlite"))
        carried_out(STUDY.name, folder / "second", *given, *stored)
        yield folder


def test_report_from_the_store_is_the_same(report):
    for name in ("report.md", "table-1a.csv"):
        assert (report / "first" / name).read_text() == (report / "second" / name).read_text()
    assert (report / "first" / "table-1a.png").is_file()


def test_consecutive_means_are_the_published_ones(report):
    cells = {(row["app"], row["mapping"]): row for row in csv_rows(report / "first" / "table-1a.csv")}
    assert len(cells) == 4 * len(study.APPLICATIONS)
    for (_, mapping), cell in cells.items():
        if mapping == "consecutive":
            assert float(cell["ours / published"]) == pytest.approx(1, abs=0.011)
    assert float(cells["BT", "random"]["to consecutive"]) > 1.2
    for app in {"CG", "MG"} & set(study.APPLICATIONS):
        assert float(cells[app, "td"]["ours / published"]) == pytest.approx(1, abs=0.02)


def test_report_says_how_far_it_agrees(report):
    text = (report / "first" / "report.md").read_text()
    assert "netplace study td-vs-classic --table 1a --mappings 2" in text
    assert "Same winner in" in text
    number = len(study.APPLICATIONS)
    assert f"consecutive: {number} of {number} means within 1% of the published" in text
