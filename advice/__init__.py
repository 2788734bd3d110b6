"""Advice: the best free nodes for a job while other jobs run, and the order of its tasks on these nodes.

Examples
--------
>>> from netplace.advice import Limits, Situation, advise
>>> from netplace.apps import application
>>> from netplace.topologies import parse
>>> job = Situation(parse("torus:4x4"), application("2d-torus", 4))
>>> advice = advise(job, range(16), Limits(simulations=8))
>>> len(advice.nodes), advice.verdict in ("faster", "no clear difference")
(4, True)
"""

from netplace.advice.advise import Advice, Limits, Tried, advise
from netplace.advice.machine import Neighbour, machine_of, nodes_from, read_beside
from netplace.advice.situation import Situation

__all__ = [
    "Advice",
    "Limits",
    "Neighbour",
    "Situation",
    "Tried",
    "advise",
    "machine_of",
    "nodes_from",
    "read_beside",
]
