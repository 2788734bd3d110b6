"""Many runs, kept: what a run is, how runs are carried out, and where their results are found again.

Examples
--------
>>> from netplace.runs import resolve, execute
>>> execute(resolve("torus:4x4", {"app": "2d-torus"})).cycles > 0
True
"""

from __future__ import annotations

from netplace.runs.execute import Ended, attempt, execute
from netplace.runs.resolve import resolve
from netplace.runs.spec import Job, Run

__all__ = ["Ended", "Job", "Run", "attempt", "execute", "resolve"]
