"""Kinds of operation that a task's program is made of."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Op"]


class Op(IntEnum):
    """Kinds of operation. The numbers are stored in arrays and files: do not renumber."""

    COMPUTE = 0
    SEND = 1
    ISEND = 2
    RECV = 3
    IRECV = 4
    WAIT = 5
