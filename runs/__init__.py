"""Simulation runs: their descriptions, their execution, and the store of their results.

Examples
--------
>>> from netplace.runs import resolve, execute
>>> execute(resolve("torus:4x4", {"app": "2d-torus"})).cycles > 0
True
"""

from netplace.runs.execute import Ended, execute, run_or_failure
from netplace.runs.resolve import resolve
from netplace.runs.spec import Job, Run

__all__ = ["Ended", "Job", "Run", "execute", "resolve", "run_or_failure"]
