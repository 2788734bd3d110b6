"""Units in which times are read; stored times are in seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable

from netplace.quantities import Quantity

KWH = 3.6e6  # joules
# Of units in which people do not read: the unit in which they do, and the factor.
_READ_IN = {"share": ("%", 100.0), "J": ("kWh", 1 / KWH), "J s": ("MWh h", 1 / KWH / 3600 / 1000)}
_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def seconds_unit(seconds: float, minimum: float = 3.0, without: tuple[str, ...] = ()) -> tuple[float, str]:
    """Return the seconds and the name of the largest unit of which a time has at least `minimum`."""
    known = [(size, name) for size, name in _UNITS if name not in without]
    return next(((size, name) for size, name in known if seconds >= minimum * size), known[-1])


def time_unit(seconds: Iterable[float | None]) -> tuple[float, str]:
    """Return the unit, in seconds, and its name, in which most of the times are at least 10 large."""
    known = sorted(abs(value) for value in seconds if value and value == value)
    return seconds_unit(known[len(known) // 2], 10, ("min", "ns")) if known else (1.0, "s")


def scaled(quantity: Quantity, values: Iterable[float | None]) -> tuple[str, float]:
    """Return the heading of a figure with the unit in which people read its values, and their factor."""
    if quantity.unit in _READ_IN:
        unit, factor = _READ_IN[quantity.unit]
        return quantity.in_unit(unit), factor
    if quantity.unit == "s":
        size, unit = time_unit(values)
        return quantity.in_unit(unit), 1 / size
    return quantity.heading, 1.0


def measured(mean: float, half: float | None = None) -> str:
    """Return a mean and half of its interval to one digit of the half, two if it begins with 1 or 2.

    A mean alone has three digits.
    """
    known = half is not None and 0 < half < math.inf
    place = half / 3 if known and half else abs(mean) / 100 or 1.0
    digits = min(6, max(0, -math.floor(math.log10(place))))
    return f"{mean:,.{digits}f}" + (f" ± {half:,.{digits}f}" if known else "")


def whole_part_kept(value: float) -> str:
    """Return a number in six digits, or in as many as its whole part has: ``"831,914"``, ``"1,234,568"``."""
    return f"{value:,.6g}" if abs(value) < 1e6 or not math.isfinite(value) else f"{value:,.0f}"
