"""The global operations of Dimemas traces, and what a record's bytes are of.

A record tells how many bytes its task sent and received. Where descriptions of the format are silent we
assume: the vector of a broadcast is the larger size that a record names; SENT of an all-to-all is for each
pair, and that of an all-to-all-v is the total, sent in equal parts.
"""

from __future__ import annotations

__all__ = ["NAMES", "ROOTED", "bytes_of"]

ROOTED = (1, 2, 3, 4, 5, 10)
# By number in the file.
NAMES = (
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
)


def bytes_of(name: str, sent: int, received: int) -> int:
    """Return the bytes of a call of which its task sent and received so many."""
    if name in ("scatter", "scatterv"):
        return received
    return max(sent, received) if name == "bcast" else sent
