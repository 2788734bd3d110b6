"""Collective operations by algorithm: one schedule is the basis of counts and of replay."""

from netplace.apps.collectives.call import OPERATIONS, ROOTED, Algorithm, Call, Message
from netplace.apps.collectives.catalog import ALGORITHMS, algorithm, algorithms_of
from netplace.apps.collectives.decisions import TABLES
from netplace.apps.collectives.selection import Collectives, Schedule, in_groups, schedule, selection
from netplace.apps.collectives.writing import (
    ALLTOALL_ORDERS,
    COLLECTIVES,
    allgather,
    allgatherv,
    allreduce,
    alltoall,
    alltoallv,
    barrier,
    bcast,
    exscan,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    scatter,
)

__all__ = [
    "ALGORITHMS", "ALLTOALL_ORDERS", "COLLECTIVES", "OPERATIONS", "ROOTED", "TABLES", "Algorithm", "Call",
    "Collectives", "Message", "Schedule", "algorithm", "algorithms_of", "allgather", "allgatherv",
    "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "exscan", "gather", "in_groups", "reduce",
    "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "schedule", "selection",
]  # fmt: skip
