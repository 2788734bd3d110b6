"""Programs in the kernel's words: each is kept once for all jobs that run it, as long as anybody has it."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass

from netplace.apps import Program
from netplace.netsim.config import Config
from netplace.netsim.lower import Lowered, looped, lower
from netplace.netsim.pool import Pool

__all__ = ["Code", "Codes"]


@dataclass(eq=False)
class Code:
    """A program in the kernel's words, and the first of them in the pool."""

    lowered: Lowered
    begin: int


class Codes:
    """The words of all programs that somebody has.

    Parameters
    ----------
    config : Config
        Settings of the network.
    operations : Pool
        Where the words are.
    """

    def __init__(self, config: Config, operations: Pool) -> None:
        self._config = config
        self._operations = operations
        self._codes: dict[tuple[int, bool], Code] = {}
        self._dead: list[int] = []  # programs that nobody has any more

    def __len__(self) -> int:
        return len(self._codes)

    def of(self, program: Program, repeated: bool) -> Code:
        """Return a program's words, those of a loop if it is repeated."""
        while self._dead:
            program_id = self._dead.pop()
            for loops in (False, True):
                code = self._codes.pop((program_id, loops), None)
                if code is not None:
                    self._give(code)
        if (id(program), repeated) not in self._codes:
            self._know(program, repeated, self._written(program, repeated))
        return self._codes[id(program), repeated]

    def know_anew(self, used: Iterable[tuple[Program, bool, Code]]) -> None:
        """Know only what is used, by programs as they are now: for what was read from a pickle."""
        codes, self._codes, self._dead = list(self._codes.values()), {}, []
        users = {id(code): (program, repeated) for program, repeated, code in used}
        for code in codes:
            if id(code) in users:
                self._know(*users[id(code)], code)
            else:
                self._give(code)

    def _know(self, program: Program, repeated: bool, code: Code) -> None:
        """Keep the words of a program as long as anybody has it."""
        if (id(program), not repeated) not in self._codes:
            weakref.finalize(program, self._dead.append, id(program)).atexit = False
        self._codes[id(program), repeated] = code

    def _give(self, code: Code) -> None:
        self._operations.give(code.begin, len(code.lowered.op))

    def _written(self, program: Program, repeated: bool) -> Code:
        lowered = lower(program, self._config)
        if repeated:
            lowered = looped(program, lowered)
        begin = self._operations.take(len(lowered.op))
        if begin + len(lowered.op) >= 1 << 31:
            what = program.name or "program"
            raise ValueError(f"{what}: {len(lowered.op)} operations are more than the kernel holds")
        self._operations.rows(begin, len(lowered.op))[:, 0] = lowered.op
        return Code(lowered, begin)
