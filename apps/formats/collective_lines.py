"""The lines of the text format that name communicators and collectives."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.formats.assembly import Lines
from netplace.apps.formats.errors import TraceError
from netplace.apps.formats.expansion import Expansion, check_collective
from netplace.apps.formats.table import Table

__all__ = ["expand", "read_communicators"]

Members = dict[tuple[int, int], tuple[int, ...]]


def read_communicators(
    table: Table, rows: NDArray[np.int64], lines: Lines, here: NDArray[np.bool_]
) -> Members:
    """Return the world ranks of each communicator by (rank, communicator).

    Raises
    ------
    TraceError
        If a list of members is not one.
    """
    places = np.flatnonzero(here)
    numbers = table.integers(rows[places], 5, "comm")
    members: Members = dict.fromkeys(((task, 0) for task in range(lines.tasks)), tuple(range(lines.tasks)))
    for place, number, text in zip(
        places.tolist(), numbers.tolist(), table.texts(rows[places], 6), strict=True
    ):
        task, line = int(lines.task[place]), int(lines.line[place])
        ranks = _listed(text, line, "members of a communicator")
        if task not in ranks or len(set(ranks)) != len(ranks) or max(ranks) >= lines.tasks:
            raise TraceError(
                line,
                f"members {text!r} must be different ranks from 0 to {lines.tasks - 1}, {task} among them",
            )
        if len(ranks) != lines.size[place]:
            raise TraceError(line, f"lists {len(ranks)} members of {lines.size[place]}")
        members[task, number] = ranks
    return members


def expand(
    table: Table,
    rows: NDArray[np.int64],
    lines: Lines,
    here: NDArray[np.bool_],
    communicators: Members,
    collectives: Collectives | None = None,
) -> dict[int, dict[str, NDArray[Any]]]:
    """Return the operations of each line that is a collective.

    Raises
    ------
    TraceError
        If a line names no known collective or communicator, or members disagree on an alltoallv.
    """
    places = np.flatnonzero(here)
    numbers = table.integers(rows[places], 5, "comm")
    roots = table.integers(rows[places], 2, "root", -1)
    names = table.texts(rows[places], 4)
    lists = table.texts(rows[places], 6)
    found = list(zip(places.tolist(), numbers.tolist(), roots.tolist(), names, lists, strict=True))
    sizes = _Sizes()
    for place, number, root, name, text in found:
        task, line = int(lines.task[place]), int(lines.line[place])
        if (task, number) not in communicators:
            raise TraceError(line, f"communicator {number} is not known to rank {task}")
        members = communicators[task, number]
        check_collective(line, name, members, root)
        if name == "alltoallv":
            sizes.add(line, (number, members), task, _listed(text, line, "sizes of an alltoallv"))
    expansion = Expansion(lines.tasks, collectives)
    blocks = {}
    for place, number, root, name, _ in found:
        task, members = int(lines.task[place]), communicators[int(lines.task[place]), number]
        pair = sizes.take((number, members), task) if name == "alltoallv" else None
        size = int(lines.size[place])
        blocks[place] = expansion.operations(task, name, number, members, root, size, pair)
    return blocks


class _Sizes:
    """Sizes of every alltoallv, by communicator and member, in order."""

    def __init__(self) -> None:
        self._rows: dict[Any, dict[int, list[tuple[int, tuple[int, ...]]]]] = defaultdict(dict)
        self._taken: dict[Any, int] = defaultdict(int)

    def add(self, line: int, key: tuple[int, tuple[int, ...]], task: int, sizes: tuple[int, ...]) -> None:
        if len(sizes) != len(key[1]):
            raise TraceError(
                line, f"lists {len(sizes)} sizes for the {len(key[1])} members of communicator {key[0]}"
            )
        self._rows[key].setdefault(task, []).append((line, sizes))

    def take(self, key: tuple[int, tuple[int, ...]], task: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what `task` sends to each member and receives from it in its next alltoallv on `key`."""
        number = self._taken[key, task]
        self._taken[key, task] += 1
        line, row = self._rows[key][task][number]
        own, members = key[1].index(task), key[1]
        column = []
        for member in members:
            rows = self._rows[key].get(member, [])
            if number >= len(rows):
                raise TraceError(
                    line, f"rank {member} takes no part in alltoallv number {number} on communicator {key[0]}"
                )
            column.append(rows[number][1][own])
        return row, tuple(column)


def _listed(text: str, line: int, what: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise TraceError(line, f"{what} must be whole numbers with commas between, not {text!r}")
    return tuple(map(int, words))
