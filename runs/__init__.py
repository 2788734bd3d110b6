"""Many runs, kept: what a run is, how runs are carried out, and where their results are found again.

>>> from runs import resolve, execute
>>> execute(resolve("torus:4x4", {"app": "2d-torus"})).cycles > 0
True
"""

from __future__ import annotations

from runs.execute import Ended, attempt, execute
from runs.resolve import resolve
from runs.spec import Job, Run

__all__ = ["Ended", "Job", "Run", "attempt", "execute", "resolve"]
