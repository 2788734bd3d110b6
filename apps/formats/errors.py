"""How a trace file's errors speak."""

from __future__ import annotations

__all__ = ["TraceError"]


class TraceError(ValueError):
    """What is wrong with a line of a trace file.

    Attributes
    ----------
    line : int
        Number of the line, from 1.
    reason : str
        What is wrong with it.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason
