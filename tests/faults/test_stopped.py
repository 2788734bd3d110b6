"""Ctrl-C and SIGTERM end a command with one sentence, wherever they come; stores are whole from birth."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from answers import refused

from netplace.checks.stopping import Stopped, signals_raised
from netplace.runs.store import Store, StoreError

MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from netplace.__main__ import main; main()"
)
SWEEP = 'network = "torus:8x8"\napp = "all-to-all,packets=2,rounds=2"\nmapping = "random"\nseeds = 3000\n'


def stopped(folder, number, words, until, group=False, **environment):
    heard = folder / "stderr"
    with heard.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 180
        while not until():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        (os.killpg if group else os.kill)(process.pid, number)
        stdout, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 128 + number
    assert stdout == ""
    lines = heard.read_text().splitlines()
    return [line for line in lines if line]


@pytest.mark.parametrize(("workers", "group"), [("1", False), ("2", True)], ids=["alone", "with workers"])
def test_sigterm_says_what_is_kept(tmp_path, workers, group):
    (tmp_path / "sweep.toml").write_text(SWEEP)

    def begun():
        try:
            with sqlite3.connect(f"file:{tmp_path / 'sweep.sqlite'}?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM simulations").fetchone()[0] > 1
        except sqlite3.Error:
            return False

    lines = stopped(tmp_path, signal.SIGTERM, ["table", "sweep.toml", "--workers", workers], begun, group)
    how, kept = lines[-1].split("; ", 1)
    assert how == "netplace: stopped by SIGTERM"
    assert kept == "finished results are saved in sweep.sqlite; repeat the command to resume"
    assert not [line for line in lines if "ignored" in line or "Traceback" in line]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


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


def test_what_is_swallowed_is_raised_again():
    class Deaf:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM)
            for _ in range(1000):  # here the handler is run, and what it raises is ignored
                pass

    before = signal.getsignal(signal.SIGTERM)

    def go_on():
        with signals_raised():
            deaf = Deaf()
            del deaf
            time.sleep(20)

    with pytest.raises(Stopped) as caught:
        go_on()
    assert caught.value.status == 143
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_after_the_last_command_changes_nothing(number):
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    try:
        with signals_raised(last=True):
            pass
        os.kill(os.getpid(), number)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals_raised():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_store_killed_at_birth_is_a_new_one(tmp_path, netplace, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text('network = "torus:4x4"\napp = "butterfly"\n')
    (tmp_path / "sweep.sqlite").write_bytes(b"")
    refused(
        netplace("table", "--verify", "sweep.sqlite"),
        "sweep.sqlite: is empty, probably because its command was killed",
    )
    made = netplace("table", "sweep.toml")
    assert made.exit_code == 0
    assert "sweep.sqlite: was empty, probably because its command was killed" in made.stderr
    assert netplace("table", "--verify", "sweep.sqlite").exit_code == 0


def test_a_store_is_made_under_another_name(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(StoreError, match=r"s\.sqlite: cannot be created, No space left on device"):
        Store(tmp_path / "s.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_two_that_make_a_store_make_one(tmp_path):
    with Store(tmp_path / "s.sqlite") as first, Store(tmp_path / "s.sqlite") as second:
        first.keep_outcome("loads", "a", {}, {"accepted": 1})
        assert second.outcome("loads", "a") == {"accepted": 1}
