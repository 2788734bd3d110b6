"""A named pipe is refused, one that a shell opens is read as a file is, and nothing waits for ever."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from samples import READERS, write_samples

import netplace.checks.pipes
from netplace.apps.formats import read
from netplace.checks.pipes import keep_pipe
from netplace.report.files.traffic import read_traffic
from netplace.runs.store import Store
from netplace.scheduling.workload import read as read_jobs
from netplace.topologies import parse

PATIENCE = 20  # seconds


@contextmanager
def alarm():
    def stop(*_):
        raise AssertionError("waits for a writer")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_a_named_pipe(tmp_path, name):
    write_samples(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with alarm(), pytest.raises(ValueError, match="named pipe"):
        READERS[name](tmp_path / name)


@pytest.mark.parametrize(
    "function",
    [read, read_jobs, read_traffic, Store, lambda path: parse(f"graph:{path}")],
    ids=["trace", "workload", "traffic", "store", "network"],
)
def test_no_function_waits_for_a_named_pipe(tmp_path, function):
    pipe = tmp_path / "x.csv"
    os.mkfifo(pipe)
    with alarm(), pytest.raises(ValueError, match=r"x\.csv: is a named pipe, expected a file"):
        function(pipe)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_what_a_shell_opens_is_read_more_than_once(tmp_path):
    (tmp_path / "m.trc").write_text("s 0 1 0 64\nr 0 1 0 64\n")
    line = f"'{sys.executable}' -m netplace trace info <(cat m.trc) --json"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"ranks": 2' in done.stdout


def test_a_pipe_that_says_nothing_is_not_waited_for(monkeypatch):
    reading, writing = os.pipe()
    monkeypatch.setattr(netplace.checks.pipes, "_PATIENCE", 0.05)
    with pytest.raises(ValueError, match=rf"/dev/fd/{reading}: this pipe delivered nothing for 0 s, expec"):
        keep_pipe(f"/dev/fd/{reading}")
    monkeypatch.setattr("netplace.checks.content.MOST_UNPACKED", 10)
    os.write(writing, b"x" * 11)
    with pytest.raises(ValueError, match=r"this pipe delivers more than 10 bytes, expected a file"):
        keep_pipe(f"/dev/fd/{reading}")
    os.close(reading)
    os.close(writing)
