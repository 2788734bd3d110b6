"""A sweep costs what its simulations cost."""

import os
import resource
import sqlite3
import subprocess
import sys

import pytest

SWEEP = """
network = "torus:8x8"
app = ["lu,class=W,iterations=8", "2d-torus,packets=16,rounds=120", "waterfall,packets=4,rounds=250"]
mapping = "random"
seeds = 67
"""


@pytest.mark.nightly
def test_two_workers_spend_their_time_in_the_kernel(tmp_path):
    """201 runs of about 0.2 s: all processes together, from the start of Python to the table."""
    (tmp_path / "sweep.toml").write_text(SWEEP)
    command = [sys.executable, "-m", "netplace", "table", "sweep.toml"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def seconds(*more: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [*command, *more], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=600
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    in_all = seconds("--workers", "2")
    with sqlite3.connect(tmp_path / "sweep.sqlite") as database:
        [(kernel, count)] = database.execute("SELECT sum(cpu_seconds), count(*) FROM simulations")
    database.close()
    assert count == 201
    assert kernel / in_all > 0.9
    assert seconds() < 5  # all of it is stored
