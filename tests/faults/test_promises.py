"""Data never names code that runs, and nothing is written that nobody named."""

import os
import subprocess
import sys

import pytest

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
        "table diff t.csv t.csv",
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
