"""``netplace two-kinds``: makespans, rows, and what it says of mistakes."""

import pytest
from answers import described, refused

WORKERS = ["--cpus", "2", "--gpus", "2"]


@pytest.fixture(autouse=True)
def tasks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.csv").write_text("task,cpu,gpu\na,8,2\nb,31,7\nc,31,5\nd,21,5\ne,5,5\n")


def test_steps_beside_the_optimum(netplace):
    found = described(netplace("two-kinds", "--tasks", "tasks.csv", *WORKERS, "--optimum", "--json"))
    for step in found["steps"]:
        assert step["lower_bound"] <= found["optimum"] + 1e-6
        assert found["optimum"] <= step["makespan"] + 1e-9
        assert step["makespan"] <= step["guarantee"] * found["optimum"] * 1.000002


def test_rows(netplace, tmp_path):
    result = netplace("two-kinds", "--tasks", "tasks.csv", *WORKERS, "--step", "greedy", "--rows", "rows.csv")
    assert result.exit_code == 0, result.stderr
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[0] == "task,worker"
    assert [line[0] for line in lines[1:]] == list("abcde")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--cpus", "1", "--gpus", "1"], "--tasks or --queries: expected one of them"),
        ([*WORKERS, "--tasks", "tasks.csv", "--queries", "5"], "one of them"),
        ([*WORKERS, "--queries", "0"], "--queries"),
        (["--tasks", "tasks.csv", "--cpus", "0", "--gpus", "1"], "--cpus"),
        ([*WORKERS, "--tasks", "tasks.csv", "--step", "gredy"], "--step: unknown name 'gredy'"),
        ([*WORKERS, "--tasks", "tasks.csv", "--tolerance", "2"], "tolerance: 2"),
        ([*WORKERS, "--tasks", "tasks.csv", "--rows", "rows.csv"], "holds one schedule"),
        ([*WORKERS, "--tasks", "none.csv"], "none.csv"),
    ],
)
def test_mistakes(netplace, args, told):
    refused(netplace("two-kinds", *args), told)
