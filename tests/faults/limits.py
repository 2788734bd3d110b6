"""Limits of time and memory within which strange inputs are tried, and the processes that try them."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ROOM", "SlowError", "faults_told_by", "limit_memory", "say", "stopped_after"]

ROOM = 1 << 30  # bytes that an input may take beyond what the program takes when it begins


class SlowError(BaseException):
    """An input that takes too long; no Exception, so that nobody turns it into a sentence."""


@contextmanager
def stopped_after(seconds: int) -> Iterator[None]:
    """Raise `SlowError` in what takes longer, of processor time: a machine may be busy with others."""

    def stop(*_: object) -> None:
        raise SlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limit_memory() -> None:
    """Let this process have `ROOM` more than it has now."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, now + ROOM))


def say(line: str) -> None:
    """Print a line at once: nobody knows whether this process lives to print another."""
    sys.stdout.write(ascii(line)[1:-1].replace("\\n", "\n") + "\n")
    sys.stdout.flush()


def faults_told_by(script: str, first: int, count: int, *flags: str) -> list[str]:
    """Return a line for each fault that a script of this folder finds, in a process of its own."""
    done = subprocess.run(
        [
            sys.executable,
            "-X",
            "faulthandler",
            Path(__file__).with_name(script),
            str(first),
            str(count),
            *flags,
        ],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=3600,
        check=False,
    )
    lines = done.stdout.splitlines()
    faults = [line for line in lines if line.startswith("FAULT ")]
    if not lines or not lines[-1].startswith(f"DONE {count} "):
        last = [line for line in lines if line.startswith("TRIES ")][-1:]
        faults.append(f"the process ended with {done.returncode} at {last}: {done.stderr[-3000:]}")
    return faults
