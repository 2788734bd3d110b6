"""Jobs of a log that never ran do not queue, unless asked for, and are told."""

import json

import pytest
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
