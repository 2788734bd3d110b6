"""Worker processes: forked from a single thread alone, and no module of the working folder is theirs."""

import os
import subprocess
import sys
import threading

import pytest

from netplace.runs.processes import start_method, starting


def test_beside_any_other_thread_processes_are_spawned():
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        assert start_method().get_start_method() == "spawn"
    finally:
        over.set()
        other.join()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all processes are spawned")
def test_threads_of_libraries_count():
    code = (
        "import numpy\n"
        "from netplace.runs.processes import start_method\n"
        "print(start_method().get_start_method())"
    )
    for count, method in (("1", "fork"), ("2", "spawn")):
        env = os.environ | {"OPENBLAS_NUM_THREADS": count}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == method


@pytest.mark.parametrize("before", [None, "1"])
def test_the_environment_is_as_before(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with starting():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before
