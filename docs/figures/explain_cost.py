"""What `--explain` costs on the network that jobs share: measures ``explain_cost.csv``.

Run with ``python docs/figures/explain_cost.py``; takes some seconds. Jobs of 8 tasks that do nothing
but communicate fill a machine on random nodes; CPU seconds, the least of three runs each.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.cosim import JobPlacer, JobProgram, PlacedJob, application_work
from netplace.netsim import Config, Network
from netplace.scheduling import Job
from netplace.topologies import parse

TABLE = Path(__file__).with_suffix(".csv")
MACHINES = ("torus:8x8", "mesh:8x8", "tree:4,3")
APPLICATIONS = ("2d-torus", "butterfly", "all-to-all", "waterfall")
ITERATIONS, TIMES = 100, 3


def seconds(machine: str, explain: bool) -> float:
    """Return the CPU seconds of the network until all jobs have ended."""
    config, topology = Config(), parse(machine)
    placing = JobPlacer(topology, config, application_work(config))
    nodes = np.random.default_rng(5).permutation(topology.nodes)
    network = Network(topology, config, explain=explain)
    for place, own in enumerate(nodes.reshape(-1, 8)):
        work = JobProgram(f"{APPLICATIONS[place % len(APPLICATIONS)]},packets=8", 8, ITERATIONS)
        placing.start(network, PlacedJob(Job(place, 0, 8, 0), work, own))
    began, ended = time.process_time(), 0
    while ended < len(nodes) // 8:
        ended += len(network.advance())
    return time.process_time() - began


def measured(machine: str) -> dict[str, Any]:
    """Return a row: CPU seconds without and with, and their ratio."""
    runs = [(seconds(machine, False), seconds(machine, True)) for _ in range(TIMES)]
    off, on = (min(column) for column in zip(*runs, strict=True))
    return {"machine": machine, "off (s)": off, "on (s)": on, "ratio": on / off}


if __name__ == "__main__":
    frame = pd.DataFrame([measured(machine) for machine in MACHINES])
    frame.to_csv(TABLE, index=False, float_format="%.4g")
    sys.stdout.write(frame.to_string(index=False, float_format="%.3g") + "\n")
