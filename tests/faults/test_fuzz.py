"""What a user gives ends in an answer or in one sentence: no traceback, no warning, no hang, under 1 GB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
AT_ONCE = 1000  # inputs of a process
SLOW_INPUTS = 10_000


def try_inputs(first: int, count: int, *flags: str) -> list[str]:
    """Return a line for each fault that inputs led to, tried in a process of their own."""
    done = subprocess.run(
        [sys.executable, HERE / "fuzz.py", str(first), str(count), *flags],
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
        faults.append(f"the process ended with {done.returncode} at {last}: {done.stderr[-2000:]}")
    return faults


def test_a_few_strange_inputs():
    assert try_inputs(100_000, 40, "--soon") == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SLOW_INPUTS, AT_ONCE))
def test_many_strange_inputs(first):
    assert try_inputs(first, AT_ONCE) == []
