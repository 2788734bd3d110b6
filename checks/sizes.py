"""What a text would build is counted first, and refused where it takes more memory than may be used."""

from __future__ import annotations

from netplace.checks.content import MEMORY_LIMIT, memory_limit

__all__ = ["MOST_STEPS", "check_size", "check_steps", "gigabytes"]

MOST_STEPS = 10**13  # of what takes some nanoseconds each: days
_MANY = 10**15  # beyond it no number is written out


def check_size(count: int, bytes_each: int, what: str, where: str) -> None:
    """Check that so much may be built.

    Parameters
    ----------
    count : int
        How many things, counted before any is made.
    bytes_each : int
        What each takes at the peak.
    what : str
        What they are, such as ``"cables"``.
    where : str
        Where they came from: a text form, a file and line, a flag.

    Raises
    ------
    ValueError
        If they take more than `memory_limit`.
    """
    need, limit = count * bytes_each, memory_limit()
    if need > limit:
        raise ValueError(
            f"{where}: too large, {_number(count)} {what} would take {gigabytes(need)} of memory, expected "
            f"at most {gigabytes(limit)}; raise the limit with netplace --memory-limit, or {MEMORY_LIMIT} in "
            "the environment"
        )


def check_steps(count: int, what: str, where: str) -> None:
    """Check that what is to be done could ever end.

    Parameters
    ----------
    count : int
        How many steps of some nanoseconds.
    what : str
        What they are, such as ``"cycles of nodes"``.
    where : str
        Where they came from.

    Raises
    ------
    ValueError
        If they are more than `MOST_STEPS`.
    """
    if count > MOST_STEPS:
        raise ValueError(
            f"{where}: {_number(count)} {what} would not end in days, expected at most {MOST_STEPS:,}"
        )


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MANY else "over 10**15"


def gigabytes(count: int) -> str:
    """Return a number of bytes for people; a power of ten where no float could hold it."""
    if count > 10**24:
        return "over 10**15 GB"
    return f"{count / 1e9:,.1f} GB"
