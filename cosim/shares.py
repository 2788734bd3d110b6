"""Measured shares of communication, from which jobs can draw theirs.

No log contains the communication time of a job. This project contains the recorded computation of the NAS
Parallel Benchmarks between their MPI calls (``apps/traces/README.md``). In a run with this computation on a
compact torus with one task per node and default settings, the rest of the time is communication
(``docs/figures/communication.py``). The recording was made on a shared machine and is accurate to within a
factor of two.
"""

from __future__ import annotations

# By name, shares of the time in which applications communicate; each is drawn as often.
MEASURED: dict[str, dict[str, float]] = {
    # NPB 3.3.1, class A, 64 tasks on torus:8x8, 3.2 ns a cycle: 1 - computation (mean over tasks) / time.
    "npb": {"BT": 0.248, "CG": 0.656, "FT": 0.623, "IS": 0.513, "LU": 0.288, "MG": 0.361, "SP": 0.363}
}
