"""``netplace table``: sweeps, their store, files, and comparison."""

import csv
import json

import pandas as pd
import pytest
from answers import refused

SWEEP = """
network = ["torus:4x4", "mesh:4x4"]
app = "2d-torus,packets=2,rounds=3"
mapping = ["consecutive", "random"]
seeds = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path


def test_a_sweep_becomes_a_table(netplace, folder):
    result = netplace("table", "sweep.toml", "--workers", 1, "--csv", "o.csv", "--parquet", "o.parquet")
    assert result.exit_code == 0, result.stderr
    assert "4 entries" in result.stdout
    assert "10 of 10 runs" in result.stderr  # one for all seeds where chance has no part
    with open("o.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(row["network"], row["mapping"], row["count"], row["missing"]) for row in rows] == [
        (network, mapping, "3", "0")
        for network in ("mesh:4x4", "torus:4x4")
        for mapping in ("consecutive", "random")
    ]
    again = netplace("table", "sweep.toml", "--json")
    assert again.stderr == ""
    found = json.loads(again.stdout)
    assert [str(row["mean"]) for row in found["rows"]] == [row["mean"] for row in rows]
    assert (found["runs"], found["failed"]) == (12, 0)
    assert sorted(path.name for path in folder.iterdir()) == [
        "o.csv", "o.csv.provenance.json", "o.parquet", "o.parquet.provenance.json", "sweep.sqlite",
        "sweep.toml",
    ]  # fmt: skip


def test_a_sweep_tells_what_cables_can_not_carry_before_it_runs(netplace, folder):
    (folder / "sweep.toml").write_text(SWEEP + '[config]\ncable_latency = "200"\nvcs = 3\n')
    told = netplace("table", "sweep.toml", "--workers", 1, "--json").stderr
    assert "torus:4x4: local cables cannot carry more than" in told
    assert "mesh:4x4: local cables cannot carry more than" in told


def test_the_examples_of_the_help_run(netplace):
    """In the order of a first use, those of ``plot`` too."""
    lines = (
        "table sweep.toml --csv out.csv --parquet out.parquet --workers 1",
        "table sweep.sqlite --runs",
        "plot out.parquet -o bars.png",
        "plot sweep.toml --bars network -o bars.svg",
    )
    for line in lines:
        result = netplace(*line.split())
        assert result.exit_code == 0, result.stderr


def test_one_row_a_run(netplace):
    netplace("table", "sweep.toml", "--workers", 1)
    result = netplace("table", "sweep.sqlite", "--runs", "--json")
    rows = json.loads(result.stdout)["rows"]
    assert len(rows) == 12
    assert {row["seed"] for row in rows} == {0, 1, 2}


JOBS = """
network = "torus:4x4"
partition = "bands"
mapping = ["consecutive", "random"]
seeds = 2

[[jobs]]
app = "2d-torus,rounds=3"
tasks = 8

