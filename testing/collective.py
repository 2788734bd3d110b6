"""The check of a collective algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from netplace.apps.collectives import OPERATIONS, ROOTED, Algorithm, Call, Message, Schedule, algorithm
from netplace.checks import check_choice
from netplace.testing.collective_data import Data
from netplace.testing.demand import demand, name_of

__all__ = ["check_collective"]


def check_collective(
    operation: str,
    rule: str | Callable[[Call], Iterable[Iterable[Message]]],
    ranks: Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16),
    bytes: Sequence[int] = (37, 48),
    **options: Any,
) -> list[Schedule]:
    """Check that each rank ends with the data it needs, and that each sender has the data it sends.

    The check follows the data symbolically, round by round. A rank can forward a sum, but
    cannot add a contribution twice.

    Parameters
    ----------
    operation : str
        Key of `netplace.apps.collectives.OPERATIONS`.
    rule : str or callable
        A function that takes a `Call` and yields rounds of messages, or the text by which a user selects it.
    ranks, bytes : sequence of int
        Rank counts and sizes to try. The roots are the first rank, the last rank and one between them. The
        rule can refuse some cases with a ValueError. The check skips cases in which the rule rounds bytes.
    **options
        Further attributes of a `Call`, such as ``segment``.

    Returns
    -------
    list of Schedule
        The schedules that the check tried, with their rounds, messages and bytes.

    Raises
    ------
    AssertionError
        If the rule violates a requirement.
    """
    check_choice(operation, OPERATIONS, "collective operation")
    what = f"algorithm {name_of(rule)} of {operation}"
    checked = algorithm(operation, rule)[1] if isinstance(rule, str) else Algorithm(rule, "")
    tried = []
    for count, size in product(ranks, bytes):
        for root in sorted({0, count // 2, count - 1}) if operation in ROOTED else [0]:
            if checked.needs(count):
                continue
            call = Call(operation, count, size, root, **options)
            if not checked.exact(call):
                continue
            subject = f"{what}, {count} ranks, root {root}, {size} bytes"
            try:
                rounds = [list(messages) for messages in checked.rounds(call)]
            except ValueError:
                continue
            _follow(call, rounds, subject)
            tried.append(Schedule.of(call, name_of(rule), rounds))
    demand(bool(tried), f"{what}: refuses all of {list(ranks)} ranks")
    return tried


def _follow(call: Call, rounds: list[list[Message]], subject: str) -> None:
    """Move the data of all rounds, and require that they end at the right ranks."""
    data = Data(call, rounds)
    for number, messages in enumerate(rounds):
        for message in messages:
            here = f"{subject}, round {number}, rank {message.source} to {message.destination}"
            carried = sum(end - begin for begin, end in message.parts)
            demand(message.bytes == carried, f"{here}: {message.bytes} bytes, but parts of {carried}")
            demand(data.has(message), f"{here}: sends what its sender does not have")
        for message, alright in data.move(messages):
            here = f"{subject}, round {number}, rank {message.source} to {message.destination}"
            demand(alright, f"{here}: adds what is in the sum already")
    for rank in range(call.ranks):
        demand(data.ends_well(rank), f"{subject}: rank {rank} does not end with what it should")
