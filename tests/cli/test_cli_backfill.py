"""``netplace backfill``: figures, rows, and what it says of mistakes."""

import json

import pandas as pd
import pytest
from answers import refused

LOG = """\
; MaxProcs: 8
1 0 -1 100 4 -1 -1 3 200 -1 1 1 1 1 1 1 -1 -1
2 5 -1 50 8 -1 -1 6 50 -1 1 1 1 1 1 1 -1 -1
3 6 -1 50 40 -1 -1 40 50 -1 1 1 1 1 1 1 -1 -1
4 7 -1 30 2 -1 -1 2 -1 -1 0 1 1 1 1 1 -1 -1
5 8 -1 30 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1
6 700000 -1 0 2 -1 -1 2 30 -1 1 1 1 1 1 1 -1 -1
7 700001 -1 5 2 -1 -1 2 30 -1 1 1 1 1 1 1 -1 -1
"""
START = ["backfill", "--platform", "1-2-4-8", "--workload", "log.swf"]


@pytest.fixture(autouse=True)
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)


def test_requested_sizes_of_completed_jobs(netplace, tmp_path):
    result = netplace(*START, "--rule", "basic", "--json", "--rows", "rows.csv")
    assert result.exit_code == 0, result.stderr
    (figures,) = json.loads(result.stdout)["rules"]
    assert (figures["jobs"], figures["rejected"], figures["without_wall_time"]) == (4, 1, 1)
    frame = pd.read_csv(tmp_path / "rows.csv")
    assert frame["nodes"].tolist() == [3, 6, 2, 2]
    assert frame["start"].tolist() == [0, 100, 8, 700001]
    assert "larger than the platform, left out: 1" in result.stderr
    assert "without a wall time, filled in: 1 by the rule run-time" in result.stderr
    got = netplace(*START, "--rule", "basic", "--allocated", "--drop", "", "--rows", "rows.csv")
    assert got.exit_code == 0, got.stderr
    assert pd.read_csv(tmp_path / "rows.csv")["nodes"].tolist() == [4, 8, 2, 2, 2, 2]


def test_weeks_and_draws(netplace):
    week = netplace(*START, "--weeks", "1", "--json")
    assert week.exit_code == 0, week.stderr
    assert [rule["jobs"] for rule in json.loads(week.stdout)["rules"]] == [3, 3]
    drawn = netplace(*START, "--draw", "20", "--instances", "3", "--rule", "cont", "--json")
    assert json.loads(drawn.stdout)["rules"][0]["jobs"] == 60


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--platform", "1-3-8"], "platform '1-3-8': 8 cannot be spread evenly below 3"),
        (["--rule", "plot"], "--rule: unknown name 'plot'; did you mean plat"),
        (["--penalty", "geometric:0.5"], "expected a number of at least 1"),
        (["--weeks", "2"], "log: has 0 places for 2 successive weeks"),
        (["--weeks", "1", "--draw", "5"], "--draw: given with --weeks"),
        (["--instances", "5"], "neither --weeks nor --draw"),
        (["--rows", "rows.csv"], "holds one schedule, but 2"),
        (["--rows", "rows.txt", "--rule", "basic"], "rows.txt"),
        (["--drop", "none"], "unknown name 'none'"),
        (["--jobs", "0"], "--jobs"),
        (["--estimates", "infinite"], "wall time inf"),
        (["--platform", "1-1", "--jobs", "2"], "none of 2 fits on platform 1-1"),
    ],
)
def test_mistakes(netplace, args, told):
    refused(netplace(*START, *args), told)