[[jobs]]
app = "butterfly,packets=2"
tasks = 8
start = 20
"""


def test_one_row_a_job_from_what_a_store_keeps(netplace, folder):
    (folder / "jobs.toml").write_text(JOBS)
    assert netplace("table", "jobs.toml", "--workers", 1).exit_code == 0
    found = netplace("table", "jobs.toml", "--jobs", "--csv", "jobs.csv")
    assert (found.exit_code, found.stderr) == (0, "")  # nothing is simulated
    assert "4 jobs, times in cycles" in found.stdout
    assert "beside" not in found.stdout
    with open("jobs.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(row["job"], row["application"], row["mapping"], row["beside"]) for row in rows] == [
        ("0", "2d-torus", "consecutive", "butterfly@20 packets=2 (8 tasks, consecutive)"),
        ("1", "butterfly@20", "consecutive", "2d-torus packets=1,rounds=3 (8 tasks, consecutive)"),
        ("0", "2d-torus", "random", "butterfly@20 packets=2 (8 tasks, random)"),
        ("1", "butterfly@20", "random", "2d-torus packets=1,rounds=3 (8 tasks, random)"),
    ]
    whole = json.loads(netplace("table", "jobs.sqlite", "--runs", "--json").stdout)["rows"]
    jobs = json.loads(netplace("table", "jobs.sqlite", "--runs", "--jobs", "--json").stdout)
    assert (len(whole), len(jobs["rows"]), jobs["runs"]) == (4, 8, 4)
    ends = [row["cycles"] + 20 * row["job"] for row in jobs["rows"]]
    assert [max(pair) for pair in zip(ends[::2], ends[1::2], strict=True)] == [row["cycles"] for row in whole]
    refused(netplace("plot", "jobs.csv", "-o", "b.svg"), "jobs.csv: holds times by job (table --jobs)")


def test_failed_runs_are_counted_once_by_job(netplace, folder):
    (folder / "jobs.toml").write_text("max_cycles = 100\n" + JOBS)
    found = netplace("table", "jobs.toml", "--workers", 1, "--jobs")
    assert found.exit_code == 1
    assert "4 of 4 runs failed, the first because of: " in found.stderr


def test_only_what_is_new_is_simulated(netplace, folder):
    netplace("table", "sweep.toml", "--workers", 1)
    (folder / "sweep.toml").write_text(SWEEP.replace("seeds = 3", "seeds = 4"))
    assert "3 of 3 runs" in netplace("table", "sweep.toml", "--workers", 1).stderr


def test_failures_are_told_and_do_not_stop_the_sweep(netplace, folder):
    (folder / "sweep.toml").write_text(SWEEP + "max_cycles = 450\n")
    result = netplace("table", "sweep.toml", "--workers", 1)
    assert result.exit_code == 1
    assert "6 of 12 runs failed, the first because of: " in result.stderr
    assert "not finished after 450 cycles" in result.stderr
    assert "4 entries" in result.stdout
    again = netplace("table", "sweep.toml", "--workers", 1, "--json")
    assert again.exit_code == 1
    assert " of " not in again.stderr.partition("failed")[0].replace("6 of 12 runs", "")
    assert "failed" in netplace("table", "sweep.toml", "--workers", 1, "--retry").stderr.splitlines()[0]


def test_two_tables_of_a_sweep_are_compared(netplace, folder):
    for name in ("old.csv", "new.csv"):
        netplace("table", "sweep.toml", "--workers", 1, "--csv", name)
    compared = ("compare", "old.csv", "new.csv", "--fail-if", "different")
    same = netplace(*compared)
    assert same.exit_code == 0, same.stderr
    frame = pd.read_csv("old.csv")
    frame.loc[0, "mean"] = 1000.0
    frame.to_csv("old.csv", index=False)
    assert netplace(*compared).exit_code == 1


def test_a_million_runs_must_be_meant(netplace, folder):
    (folder / "sweep.toml").write_text(SWEEP.replace("seeds = 3", "seeds = 250000"))
    refused(netplace("table", "sweep.toml"), "1,000,000 runs", "--yes")
    assert not (folder / "sweep.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.toml"], ["no.toml: cannot be read"]),
        (["sweep.toml", "sweep.toml"], ["2 files given, expected one"]),
        (["out.csv"], ["is a table, expected"]),
        (["sweep.toml", "--parquet", "no/x.parquet"], ["the folder no does not exist"]),
        (["sweep.toml", "--jobs", "-o", "t.html"], ["t.html", "expected a name that ends in .csv"]),
        (["sweep.toml", "--store", "sweep.toml"], ["is not a store of netplace"]),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_sentence(netplace, folder, arguments, words):
    refused(netplace("table", *arguments), *words)


def test_programs_are_checked_before_anything_is_written(netplace, folder):
    (folder / "sweep.toml").write_text('network = "torus:4x4"\napp = "bt"\nclass = ["S", "Q"]\n')
    refused(netplace("table", "sweep.toml"), "sweep.toml:3: class = 'Q'", "valid: S, W, A, B, C, D")
    assert [path.name for path in folder.iterdir()] == ["sweep.toml"]


@pytest.mark.all
def test_a_dask_address_that_does_not_answer(netplace, monkeypatch):
    monkeypatch.setattr("netplace.runs.cluster._PATIENCE", 0.5)
    refused(netplace("table", "sweep.toml", "--dask", "tcp://127.0.0.1:9"), "no Dask scheduler answers")
