"""Which algorithm carries out which operation: a table, and algorithms of one's own choice beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from netplace.apps.collectives.call import OPERATIONS, Algorithm, Call
from netplace.apps.collectives.catalog import algorithm
from netplace.apps.collectives.decisions import Table, decision_table
from netplace.apps.collectives.message_schedule import Schedule
from netplace.apps.task import TaskWriter
from netplace.checks import one_of

__all__ = ["OURS", "Collectives", "schedule", "selection"]


@dataclass(frozen=True, eq=False)
class Collectives:
    """What chooses algorithms.

    Attributes
    ----------
    table : Table
        For operations that `named` does not have.
    named : mapping of str to str
        Algorithm by operation.
    """

    table: Table
    named: Mapping[str, str] = field(default_factory=dict)

    def schedule(self, call: Call) -> Schedule:
        """Return all messages of a call.

        Raises
        ------
        ValueError
            If there is no algorithm for it.
        """
        name, chosen, call = self._chosen(call)
        return _schedule(chosen, name, call)

    def write(self, writer: TaskWriter, members: Sequence[int], rank: int, call: Call, tag: int) -> None:
        """Append to `writer` what member number `rank` of `members` does.

        Raises
        ------
        ValueError
            If there is no algorithm for the call.
        """
        name, chosen, call = self._chosen(call)
        if chosen.shifts is None:
            _schedule(chosen, name, call).write(writer, members, rank, tag)
            return
        for distance, parts in chosen.shifts(call):
            source, destination = (rank - distance) % call.ranks, (rank + distance) % call.ranks
            request = writer.irecv(members[source], _length(parts(source)), tag)
            writer.send(members[destination], _length(parts(rank)), tag)
            writer.wait(request)

    def _chosen(self, call: Call) -> tuple[str, Algorithm, Call]:
        """Return name and algorithm for a call, and the call with the table's options."""
        name = self.named.get(call.operation)
        if name is not None:
            return *algorithm(call.operation, name, call.ranks), call
        row = self.table.choose(call)
        what = f"collectives {self.table.name!r}: algorithm of {call.operation}"
        return *algorithm(call.operation, row.algorithm, call.ranks, what), call.having(row.options)


def selection(text: str, what: str = "--collectives") -> Collectives:
    """Return what `text` says: a table and algorithms, as in ``"openmpi+allreduce=ring+bcast=binomial"``.

    Raises
    ------
    ValueError
        If there is no such table, operation or algorithm, naming `what`.
    """
    table, *words = text.split("+")
    named = {}
    for word in words:
        operation, equals, name = word.partition("=")
        if not equals:
            raise ValueError(f"{what}: {word!r} is not of the form operation=algorithm")
        one_of(operation, OPERATIONS, f"{what}: collective operation")
        named[operation], _ = algorithm(operation, name, what=f"{what}: algorithm of {operation}")
    return Collectives(decision_table(table, what), named)


def schedule(
    operation: str,
    ranks: int,
    bytes: int,
    root: int = 0,
    *,
    collectives: str = "ours",
    algorithm: str | None = None,
    **options: Any,
) -> Schedule:
    """Return the messages of a collective operation.

    Parameters
    ----------
    operation : str
        Key of `OPERATIONS`.
    ranks : int
        How many take part.
    bytes : int
        What `OPERATIONS` says of the operation.
    root : int
        Rank, of operations that have one.
    collectives : str
        The table that chooses the algorithm, as for `selection`.
    algorithm : str, optional
        The algorithm itself.
    **options
        Further attributes of a `Call`.

    Raises
    ------
    ValueError
        If there is no such operation, table or algorithm, or a value is out of range.

    Examples
    --------
    >>> messages = schedule("bcast", ranks=4, bytes=100, algorithm="binomial")
    >>> messages.rounds, messages.pairs()
    (2, [(0, 1, 1, 100), (0, 2, 1, 100), (1, 3, 1, 100)])
    """
    one_of(operation, OPERATIONS, "collective operation")
    chosen = Collectives(decision_table(collectives), {} if algorithm is None else {operation: algorithm})
    return chosen.schedule(Call(operation, ranks, bytes, root, **options))


@lru_cache(maxsize=64)
def _schedule(chosen: Algorithm, name: str, call: Call) -> Schedule:
    return Schedule.of(call, name, chosen.rounds(call))


def _length(parts: Sequence[tuple[int, int]]) -> int:
    if len(parts) == 1:  # the usual case, a million times
        ((begin, end),) = parts
        return end - begin
    return sum(end - begin for begin, end in parts)


OURS = Collectives(decision_table("ours"))
