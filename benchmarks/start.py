"""What a new process waits for: import, and the first call."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.fresh import run_fresh

_SCRIPT = """
import time
began = time.process_time()
from netplace.netsim import Network
from netplace.topologies import parse
imported = time.process_time()
Network(parse("torus:2x2")).advance(1)
print(imported - began, time.process_time() - imported)
"""
_WORKER = """
import multiprocessing, time

def first_call(_):
    from netplace.netsim import Network
    from netplace.topologies import parse
    began = time.process_time()
    Network(parse("torus:2x2")).advance(1)
    return time.process_time() - began

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(first_call, [0])[0])
"""


_TINY = """
import contextlib, io, time
from netplace.cli import app

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(["run", "--network", "torus:4x4", "--app", "all-to-all"])
print(time.process_time())
"""


def start(_: bool) -> Iterator[Figure]:
    """Measure import and first call in new processes, and the first call of a pool's worker."""
    warm = [run_fresh(_SCRIPT) for _ in range(3)]
    yield figure("import of netsim", "CPU s", [imported for imported, _ in warm])
    yield figure("first call", "CPU s", [called for _, called in warm], most=0.5)
    tiny = [run_fresh(_TINY)[0] for _ in range(3)]
    yield figure("netplace run of 16 tasks on torus:4x4", "CPU s", tiny, most=0.2)
    workers = [run_fresh(_WORKER)[0] for _ in range(3)]
    yield figure("first call in a worker of a pool", "CPU s", workers, most=0.5)
