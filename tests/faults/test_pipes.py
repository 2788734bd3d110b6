"""Pipes are refused, and nothing waits for a writer."""

import os
import signal
from contextlib import contextmanager

import pytest
from samples import READERS, write_samples

from netplace.apps.formats import read
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
    with alarm(), pytest.raises(ValueError, match="is a pipe"):
        READERS[name](tmp_path / name)


@pytest.mark.parametrize(
    "function",
    [read, read_jobs, read_traffic, Store, lambda path: parse(f"graph:{path}")],
    ids=["trace", "workload", "traffic", "store", "network"],
)
def test_no_function_waits_for_a_named_pipe(tmp_path, function):
    pipe = tmp_path / "x.csv"
    os.mkfifo(pipe)
    with alarm(), pytest.raises(ValueError, match=r"x\.csv: is a pipe, which .*, expected a file"):
        function(pipe)
