"""Killed at any instant, a command leaves files that are whole or none, and goes on afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def kill(first: int, count: int, *flags: str) -> list[str]:
    """Return a line for each fault that kills led to."""
    done = subprocess.run(
        [sys.executable, HERE / "kills.py", str(first), str(count), *flags],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=3600,
        check=False,
    )
    lines = done.stdout.splitlines()
    ended = bool(lines) and lines[-1].startswith(f"DONE {count} ")
    return [line for line in lines if line.startswith("FAULT ")] + ([] if ended else [done.stderr[-2000:]])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 100))
def test_commands_killed_at_a_random_instant(first):
    assert kill(first, 100) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1500, 100))
@pytest.mark.parametrize("flags", [("--only", "map", "--workers"), ("--workers",)])
def test_commands_with_workers_killed_at_a_random_instant(first, flags):
    assert kill(first, 100, *flags) == []
