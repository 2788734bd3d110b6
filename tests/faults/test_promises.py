"""Data never names code that runs, and nothing is written that nobody named."""

import itertools
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from netplace.cli import app


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
