"""Sentences name the file, the line or the flag at fault."""

import pytest
from answers import refused
from click.testing import CliRunner

from netplace.apps.formats import read
from netplace.cli import app


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_a_trace_that_is_not_there():
    refused(run("app", "nope.trc"), "nope.trc: no file and no bundled trace has this name")


def test_node_lists_of_the_wrong_number(tmp_path):
    (tmp_path / "parts.txt").write_text("0-3\n4-7\n8-11\n")
    flags = ("--jobs", "2x:butterfly", "--tasks", "4", "--partition", f"nodes:{tmp_path}/parts.txt")
    refused(run("run", "--network", "torus:4x4", *flags), "parts.txt: 3 lists given for 2 jobs")


def test_a_limit_of_cycles_names_the_flag():
    refused(run("run", "--network", "torus:4x4", "--app", "butterfly", "--max-cycles", "5"), "--max-cycles")


LONG = "a" * 5000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.trace", f"{LONG} send 1 64 0 0 -1 0.0\n"),
        ("a.trace", f"0 {LONG} 1 64 0 0 -1 0.0\n"),
        ("a.trc", f"s {LONG} 1 0 64\n"),
        ("a.trc", f"s 0 1 0 {'9' * 5000}\n"),
        ("a.dim", f'#DIMEMAS:"x":1:2(1,1),0\n{LONG}\n'),
        ("a.dim", f'#DIMEMAS:"x":1:2(1,1),0\n1:0:0:{LONG}\n'),
    ],
)
def test_a_value_is_not_echoed_whole(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"a\.\w+, line [12]") as caught:
        read(tmp_path / name)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.trace", "# tasks 2\n0 compute -1 5 0 0 -1 999999999999999999\n"),
        ("a.dim", '#DIMEMAS:"x":1:2(1,1),0\n1:0:0:1e305\n'),
        ("a.dim", '#DIMEMAS:"x":1:2(1,1),0\n1:0:0:9000000000000\n'),
    ],
)
def test_computation_that_does_not_fit_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"rank 0 computes for too long, .*2\*\*\d\d cycles"):
        read(tmp_path / name, cycles_per_us=1e6)
    assert read(tmp_path / name, cycles_per_us=0).tasks == 2


def test_tests_of_a_study_of_several_loads_name_the_load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4"\nworkload = "lublin"\njobs = 300\n'
        'load = [0.6, 0.8]\npolicy = ["fcfs", "easy"]\n'
    )
    result = run("schedule", "s.toml")
    assert result.exit_code == 0, result.output
    for words in ("load 0.6: easy / fcfs", "load 0.8: easy / fcfs"):
        assert words in result.stdout
    assert "partition" not in result.stdout.partition("What differs?")[2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('traffic = ["uniform", -1.5]', "curves.toml:2: traffic: -1.5 is not text"),
        ('traffic = ["uniform", "x"]', "curves.toml:2: traffic: unknown name 'x'"),
        ('traffic = "hot-spot"\nhot_share = -3', "curves.toml:3: hot_share: -3.0 is not in 0..1"),
        ('offered = "abc"', "curves.toml:2: offered: 'abc' is not of the form"),
    ],
)
def test_a_curve_of_a_file_is_told_by_line_and_key(tmp_path, monkeypatch, line, words):
    monkeypatch.chdir(tmp_path)
    offered = "" if line.startswith("offered") else 'offered = "0.1"\n'
    (tmp_path / "curves.toml").write_text(f'network = "torus:4x4"\n{line}\n{offered}')
    result = CliRunner().invoke(app, ["load", "curves.toml"])
    assert result.exit_code == 2
    assert words in result.stderr


def test_an_empty_store_of_run_times_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.sqlite").write_bytes(b"")
    (tmp_path / "jobs.csv").write_text(
        'number,submit,nodes,run_time,estimate,program,tasks,repeats\n1,0,4,0,,"butterfly,bytes=256",,1\n'
    )
    flags = ["--machine", "mesh:2x2", "--workload", "jobs.csv", "--times", "table:e.sqlite", "--simulate"]
    result = CliRunner().invoke(app, ["schedule", *flags])
    assert result.exit_code == 0
    assert "e.sqlite: was empty" in result.stderr


@pytest.mark.parametrize("content", ["", " \n"], ids=["nothing", "a blank line"])
def test_an_empty_file_of_results_is_called_empty(netplace, tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    answer = netplace("report", str(tmp_path / "a.json"), "-o", str(tmp_path / "x.html"))
    assert answer.exit_code == 2
    assert answer.stderr.endswith("a.json: is empty, expected JSON\n")


@pytest.mark.parametrize(
    ("line", "files", "sentence"),
    [
        ("check network graph:", {}, "graph:: does not name a file, expected a path after the colon"),
        ("check network graph:.", {}, "graph:.: is a folder, expected a file"),
        (
            "workload info w.csv",
            {"w.csv": "\n"},
            "w.csv: is empty, expected columns number, submit, nodes, run_time",
        ),
        (
            "workload info w.csv",
            {"w.csv": "number,submit,nodes,run_time,application\n1,0,16,9,butterfly\n"},
            "w.csv, line 1, column: unknown name 'application'; valid: number, submit, nodes",
        ),
        (
            "map --network torus:4x4 --from w.csv",
            {"w.csv": ""},
            "w.csv: is empty, expected a matrix, or a list",
        ),
        (
            "run --network torus:2x2 --app butterfly --record-messages /dev/full",
            {},
            "/dev/full: No space left on device",
        ),
    ],
)
def test_what_is_wrong_is_said_of_the_file(netplace, tmp_path, monkeypatch, line, files, sentence):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    refused(netplace(*line.split()), f"netplace: {sentence}")
