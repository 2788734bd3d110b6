"""A command starts quickly: what it does not use is not imported."""

import subprocess
import sys

import pytest

SCRIPT = """
import contextlib, io, sys
from netplace.cli import app

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(sys.argv[1].split())
print(*(name for name in sys.argv[2:] if name in sys.modules))
"""
RUN = "run --network torus:4x4 --app 2d-torus --packets 1"
LARGE = ["netplace.apps.npb", "netplace.cosim", "pandas", "scipy.optimize", "scipy.stats", "networkx"]
PLAIN = [
    *LARGE, "concurrent.futures", "importlib.metadata", "matplotlib", "multiprocessing",
    "netplace.apps.collectives", "netplace.apps.training", "netplace.cli.cosim", "netplace.netsim.reference",
    "numpy.ma", "rich.progress", "scipy", "sqlite3", "statistics", "xml.etree",
]  # fmt: skip
LOAD = "load --network torus:4x4 --offered 0.1 --warmup 10 --measure 10"


@pytest.mark.all
@pytest.mark.parametrize(
    ("command", "left_out"),
    [(RUN, PLAIN), (f"{RUN} -o folder", LARGE), (LOAD, ["matplotlib", "scipy", "netplace.cosim"])],
)
def test_a_command_imports_nothing_large_that_it_does_not_use(command, left_out, tmp_path):
    words = [sys.executable, "-c", SCRIPT, command, *left_out]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split() == []
