"""Text forms of networks: what stands after the colon, read into the numbers that a constructor takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from netplace.checks import whole
from netplace.topologies.topology import Topology

__all__ = ["Kind", "read_numbers", "read_sides", "read_sides_and_twist"]


@dataclass(frozen=True)
class Kind:
    """One kind of network: its constructor and how it is written.

    Attributes
    ----------
    build : callable
        Constructor.
    read : callable
        Turns the whole text form into the positional arguments of `build`.
    example : str
        A text form.
    description : str
        One line for people.
    """

    build: Callable[..., Topology]
    read: Callable[[str], tuple[Any, ...]]
    example: str
    description: str


def read_sides(text: str) -> tuple[tuple[int, ...]]:
    """Return the sides of a grid, for ``"torus:8x4"`` ``((8, 4),)``.

    Raises
    ------
    ValueError
        If one is not a whole number of at least 1.
    """
    words = _after_colon(text).split("x")
    return (tuple(whole(word, f"{text}: side {place + 1}") for place, word in enumerate(words)),)


def read_sides_and_twist(text: str) -> tuple[tuple[int, ...], int | None]:
    """Return the sides and the twist, None where none is written: for ``"twisted:8x4+3"`` ``((8, 4), 3)``.

    Raises
    ------
    ValueError
        If one is not a whole number of at least 1.
    """
    sides, plus, twist = text.partition("+")
    return read_sides(sides)[0], whole(twist, f"{text}: twist") if plus else None


def read_numbers(*names: str) -> Callable[[str], tuple[int, ...]]:
    """Return a reader of as many numbers as `names`, for ``"tree:4,3"`` ``(4, 3)``.

    The reader raises ValueError if there are more or fewer, or one is not a whole number of at least 1.
    """

    def read(text: str) -> tuple[int, ...]:
        words = _after_colon(text).split(",")
        if len(words) != len(names):
            raise ValueError(f"{text}: {len(words)} numbers given, expected {len(names)} ({','.join(names)})")
        return tuple(whole(word, f"{text}: {name}") for word, name in zip(words, names, strict=True))

    return read


def _after_colon(text: str) -> str:
    return text.partition(":")[2]
