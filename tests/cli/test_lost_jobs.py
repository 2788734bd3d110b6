"""Jobs that a fault ends: exit code 3, no run time anywhere, and files that can be read again."""

import json

import pytest
from answers import csv_rows

LOST = ("run", "--network", "mesh:4x4", "--app", "all-to-all", "--tasks", "16")
FAULTS = {"stopped": "at=20,router=5", "deadlocked": "at=20,link=0-1", "finished": "at=600,router=5"}
BESIDE = ("run", "--network", "mesh:4x4", "--jobs", "2x:all-to-all,tasks=8", "--faults", "at=20,router=1")


@pytest.mark.parametrize(("outcome", "faults"), FAULTS.items())
def test_a_run_in_which_a_fault_ends_a_job_has_no_time_and_exit_code_3(netplace, outcome, faults):
    done = netplace(*LOST, "--faults", faults, "--json")
    found = json.loads(done.stdout)
    assert found["jobs"][0]["outcome"] == outcome
    ended = outcome == "finished"
    assert done.exit_code == (0 if ended else 3)
    assert [found["cycles"], found["jobs"][0]["cycles"]] == ([343, 343] if ended else [None, None])
    assert ("job 0 all-to-all: " in done.stderr) is not ended


@pytest.mark.parametrize("faults", FAULTS.values())
def test_everything_that_a_run_writes_can_be_read(netplace, tmp_path, faults):
    lost = (*LOST, "--faults", faults, "--window", "50", "--critical-path")
    messages, timeline = tmp_path / "messages.csv", tmp_path / "timeline.json"
    code = netplace(*lost, "--record-messages", messages, "--timeline", timeline, "-o", tmp_path / "f")
    assert code.exit_code in (0, 3)
    netplace(*lost, "-o", tmp_path / "f.json")
    netplace(*lost, "-o", tmp_path / "f.html", "--store", tmp_path / "f.sqlite")
    for name in ("f", "f.json", "f.sqlite"):
        shown = netplace("report", tmp_path / name, "-o", tmp_path / "page.html")
        assert shown.exit_code == 0, shown.stderr
        same = netplace("compare", tmp_path / name, tmp_path / name)
        assert same.exit_code == 0, same.stderr
    for path in (messages, tmp_path / "f" / "messages.csv"):
        rows = csv_rows(path)
        assert rows
        assert all(0 <= int(row["start"]) <= int(row["end"]) for row in rows)
    assert all(event.get("dur", 0) >= 0 for event in json.loads(timeline.read_text())["traceEvents"])


def test_means_over_seeds_leave_lost_jobs_out_and_count_them(netplace, tmp_path):
    done = netplace(*BESIDE, "--seeds", "3", "--json", "-o", tmp_path / "f")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    lost, finished = found["jobs"]
    assert (lost["cycles"], lost["outcome"], lost["failed"]) == (None, "stopped", 3)
    assert (finished["outcome"], finished["failed"], found["slowest_job"]) == ("finished", 0, 1)
    assert finished["cycles"] > 100
    assert (found["failed"], "cycles" in found["spread"]) == (3, False)
    compared = netplace("compare", tmp_path / "f", tmp_path / "f", "--json")
    names = {row["name"] for row in json.loads(compared.stdout)["differences"]}
    assert {"jobs that did not finish", "job 1 all-to-all: run time (cycles)"} <= names
    assert "run time (cycles)" not in names


def test_run_time_tables_count_lost_runs_and_keep_the_reason(netplace, tmp_path):
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(
        'network = "mesh:4x4"\napp = "all-to-all"\ntasks = 16\n[config]\nfaults = ["", "at=20,router=5"]\n'
    )
    done = netplace("table", sweep, "--workers", "1", "-o", tmp_path / "t")
    assert done.exit_code == 1
    rows = csv_rows(tmp_path / "t" / "table.csv")
    found = [(row["count"], row["failed"], row["mean"]) for row in rows]
    assert found == [("1", "0", "338.0"), ("0", "1", "")]
    runs = csv_rows(tmp_path / "t" / "runs.csv")
    assert "stopped in cycle 20" in runs[1]["failure"]
    for table in ("table.csv", "runs.csv"):
        same = netplace("compare", tmp_path / "t" / table, tmp_path / "t" / table)
        assert same.exit_code == 0, same.stderr
