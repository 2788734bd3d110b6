"""Run a script in a new process."""

from __future__ import annotations

import os
import subprocess
import sys


def run_fresh(script: str, *arguments: str) -> list[float]:
    """Return the numbers that a Python script prints, run in a new process."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments],  # -P: no module of the working folder
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]
