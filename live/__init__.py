"""netplace on a running machine: a service that places jobs, the best nodes for one job, and tools for Slurm.

Examples
--------
>>> from netplace.live import Cluster, Limits, Place, Situation, advise
>>> from netplace.apps import application
>>> from netplace.topologies import parse
>>> cluster = Cluster(parse("mesh:4x4"))
>>> cluster.place(Place("a", 3)).nodes
['n0', 'n1', 'n2']
>>> job = Situation(parse("torus:4x4"), application("2d-torus", 4))
>>> advice = advise(job, range(16), Limits(simulations=8))
>>> len(advice.nodes), advice.verdict in ("faster", "no clear difference")
(4, True)
"""

from netplace.live.advise import Advice, Candidate, Limits, advise
from netplace.live.cluster import Cluster
from netplace.live.machine import Neighbour, machine_of, nodes_from, read_running_jobs
from netplace.live.messages import Explain, Mark, Place, Plan, Release, RequestError, State
from netplace.live.service import Service
from netplace.live.situation import Situation

__all__ = [
    "Advice",
    "Candidate",
    "Cluster",
    "Explain",
    "Limits",
    "Mark",
    "Neighbour",
    "Place",
    "Plan",
    "Release",
    "RequestError",
    "Service",
    "Situation",
    "State",
    "advise",
    "machine_of",
    "nodes_from",
    "read_running_jobs",
]
