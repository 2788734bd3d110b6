"""``netplace schedule --site``: rules from a file, figures, and what it says of mistakes."""

import json
from pathlib import Path

import pandas as pd
import pytest
from answers import described, refused

SITE = (Path(__file__).parent / "site.toml").read_text()
LOG = """\
; MaxProcs: 8
1 0 -1 20 4 -1 -1 4 25 -1 1 1 1 1 1 1 -1 -1
2 5 -1 10 4 -1 -1 4 20 -1 1 2 1 1 1 1 1 8
3 6 -1 10 4 -1 -1 4 500 -1 1 2 1 1 1 1 -1 -1
4 7 -1 10 4 -1 -1 4 500 -1 1 2 1 1 2 1 -1 -1
"""
START = ["schedule", "--site", "site.toml", "--machine", "mesh:8", "--workload", "log.swf"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.toml").write_text(SITE)
    (tmp_path / "log.swf").write_text(LOG)
    (tmp_path / "outages.csv").write_text("node,begin,end\n0,95,200\n")


def test_all_rules_at_once(netplace, tmp_path):
    found = described(netplace(*START, "--json", "--rows", "rows.csv"))
    assert found["site"] == {"refused": 1, "node_failures": 1, "before_unknown": 0}
    frame = pd.read_csv(tmp_path / "rows.csv")
    assert frame["number"].tolist() == [1, 2, 4]
    # Job 2 is due at 28, and would run into the window; at 95 it loses a node, and waits for job 4 to end.
    assert frame["start"].tolist() == [0, 100, 90]
    assert found["metrics"]["kills"] == 1


def test_without_rules_it_is_easy(netplace, tmp_path):
    (tmp_path / "site.toml").write_text("")
    args = ["schedule", "--machine", "mesh:64", "--workload", "lublin", "--jobs", "100", "--json"]
    easy, rules = (json.loads(netplace(*args, *more).stdout) for more in (["--policy", "easy"], START[1:3]))
    assert rules["metrics"]["per_job"] == easy["metrics"]["per_job"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("orders = 'largest'", "site.toml, line 1, key: unknown name 'orders'; did you mean order"),
        ("order = 'large'", "site.toml: order: unknown name 'large'"),
        ("[[queue]]\nmost = 3", "line 2, key: unknown name 'most'"),
        ("[[window]]\nbegin = 3", "has no end"),
        ("[failures]\nfile = 'none.csv'", "none.csv"),
    ],
)
def test_mistakes_in_the_file(netplace, tmp_path, text, told):
    (tmp_path / "site.toml").write_text(text)
    refused(netplace(*START), told)
