"""Collectives in the background: what a rank does for them while it computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from netplace.apps.operation import Op
from netplace.apps.task import TaskWriter

__all__ = ["TAG", "Background"]

TAG = 1 << 20  # of messages in the background, above those of micro-batches

_Message = tuple[bool, int, int]  # whether it is sent, the other rank, bytes
_Round = Sequence[_Message]


@dataclass
class Background:
    """The collectives of one rank that go on beside other things.

    Either all messages of a collective are begun at once, or round by round: those of a round when the ones
    of the round before have arrived, which the rank looks after in the pauses of a computation that is cut
    into as many pieces as there are rounds.

    Parameters
    ----------
    writer : TaskWriter
        What the rank does.
    by_rounds : bool
        Whether rounds wait for each other.
    """

    writer: TaskWriter
    by_rounds: bool
    requests: list[int] = field(default_factory=list)
    rounds: deque[_Round] = field(default_factory=deque)

    def begin(self, write: Callable[[TaskWriter], None]) -> None:
        """Begin the collectives that `write` writes."""
        aside = TaskWriter(self.writer.task, self.writer.tasks, self.writer.collectives)
        write(aside)
        self.rounds.extend(_rounds_of(aside))
        while self.rounds and not self.by_rounds:
            self._post()

    def compute(self, cycles: int, share: float) -> None:
        """Compute, and see to that `share` of the rounds that are left meanwhile."""
        pauses = round(share * len(self.rounds))
        for piece in range(pauses):
            self.writer.compute((piece + 1) * cycles // (pauses + 1) - piece * cycles // (pauses + 1))
            self._next()
        self.writer.compute(cycles - pauses * cycles // (pauses + 1))

    def finish(self) -> None:
        """See to all that is left."""
        while self.rounds:
            self._next()
        self._wait()

    def _next(self) -> None:
        self._wait()
        self._post()

    def _wait(self) -> None:
        self.writer.waitall(self.requests)
        self.requests.clear()

    def _post(self) -> None:
        """Begin the messages of the next round."""
        for is_sent, peer, size in self.rounds.popleft():
            begin = self.writer.isend if is_sent else self.writer.irecv
            self.requests.append(begin(peer, size, TAG))


def _rounds_of(aside: TaskWriter) -> list[_Round]:
    """Return the messages between one wait and the next; a receive that blocks ends a round as well."""
    columns = aside.columns()
    rows = zip(*(columns[name].tolist() for name in ("kind", "peer", "size")), strict=True)
    number, waited = 0, False
    numbered = []
    for kind, peer, size in rows:
        if kind == Op.WAIT:
            waited = True
            continue
        number += waited
        waited = kind == Op.RECV
        numbered.append((number, (kind in (Op.SEND, Op.ISEND), peer, size)))
    return [[message for _, message in messages] for _, messages in groupby(numbered, lambda pair: pair[0])]
