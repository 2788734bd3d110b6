"""Shares of communication that were measured, from which jobs can draw theirs.

No log tells how much of its time a job communicates. What is carried with this project is the recorded
computation of the NAS Parallel Benchmarks between their calls of MPI (``apps/traces/README.md``): run again
with it on a compact torus of one task a node, settings as usual, what is left of the time is communication
(``docs/figures/communication.py``). The recording is of a shared machine, right to within a factor of two.
"""

from __future__ import annotations

__all__ = ["MEASURED"]

# By name, shares of the time in which applications communicate; each is drawn as often.
MEASURED: dict[str, dict[str, float]] = {
    # NPB 3.3.1, class A, 64 tasks on torus:8x8, 3.2 ns a cycle: 1 - computation (mean over tasks) / time.
    "npb": {
        "BT": 0.248,
        "CG": 0.656,
        "FT": 0.623,
        "IS": 0.513,
        "LU": 0.288,
        "MG": 0.361,
        "SP": 0.363,
    }
}
