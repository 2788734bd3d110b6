"""A plain run of the command is quick: what it does not use is not imported."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import contextlib, io, sys
from netplace.cli import app

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(["run", "--network", "torus:4x4", "--app", "2d-torus", "--packets", "1"])
left_out = ("concurrent.futures", "importlib.metadata", "matplotlib", "multiprocessing",
            "netplace.apps.collectives", "netplace.apps.npb", "netplace.apps.training",
            "netplace.cli.cosim", "netplace.netsim.reference", "networkx",
            "numpy.ma", "pandas", "rich.progress",
            "scipy", "sqlite3", "statistics", "xml.etree")
print(*(name for name in left_out if name in sys.modules))
"""


def test_a_plain_run_imports_nothing_large():
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
