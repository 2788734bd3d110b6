"""Limits of size: objects are counted before they are built, and refused if they need too much memory."""

from __future__ import annotations

MOST_BYTES = 4 << 30  # of one object: a small file or text can describe a large one
MOST_STEPS = 10**13  # of what takes some nanoseconds each: days
_MANY = 10**15  # beyond it no number is written out


def check_size(count: int, bytes_each: int, what: str, where: str) -> None:
    """Check that so many items of `bytes_each` at the peak fit into memory.

    `what` names the items, such as ``"cables"``; `where` says where the number comes from.
    """
    need = count * bytes_each
    if need > MOST_BYTES:
        raise ValueError(
            f"{where}: too large, {_number(count)} {what} would take {gigabytes(need)} of memory, expected "
            f"at most {gigabytes(MOST_BYTES)}"
        )


def check_steps(count: int, what: str, where: str) -> None:
    """Check that a number of steps, each of a few nanoseconds, is feasible; see `check_size`."""
    if count > MOST_STEPS:
        raise ValueError(f"{where}: {_number(count)} {what} would take days, expected at most {MOST_STEPS:,}")


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MANY else "over 10**15"


def gigabytes(count: int) -> str:
    if count > 10**24:
        return "over 10**15 GB"
    return f"{count / 1e9:,.1f} GB"
