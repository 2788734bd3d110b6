"""Limits of size: objects are counted before they are built, and refused if they need too much memory."""

from __future__ import annotations

from netplace.checks.content import MEMORY_LIMIT, memory_limit

MOST_STEPS = 10**13  # of what takes some nanoseconds each: days
_MANY = 10**15  # beyond it no number is written out


def check_size(count: int, bytes_each: int, what: str, where: str) -> None:
    """Check that an object fits into the memory limit.

    Parameters
    ----------
    count : int
        Number of items, determined before any of them is made.
    bytes_each : int
        Peak bytes per item.
    what : str
        Name of the items, such as ``"cables"``.
    where : str
        Origin of the number: a text form, a file and line, or a flag.

    Raises
    ------
    ValueError
        If the items need more than `memory_limit`.
    """
    need, limit = count * bytes_each, memory_limit()
    if need > limit:
        raise ValueError(
            f"{where}: too large, {_number(count)} {what} would take {gigabytes(need)} of memory, expected "
            f"at most {gigabytes(limit)}; raise the limit with netplace --memory-limit, or {MEMORY_LIMIT} in "
            "the environment"
        )


def check_steps(count: int, what: str, where: str) -> None:
    """Check that an amount of work is feasible.

    Parameters
    ----------
    count : int
        Number of steps, each of which takes a few nanoseconds.
    what : str
        Name of the steps, such as ``"cycles of nodes"``.
    where : str
        Origin.

    Raises
    ------
    ValueError
        If the number exceeds `MOST_STEPS`.
    """
    if count > MOST_STEPS:
        raise ValueError(f"{where}: {_number(count)} {what} would take days, expected at most {MOST_STEPS:,}")


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MANY else "over 10**15"


def gigabytes(count: int) -> str:
    if count > 10**24:
        return "over 10**15 GB"
    return f"{count / 1e9:,.1f} GB"
