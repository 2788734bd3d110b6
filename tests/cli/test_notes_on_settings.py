"""Ignored settings are noted in outcomes and on stderr; flags that contradict are refused."""

import json
from pathlib import Path

import pytest

NOTE = "bubble: 1 is ignored on tree:4,2, which is a tree with its own routing"
JOBS = "number,submit,nodes,run_time,estimate,program,tasks,repeats\n1,0,4,0,,2d-torus,,1\n"
PLACED = "--machine tree:4,2 --workload apps.csv --bubble 1"
COMMANDS = [
    "run --network tree:4,2 --app 2d-torus --bubble 1",
    "load --network tree:4,2 --offered 0.1 --warmup 9 --measure 99 --bubble 1",
    f"cosim {PLACED}",
    f"schedule {PLACED} --times table:s.sqlite --simulate",
]


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_an_ignored_setting_is_noted_in_the_outcome_and_on_stderr(netplace, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("apps.csv").write_text(JOBS)
    found = netplace(*line.split(), "--json")
    assert found.exit_code == 0, found.stderr
    outcome = json.loads(found.stdout)
    assert NOTE in outcome.get("points", [outcome])[0]["notes"]
    assert found.stderr.count(NOTE) == 1


def test_a_sweep_notes_an_ignored_setting(netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'network = "tree:4,2"\napp = "2d-torus"\nseeds = 2\n[config]\nbubble = [1, 3]\n'
    )
    found = netplace("table", tmp_path / "s.toml", "--runs", "--json")
    assert found.exit_code == 0, found.stderr
    assert found.stderr.count(NOTE) == 1


@pytest.mark.parametrize(
    ("app", "flag", "value"),
    [
        ("cg,class=S", "--class", "W"),
        ("2d-torus,bytes=2", "--packets", "3"),
        ("2d-torus,tasks=16", "--tasks", "4"),
        ("cg,class=S,iterations=2", "--iterations", "3"),
    ],
)
def test_flags_that_contradict_an_application_are_refused(netplace, app, flag, value):
    for asked in (("--app", app), ("--jobs", f"1x:{app}")):
        found = netplace("run", "--network", "torus:4x4", *asked, flag, value)
        assert found.exit_code == 2
        said = app.split(",")[1] if "iterations" not in app else "iterations=2"
        assert found.stderr == (
            f"netplace: {flag}: {value} given, and the application says {said}; expected one of the two\n"
        )


def test_a_flag_that_repeats_an_option_is_taken(netplace):
    found = netplace("run", "--network", "torus:4x4", "--app", "2d-torus,tasks=16", "--tasks", 16)
    assert found.exit_code == 0, found.stderr
