"""A trace while it is read, in any format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import Batch

IGNORABLE = {
    "one-sided": "windows, MPI_Put, MPI_Get and related calls",
    "io": "MPI_File operations",
    "partitioned": "MPI_Psend_init, MPI_Pready and related calls",
    "spawned": "dynamic processes and communication with them",
    "other": "other calls that netplace counts but cannot replay",
}


_ONE_SIDED = (
    *("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"),
    *("rput", "rget", "raccumulate", "rget_accumulate"),
)
_PARTITIONED = ("psend_init", "precv_init", "pready", "pready_range", "pready_list", "parrived")
_SPAWNED = ("comm_spawn", "comm_spawn_multiple", "comm_accept", "comm_connect", "comm_join", "beyond_world")


@dataclass(frozen=True)
class Reading:
    """Settings for reading a trace."""

    flops: float = 1e9  # floating-point operations per second, for formats with computation in operations
    tasks: int | None = None  # number of ranks, for formats without it
    # Function that is called with the number of bytes that were read since the last call.
    progress: Callable[[int], None] | None = None
    # Whether the calls of a rank must come as they happened. Any order suffices to count them, and a format
    # without an order of its lines can then be read in parts.
    in_order: bool = True
    # Nanoseconds per cycle, for a ``.trc`` file with computation in nanoseconds; 0 means cycles.
    trc_ns: float = 0.0

    def advance(self, count: int) -> None:
        """Tell that so many more bytes were read."""
        if self.progress is not None:
            self.progress(count)


@dataclass
class Trace:
    """An open trace: the number of ranks, and their calls as they are read."""

    ranks: int  # if the format does not begin with it, known after all batches
    batches: Iterator[Batch]  # the calls, once; those of a rank come in their order unless `sorted` is False
    # World ranks of the members. 0 is the world. It grows while the batches are read, but before the first
    # call on a communicator.
    communicators: dict[int, tuple[int, ...]] = field(default_factory=dict)
    # Operations that cannot be replayed, by name in MPI's lower case, as read so far.
    left_out: Counter[str] = field(default_factory=Counter)
    sections: Sequence[str] = ()  # names of the sections that marks begin and end, as read so far
    sorted: bool = True  # whether the calls of a rank come in their order; if not, their times give the order
    notes: list[str] = field(default_factory=list)  # information that the format lacks, a sentence each
    # Whether a receive takes the first message of its own length from its source with its tag, as in INSEE,
    # instead of the first one, as in MPI.
    by_length: bool = False
    # Least number of calls of its program, with repetitions stored once, if the format knows it before they
    # are read.
    unrepeated: int = 0

    def __post_init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self.has_ranks(self.ranks)

    def has_ranks(self, count: int) -> None:
        """Set the number of ranks."""
        if count > MOST_TASKS:
            raise ValueError(f"{count} ranks are too many, expected at most {MOST_TASKS}")
        self.ranks = count
        self.communicators[0] = tuple(range(count))
        self._numbers[self.communicators[0]] = 0

    def communicator(self, members: tuple[int, ...], key: Any = None) -> int:
        """Return the number of the communicator of world ranks `members`; `key` distinguishes equal ones."""
        name: Any = members if key is None else (members, key)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.communicators)
            self.communicators[number] = members
        return number


def ignorable(operation: str) -> str | None:
    """Return the key of `IGNORABLE` to which an operation belongs by its name; None if to none of them."""
    if operation.startswith("file_"):
        return "io"
    if operation in _PARTITIONED:
        return "partitioned"
    if operation in _SPAWNED:
        return "spawned"
    return "one-sided" if operation.startswith("win_") or operation in _ONE_SIDED else None
