"""Shares of communication of the NAS Parallel Benchmarks: what `netplace.runs.mix` holds.

Run with ``python docs/figures/communication.py``; takes half a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from netplace import bundled_trace, read
from netplace.apps import Op
from netplace.netsim import Config, simulate
from netplace.topologies import parse

NAMES = ("BT", "CG", "FT", "IS", "LU", "MG", "SP")
MACHINES = {"W.16": "torus:4x4", "A.64": "torus:8x8"}


def share(trace: str | Path, machine: str) -> float:
    """Return the share of its time in which a recorded run communicates, a task a node."""
    config = Config()
    program = read(trace, cycles_per_us=1000 / config.cycle_ns)
    computes = program.kind == Op.COMPUTE
    computed = np.bincount(program.task_of()[computes], program.size[computes], program.tasks)
    return 1 - float(computed.mean()) / simulate(parse(machine), program, config=config).cycles


if __name__ == "__main__":
    for size, machine in MACHINES.items():
        shares = [share(bundled_trace(f"{name}.{size}"), machine) for name in NAMES]
        line = " ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, shares, strict=True))
        sys.stdout.write(f"{size} on {machine}: {line} mean {np.mean(shares):.3f}\n")
