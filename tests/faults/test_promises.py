"""Data never names code that runs, and nothing is written that nobody named."""

import itertools
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from netplace.cli import app

COLUMNS = (
    "application,problem,tasks,network,partition,shape,mapping,settings,count,missing,failed,mean,std,min,max"
)
ROW = {"application": "butterfly", "network": "torus:4x4", "partition": "whole", "mapping": "random"}


@pytest.mark.parametrize("column", list(ROW))
def test_a_table_that_names_code_runs_nothing(netplace, tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('ran', 'w')\n\ndef f(*_, **__):\n    raise SystemExit(9)\n")
    row = ROW | {column: "evil.py:f"}
    cells = [
        row["application"],
        "",
        "16",
        row["network"],
        row["partition"],
        "",
        row["mapping"],
        "",
        "1,0,0,9,0,9,9",
    ]
    (tmp_path / "t.csv").write_text(f"{COLUMNS}\n{','.join(cells)}\n")
    (tmp_path / "jobs.csv").write_text(
        "number,submit,nodes,run_time,application\n1,0,16,9,butterfly\n2,0,16,9,evil.py:f\n"
    )
    for line in (
        "plot t.csv -o x.svg",
        "report t.csv -o x.html",
        "compare t.csv t.csv",
        "schedule --machine torus:4x4 --workload jobs.csv --times table:t.csv",
    ):
        assert netplace(*line.split()).exit_code in (0, 1, 2), line
    assert not (tmp_path / "ran").exists()


@pytest.mark.all
def test_nothing_is_written_that_nobody_named(tmp_path):
    folders = {name: tmp_path / name for name in ("here", "HOME", "TMPDIR", "XDG_CACHE_HOME")}
    for folder in folders.values():
        folder.mkdir()
    lines = (
        "run --network torus:2x2 --app butterfly -o run.json",
        "schedule --machine torus:4x4 --workload lublin --jobs 5 -o sched",
        "report run.json -o page.html",
        "workload make lublin --nodes 8 --jobs 3 -o jobs.swf",
        "check network torus:4x4",
        "run --network torus:2x2 --app nope",
    )
    code = (
        "from click.testing import CliRunner\nfrom netplace.cli import app\n"
        f"for line in {lines!r}:\n    CliRunner().invoke(app, line.split())\n"
    )
    kept = {"PATH": os.environ["PATH"]}
    outside = {name: str(folder) for name, folder in folders.items() if name != "here"}
    subprocess.run([sys.executable, "-c", code], cwd=folders["here"], env=kept | outside, check=True)
    files = {"page.html", "jobs.swf"}
    beside = {f"{name}.provenance.json" for name in files}
    assert {path.name for path in folders["here"].iterdir()} == {"run.json", "sched", *files, *beside}
    assert list(folders["TMPDIR"].iterdir()) == []
    written = [
        path for name in ("HOME", "XDG_CACHE_HOME") for path in folders[name].rglob("*") if path.is_file()
    ]
    assert all({"netplace", "matplotlib"} & set(path.parts) for path in written)


EVIL = "import pathlib\npathlib.Path('ran').write_text('yes')\n\n\ndef f(task):\n    pass\n"
HEAD = "number,submit,nodes,run_time,estimate,program,tasks,repeats\n"
MACHINE = ["schedule", "--machine", "torus:4x4"]


CODE = ("evil.py:f", "evil:f", "./evil.py:f", "evil.g:f", "os:getcwd")
TABLES = (("table:runs.sqlite", "--simulate"), ("table:times.csv",))


@pytest.mark.parametrize(("name", "times"), [*itertools.product([*CODE, "no-such"], TABLES)])
def test_a_workload_runs_nothing(tmp_path, monkeypatch, name, times):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "evil.py").write_text(EVIL)
    (tmp_path / "jobs.csv").write_text(f"{HEAD}1,0,4,10,,{name},,1\n")
    columns = "application,problem,tasks,network,partition,shape,mapping,settings"
    (tmp_path / "times.csv").write_text(f"{columns},count,missing,failed,mean,std,min,max\n")
    result = CliRunner().invoke(app, [*MACHINE, "--workload", "jobs.csv", "--times", *times])
    assert result.exit_code == 2, result.output
    assert name in result.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("times", TABLES)
def test_a_log_without_programs_has_no_run_times_of_a_table(tmp_path, monkeypatch, times):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text("1 0 -1 100 4 -1 -1 4 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    columns = "application,problem,tasks,network,partition,shape,mapping,settings"
    (tmp_path / "times.csv").write_text(f"{columns},count,missing,failed,mean,std,min,max\n")
    result = CliRunner().invoke(app, [*MACHINE, "--workload", "log.swf", "--times", *times])
    assert result.exit_code == 2, result.output
    assert "no job of log.swf runs a program" in result.stderr
    assert not (tmp_path / "runs.sqlite").exists()
