"""One long thing tells how far it is; what ends soon says nothing."""

import time

import pytest

from netplace.apps import application
from netplace.apps.collectives import schedule
from netplace.cli import sweep_progress
from netplace.netsim import measure_load, simulate
from netplace.report.terminal import pulse as module
from netplace.report.terminal.pulse import pulse
from netplace.topologies import parse


def test_what_ends_soon_says_nothing(capsys):
    with pulse("cycles") as progress:
        progress(1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_what_takes_long_tells_how_far_it_is(capsys, monkeypatch, terminal):
    monkeypatch.setattr(module, "_SOON", 0.0)
    monkeypatch.setattr(module, "_PAUSE", {True: 0.0, False: 0.0})
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: terminal)
    with pulse("cycles") as progress:
        progress(1_000_000)
        progress(2_000_000)
    said = capsys.readouterr().err
    line = "\r2,000,000 cycles after 0 s\r                          \r"
    assert said.endswith(line if terminal else "2,000,000 cycles after 0 s\n")


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


def test_jobs_are_counted_also_while_one_takes_long(capsys, monkeypatch):
    monkeypatch.setattr(sweep_progress, "_SOON", 0.01)
    monkeypatch.setattr(sweep_progress, "_PAUSE", 60.0)
    with sweep_progress.job_progress(9, "fcfs") as tell:
        tell(2, 0.0)
        time.sleep(0.2)
    assert capsys.readouterr().err == "fcfs: jobs: 2 of 9 after 0 s\n"
    with sweep_progress.job_progress(9):
        pass
    assert capsys.readouterr().err == ""


def test_what_does_not_tell_how_far_it_is_tells_that_it_is_under_way(capsys, monkeypatch):
    monkeypatch.setattr(module, "_SOON", 0.01)
    with module.under_way("map"):
        time.sleep(0.2)
    assert capsys.readouterr().err == "map: running for 0 s\n"
