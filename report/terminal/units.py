"""Units in which times are read: what is stored is in seconds."""

from __future__ import annotations

from collections.abc import Iterable

from netplace.report.terminal.screen import number

__all__ = ["span", "time_unit"]

_UNITS = ((3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def time_unit(seconds: Iterable[float]) -> tuple[float, str]:
    """Return the unit, in seconds, and its name, in which most of the times are at least 10 large."""
    known = sorted(abs(value) for value in seconds if value and value == value)
    middle = known[len(known) // 2] if known else 0.0
    return next(
        ((size, name) for size, name in _UNITS if middle >= 10 * size), _UNITS[-1] if middle else _UNITS[1]
    )


def span(seconds: float) -> str:
    """Return a time in a unit in which it is neither large nor small, as in ``"12.5 h"``."""
    size, name = time_unit([seconds])
    return f"{number(seconds / size, 1)} {name}"
