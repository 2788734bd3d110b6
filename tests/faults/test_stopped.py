"""Ctrl-C and SIGTERM end a command with one sentence, and its workers with it."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from netplace.runs.store import Store

SWEEP = 'network = "torus:8x8"\napp = "all-to-all,packets=2,rounds=2"\nmapping = "random"\nseeds = 3000\n'


def stored(path):
    with suppress(ValueError), Store(path, read_only=True) as store:
        return len(store.simulated())
    return 0


@pytest.mark.all
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("number", "how", "send"),
    [
        (signal.SIGINT, "interrupted", os.killpg),  # as a terminal does
        (signal.SIGINT, "interrupted", os.kill),
        (signal.SIGTERM, "stopped by SIGTERM", os.kill),
    ],
)
def test_a_stopped_command_says_what_is_saved_and_its_workers_end(tmp_path, number, how, send):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    command = [sys.executable, "-m", "netplace", "table", "sweep.toml", "--workers", "2"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, cwd=tmp_path, start_new_session=True, **pipes) as process:
        try:
            while stored(tmp_path / "sweep.sqlite") < 2:
                assert process.poll() is None
                time.sleep(0.05)
            send(process.pid, number)
            stdout, stderr = process.communicate(timeout=60)  # until no worker has the pipes any more
        finally:
            process.kill()
    assert (process.returncode, stdout) == (128 + number, "")
    assert "Traceback" not in stderr
    said = f"netplace: {how}; finished results are saved in sweep.sqlite; repeat the command to resume"
    assert stderr.splitlines()[-1] == said
    assert 2 <= stored(tmp_path / "sweep.sqlite") < 3000
    assert {path.name for path in tmp_path.iterdir()} == {"sweep.toml", "sweep.sqlite"}


BUSY = """import os, time
from netplace.runs.executors import run_each

def work(item):
    print(os.getpid(), flush=True)
    time.sleep(300)

if __name__ == "__main__":
    list(run_each(work, [0, 1], 2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers end after the item at hand")
def test_busy_workers_of_a_killed_command_end_with_it(tmp_path):
    (tmp_path / "busy.py").write_text(BUSY)
    process = subprocess.Popen(
        [sys.executable, tmp_path / "busy.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert len([process.stdout.readline() for _ in range(2)]) == 2  # both work
        process.kill()
        process.communicate(timeout=60)  # until nobody has the pipe any more
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
