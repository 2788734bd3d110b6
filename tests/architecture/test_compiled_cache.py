"""Where nothing can be written, code is compiled all the same, and how to keep it is said once."""

from __future__ import annotations

import os
import subprocess
import sys

NOTHING_CAN_BE_WRITTEN = """
import os, tempfile
def refuse(*_, **__):
    raise OSError(30, "Read-only file system")
os.access = lambda *_, **__: False
os.makedirs = tempfile.TemporaryFile = refuse
"""
DRAW = "from netplace.netsim.chance import below, draw; print(below(draw(1, 2, 3, 4, 5), 100))"


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_it_runs_where_nothing_can_be_written():
    usual = python(DRAW)
    without = python(NOTHING_CAN_BE_WRITTEN + DRAW)
    assert (without.returncode, without.stdout) == (0, usual.stdout)
    assert usual.stderr == ""
    assert without.stderr.count("set NUMBA_CACHE_DIR") == 1


def test_workers_do_not_say_it_again():
    without = python(NOTHING_CAN_BE_WRITTEN + DRAW, NETPLACE_COMPILES_WITHOUT_CACHE="1")
    assert (without.returncode, without.stderr) == (0, "")
