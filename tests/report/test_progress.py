"""One long thing tells how far it is; what ends soon says nothing."""

import time

import pytest

from netplace.apps import application
from netplace.apps.collectives import schedule
from netplace.netsim import measure_load, simulate
from netplace.report.terminal import progress as module
from netplace.report.terminal.progress import progress
from netplace.topologies import parse


def test_what_ends_soon_says_nothing(capsys):
    with progress("cycles") as tell:
        tell(1)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_a_bar_that_goes_away(capsys, monkeypatch):
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("cycles") as tell:
        tell(1_000_000)
        tell(2_000_000)
    assert "2,000,000 cycles" in capsys.readouterr().err


def test_what_fails_is_counted_and_the_end_is_told(capsys):
    with progress("runs", 3, ends=True) as tell:
        tell(3, 1)
    assert capsys.readouterr().err == "3 of 3 runs, 1 failed after 0 s\n"


def test_runs_loads_and_collectives_tell_how_far_they_are():
    torus, told = parse("torus:4x4"), []
    plain = simulate(torus, application("all-to-all", tasks=16, rounds=40))
    found = simulate(torus, application("all-to-all", tasks=16, rounds=40), progress=told.append)
    assert found.cycles == plain.cycles
    assert told == sorted(told)
    assert told[0] > 0
    told.clear()
    measure_load(torus, 0.2, warmup=100, measure=5000, progress=told.append)
    assert told
    assert told[-1] < 5100
    told.clear()
    messages = schedule("allreduce", 16, 1024, algorithm="ring", progress=told.append)
    assert told == [16 * (number + 1) for number in range(messages.rounds)]


def test_collectives_of_very_many_ranks_are_refused_at_once():
    with pytest.raises(ValueError, match="ranks: 4194304 is too large, expected at most 262144"):
        schedule("allreduce", 1 << 22, 1024)


@pytest.mark.parametrize(
    ("total", "done", "line"),
    [
        (9, 2, "2 of 9 jobs after 0 s, 0:00:00 left\n"),
        (None, 2_000_000, "2,000,000 jobs after 0 s\n"),
        (None, 0, "jobs: running after 0 s\n"),
    ],
)
def test_a_line_is_written_also_while_nothing_is_told(capsys, monkeypatch, total, done, line):
    monkeypatch.setattr(module, "_SOON", 0.01)
    with progress("jobs", total) as tell:
        tell(done)
        time.sleep(0.2)
    assert capsys.readouterr().err == line
