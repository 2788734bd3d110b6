"""What a collective's sizes in an OTF2 archive say of the call."""

from __future__ import annotations

__all__ = ["bytes_of"]


def bytes_of(name: str, ranks: int, place: int, sent: int, received: int) -> int:
    """Return what one call of a collective names, from what Score-P says was sent and received in it.

    What all give to all is counted once for each rank, or once less where the own part stays in place; a scan
    once for each rank from `place` on.
    """
    if name in ("bcast", "scatter", "scatterv"):
        return received
    if name in ("allgather", "allgatherv", "allreduce", "alltoall", "reduce_scatter_block"):
        most = max(sent, received)
        if name == "allgatherv":
            most = sent
        if most % ranks and ranks > 1 and most % (ranks - 1) == 0:
            return most // (ranks - 1)
        return most // ranks
    if name == "scan":
        return sent // (ranks - place)
    if name == "exscan":
        return sent // (ranks - place - 1) if place < ranks - 1 else received // max(place, 1)
    return sent
