"""Simulation of packets on a network, cycle by cycle; docs/background/model.md describes the model.

Examples
--------
>>> from netplace.topologies import parse
>>> from netplace.apps import APPLICATIONS
>>> simulate(parse("torus:8x8"), APPLICATIONS["2d-torus"].make(tasks=64)).cycles > 0
True
"""

from netplace.netsim.config import ARBITERS, EJECTIONS, TREE_ROUTINGS, VC_POLICIES, Config
from netplace.netsim.engine import Traffic
from netplace.netsim.errors import CycleLimitError, DeadlockError, LostJobError, SimulationError
from netplace.netsim.network import ENGINES, ArbiterState, Network, Waiting
from netplace.netsim.outcome import Deadlocked, Finished, JobOutcome, Stopped
from netplace.netsim.result import Delay, JobResult, Result
from netplace.netsim.simulation import simulate
from netplace.netsim.traffic import PATTERNS, LoadPoint, left_out, measure_load, pattern

__all__ = [
    "ARBITERS", "EJECTIONS", "ENGINES", "PATTERNS", "TREE_ROUTINGS", "VC_POLICIES", "ArbiterState",
    "Config", "CycleLimitError", "DeadlockError", "Deadlocked", "Delay", "Finished", "JobOutcome",
    "JobResult", "LoadPoint", "LostJobError", "Network", "Result", "SimulationError", "Stopped",
    "Traffic", "Waiting", "left_out", "measure_load", "pattern", "simulate",
]  # fmt: skip
