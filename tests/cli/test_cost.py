"""Commands that can take long say beforehand about how long, and meanwhile how far they are."""

import re
import time

import pytest

import netplace.cli.many as many
import netplace.report.terminal.progress as progress

TORUS = ("--network", "torus:4x4")
JOB = ("--app", "butterfly", "--tasks", 16)
SMALL = ("--machine", "torus:4x4", "--workload", "applications", "--sizes", "small", "--jobs", 2)
COMMANDS = [
    ("run", *TORUS, *JOB, "--seeds", 2),
    ("load", *TORUS, "--offered", 0.1, "--measure", 200),
    ("map", *TORUS, *JOB, "--budget", 1),
    ("metrics", *TORUS, *JOB, "--simulate"),
    ("check", "network", "torus:2x2", "mesh:2x2", "--simulate"),
    ("advise", "--machine", "torus:4x4", *JOB, "--seconds", 1),
    ("cosim", *SMALL),
    ("cosim", *SMALL, "--fidelity", "sampled"),
    pytest.param(("study", "td-vs-classic", "--quick", "--table", "1a"), marks=pytest.mark.all),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(map(str, words)))
def test_the_cost_is_told_before_the_work(netplace, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(many, "_LONG", 0.0)
    made = netplace(*words)
    assert made.exit_code == 0, made.stderr
    assert re.search(r"netplace: .+: about [\d,]+ s of CPU time", made.stderr)


def test_a_share_of_the_expected_time_is_shown_while_work_says_nothing(capsys, monkeypatch):
    clock = iter([10.0])
    monkeypatch.setattr(progress, "_SOON", 0.3)
    monkeypatch.setattr(progress, "_TICK", 0.01)
    monkeypatch.setattr(progress.time, "process_time", lambda: next(clock, 15.0))
    with many.long_work("a search", 20.0):
        time.sleep(0.6)
    assert capsys.readouterr().err.startswith("25 % of the CPU time of a search after ")
