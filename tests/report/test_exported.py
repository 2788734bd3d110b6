"""Outcomes in the forms of other tools."""

import pandas as pd
import pytest

from netplace.report.exported import export
from netplace.runs.store import Store
from netplace.scheduling.workload import read


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from click.testing import CliRunner

    from netplace.cli import app

    place = tmp_path_factory.mktemp("kept")
    words = ["schedule", "--machine", "torus:4x4", "--workload", "lublin", "--jobs", "60", "--policy", "easy"]
    result = CliRunner().invoke(app, [*words, "--store", str(place / "s.sqlite"), "-o", str(place / "s")])
    assert result.exit_code == 0, result.output
    return place


def test_a_schedule_is_a_log_that_can_be_read_again(folder, tmp_path, netplace):
    assert netplace("export", folder / "s", "-o", tmp_path / "s.swf").exit_code == 0
    rows, log = pd.read_csv(folder / "s" / "rows.csv"), read(tmp_path / "s.swf", drop=())
    assert [job.number for job in log] == rows["number"].tolist()
    assert [job.nodes for job in log] == rows["held"].tolist()
    assert [job.run_time for job in log] == pytest.approx((rows["end"] - rows["start"]).tolist(), abs=0.5)


def test_a_schedule_is_a_table_of_jobs_as_batsim_has_it(folder, tmp_path, netplace):
    assert netplace("export", folder / "s", "-o", tmp_path / "jobs.csv").exit_code == 0
    jobs = pd.read_csv(tmp_path / "jobs.csv")
    assert (jobs["starting_time"] + jobs["execution_time"]).tolist() == pytest.approx(
        jobs["finish_time"].tolist()
    )
    assert (jobs["waiting_time"] >= 0).all()
    assert jobs["allocated_resources"].str.match(r"^\d").all()


def test_a_store_is_tables(folder, tmp_path, netplace):
    result = netplace("export", folder / "s.sqlite", "-o", tmp_path / "s.parquet")
    assert result.exit_code == 0, result.output
    frame = pd.read_parquet(tmp_path / "s.parquet")
    assert frame["plan.policy"].tolist() == ["easy"]
    assert "outcome.metrics.utilisation" in frame


def test_what_cannot_be_written_is_a_sentence(folder, tmp_path, netplace):
    for outcome, target, words in (
        ("none", "a.csv", "does not exist"),
        (folder / "s", "a.txt", "unknown kind of file"),
        (folder / "s.sqlite", "a.swf", "expected a folder of netplace schedule -o"),
    ):
        result = netplace("export", outcome, "-o", tmp_path / target)
        assert result.exit_code == 2
        assert words in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())


def test_columns_of_several_kinds_are_text(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        for key, margin in enumerate((0.5, "wide", [1], None)):
            store.keep_outcome("schedules", str(key), {"margin": margin, "jobs": key}, {"metrics": {}})
        store.keep_outcome("loads", "0", {"size": 10**40}, {"accepted": 1})
    export(tmp_path / "s.sqlite", tmp_path / "x.parquet")
    kept = pd.read_parquet(tmp_path / "x.parquet")
    assert kept["plan.margin"].fillna("").tolist() == ["0.5", "wide", "[1]", ""]
    assert kept["plan.jobs"].tolist() == [0, 1, 2, 3]
    assert pd.read_parquet(tmp_path / "x-loads.parquet")["plan.size"].tolist() == [str(10**40)]
