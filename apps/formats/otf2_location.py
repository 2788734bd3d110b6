"""A location of an OTF2 archive while its events are read."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Location"]


@dataclass
class Location:
    """What is known of a location while its events are read; times in ticks."""

    rank: int
    events: int = 0
    regions: list[int] = field(default_factory=list)
    mpi: list[str] = field(default_factory=list)  # names of the open regions of MPI
    last_end: int | None = None
    off_since: int | None = None
    off: int = 0  # since the last region of MPI
    gap: int = 0  # since the last call
    compute: int = 0
    unmeasured: int = 0
    first: int | None = None
    last: int = 0
    sendrecv: list[int] = field(default_factory=list)  # requests of the sends of an open MPI_Sendrecv
    probed: dict[int, tuple[int, int, int]] = field(
        default_factory=dict
    )  # source, tag, communicator by message
