"""netplace on a running machine: a service that places jobs, and tools for resource managers.

Examples
--------
>>> from netplace.live import Cluster, Place
>>> from netplace.topologies import parse
>>> cluster = Cluster(parse("mesh:4x4"))
>>> cluster.place(Place("a", 3)).nodes
['n0', 'n1', 'n2']
"""

from netplace.live.cluster import Cluster
from netplace.live.messages import Explain, Mark, Place, Plan, Release, RequestError, State
from netplace.live.service import Service

__all__ = ["Cluster", "Explain", "Mark", "Place", "Plan", "Release", "RequestError", "Service", "State"]
