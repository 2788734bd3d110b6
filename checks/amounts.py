"""Numbers from users: integers and floats, each within bounds."""

from __future__ import annotations

import math
import re

from netplace.checks.display import abbreviate

MOST = 2**62  # the largest whole number that is taken anywhere: sums of two fit into 64 bits


def check_int(value: object, what: str, least: int = 1, most: int = MOST) -> int:
    """Return `value`, perhaps text, as a whole number from `least` to `most`; `what` names it in errors."""
    try:
        number = int(str(value))
    except ValueError:
        raise ValueError(f"{what}: {abbreviate(value)} is not a whole number") from None
    if number < least:
        raise ValueError(f"{what}: {abbreviate(number)} is too small, expected at least {least}")
    if number > most:
        raise ValueError(f"{what}: {abbreviate(number)} is too large, expected at most {most}")
    return number


def check_ranges(text: str, what: str, most: int = MOST, between: str = ",") -> list[range]:
    """Return the ranges, from 0 to `most`, of a list such as ``0-3,8``; `what` names a number in errors."""
    ranges = []
    for word in text.split(between):
        low, dash, high = word.partition("-")
        first = check_int(low, what, 0, most)
        last = check_int(high, what, 0, most) if dash else first
        if last < first:
            raise ValueError(f"{what}: range {abbreviate(word)} is decreasing")
        ranges.append(range(first, last + 1))
    return ranges


def check_float(value: object, what: str, least: float = 0.0, most: float = math.inf) -> float:
    """Return `value`, perhaps text, as a finite number from `least` to `most`; `what` names it in errors."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{what}: {abbreviate(value)} is not a number")
    if number < least:
        raise ValueError(f"{what}: {number:g} is too small, expected at least {least:g}")
    if number > most:
        raise ValueError(f"{what}: {number:g} is too large, expected at most {most:g}")
    return number


_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)


def check_bytes(value: object, what: str) -> int:
    """Return a size in bytes, perhaps text with a unit: ``64``, ``"1KB"`` (1,000), ``"4 KiB"`` (4,096)."""
    match = _BYTES.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(f"{what}: {abbreviate(value)} is not a size, expected one such as 1024, 1KB or 1KiB")
    number, prefix, binary = match.groups()
    unit = (1024 if binary else 1000) ** ("kmgt".index(prefix.lower()) + 1) if prefix else 1
    amount = float(number) * unit
    if amount != int(amount):
        raise ValueError(f"{what}: {abbreviate(value)} is not a whole number of bytes")
    return check_int(int(amount), what, 0)
