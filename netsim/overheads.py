"""The cost of messages on the processor of a node: computation before or after every message.

The parameters are those of LogGP: Culler et al., "LogP: towards a realistic model of parallel computation",
PPoPP 1993 (the overhead o), and Alexandrov et al., SPAA 1995. The model of the network does not change. The
program changes, so that every engine simulates the same. What a collective copies and combines besides, its
own program has (`netplace.apps.collectives.selection.Host`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.apps.replay import openers
from netplace.netsim.config import Config


def with_overheads(program: Program, config: Config) -> Program:
    """Return `program` with the computation that `config` charges for messages.

    A task computes before each blocking or nonblocking send, and after each receive or the wait that
    completes one; eager messages are copied at both ends. Messages of a task to itself cost nothing.
    """
    costs = config.o_send, config.o_recv, config.o_byte, config.o_rendezvous, config.o_copy
    if not any(costs):
        return program
    before, after = _charged(program)
    message = np.where(after >= 0, after, np.arange(len(program)))
    cycles = np.zeros(len(program), np.int64)
    for charged, overhead in ((before, config.o_send), (after >= 0, config.o_recv)):
        size = program.size[message[charged]]
        is_large = np.zeros(len(size), bool) if config.eager_limit is None else size > config.eager_limit
        nanoseconds = overhead + config.o_byte * size + config.o_copy * size * ~is_large
        if charged is before:
            nanoseconds += config.o_rendezvous * is_large
        cycles[charged] = np.rint(nanoseconds / config.cycle_ns).astype(np.int64)
    return _inserted(program, np.flatnonzero(cycles), cycles, before)


def _charged(program: Program) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which operations are sends, and for those that complete a receive its operation, else -1."""
    foreign = program.peer != program.task_of()
    sends = foreign & ((program.kind == Op.SEND) | (program.kind == Op.ISEND))
    opener = openers(program)
    own = np.where(program.kind == Op.RECV, np.arange(len(program)), -1)
    receive = np.where(program.kind == Op.WAIT, opener, own)
    receives = (receive >= 0) & foreign[receive] & np.isin(program.kind[receive], (Op.RECV, Op.IRECV))
    return sends, np.where(receives, receive, -1)


def _inserted(
    program: Program, charged: NDArray[np.int64], cycles: NDArray[np.int64], before: NDArray[np.bool_]
) -> Program:
    """Return `program` with a computation before, or otherwise after, each of the operations `charged`."""
    places = charged + ~before[charged]
    # A computation belongs to its operation: what began before operation i still does.
    shift = np.concatenate([[0], np.cumsum(cycles > 0)])
    columns: dict[str, Any] = {
        name: np.insert(getattr(program, name), places, value)
        for name, value in (("peer", -1), ("tag", 0), ("request", -1))
    }
    marks = program.marks.copy()
    marks[:, 1] += shift[marks[:, 1]]
    return replace(
        program,
        first=program.first + shift[program.first],
        kind=np.insert(program.kind, places, np.int8(Op.COMPUTE)),
        size=np.insert(program.size, places, cycles[charged]),
        marks=marks,
        sections={name: bounds + shift[bounds] for name, bounds in program.sections.items()},
        **columns,
    )
