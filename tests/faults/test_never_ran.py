"""Jobs that never ran, and what takes no time: results are shown and written all the same."""

import json

import pytest
from answers import refused
from click.testing import CliRunner

from netplace.cli import app

TAIL = "-1 -1 -1 -1 -1 -1 -1"
# A job of all nodes that was cancelled in the queue, in front of one that runs for a second.
LOG = f"; MaxNodes: 16\n1 0 -1 -1 -1 -1 -1 16 9000 -1 5 {TAIL}\n2 0 -1 10 16 -1 -1 16 90 -1 1 {TAIL}\n"


@pytest.fixture
def schedule(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)

    def run(*flags):
        flags = ("--machine", "torus:4x4", "--workload", "log.swf", "--policy", "easy", "--json", *flags)
        return CliRunner().invoke(app, ["schedule", *flags])

    return run


def test_they_are_dropped_and_told(schedule):
    result = schedule()
    found = json.loads(result.stdout)
    assert found["metrics"]["jobs"] == 1
    assert found["notes"] == ["jobs dropped: 1 of 2, never ran"]
    assert "jobs dropped: 1 of 2, never ran" in result.stderr


@pytest.mark.parametrize("drop", ["none", "failed", "cancelled"])
def test_they_are_kept_if_asked_for(schedule, drop):
    found = json.loads(schedule("--drop", drop).stdout)
    assert found["metrics"]["jobs"] == (1 if drop == "cancelled" else 2)
    assert schedule("--drop", "none,failed").exit_code == 2


def test_a_study_may_keep_them(schedule, tmp_path):
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4"\nworkload = "log.swf"\ndrop = ["none", "never-ran"]\n'
    )
    result = CliRunner().invoke(app, ["schedule", "s.toml", "--json"])
    assert [one["metrics"]["jobs"] for one in json.loads(result.stdout)["schedules"]] == [2, 1]


MESSAGES = "seed,job,source,destination,bytes,tag,start,end"
JOBS = "number,submit,nodes,run_time\n1,0,64,0\n2,0,64,0\n"


@pytest.mark.parametrize("output", ["out", "x.html", "x.json"])
def test_a_schedule_of_jobs_that_take_no_time(netplace, tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text(JOBS)
    answer = netplace("schedule", "--machine", "torus:4x4x4", "--workload", "jobs.csv", "-o", output)
    assert answer.exit_code == 0, answer.stderr
    if output == "out":
        assert not (tmp_path / "out/gantt.png").exists()
        assert (tmp_path / "out/figures.json").exists()


def test_a_chart_of_a_time_in_which_nothing_ran_leaves_no_folder(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text("number,submit,nodes,run_time\n1,0,64,5\n")
    flags = ["--from", "9999", "-o", "out"]
    answer = netplace("schedule", "--machine", "torus:4x4x4", "--workload", "jobs.csv", *flags)
    assert answer.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_run_that_takes_no_time(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.trace").write_text("0 compute -1 0 0 0 -1 0\n")
    line = "run --network torus:4x4 --trace e.trace --timeline x.png --critical-path --json"
    answer = netplace(*line.split())
    assert answer.exit_code == 0, answer.stderr
    assert json.loads(answer.stdout)["cycles"] == 0


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("links.csv", "", "r/links.csv: is no table, No columns to parse from file"),
        ("links.csv", "a,b\n1,2\n", "r/links.csv: columns 'a,b' found, expected link,router,port,"),
        ("messages.csv", "x", "r/messages.csv: columns 'x' found, expected seed,job,source,dest"),
        ("messages.csv", f"{MESSAGES}\n0,0,z,1,1,1,1,1\n", "r/messages.csv, row 1, source: 'z'"),
    ],
)
def test_tables_of_a_run_are_checked_before_they_are_exported(
    netplace, tmp_path, monkeypatch, name, content, sentence
):
    monkeypatch.chdir(tmp_path)
    run = "run --network torus:2x2 --app butterfly --window 20 -o r"
    assert netplace(*run.split()).exit_code == 0
    assert netplace("export", "r", "-o", "x.parquet").exit_code == 0
    (tmp_path / "r" / name).write_text(content)
    refused(netplace("export", "r", "-o", "x.parquet"), sentence)
