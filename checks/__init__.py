"""Checks of what a user gave; the bottom layer, importing nothing of the project.

Every function raises ``ValueError`` with one sentence that names the value, what was expected and
where it came from. The command line turns such an error into that sentence and exit code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["one_of", "whole"]


def one_of(value: str, options: Iterable[str], what: str) -> str:
    """Return `value` if it is one of `options`, else offer the nearest names.

    Parameters
    ----------
    value : str
        What the user wrote.
    options : iterable of str
        The valid names.
    what : str
        What the value is and where it came from, such as ``"--arbiter"`` or ``"network kind"``.

    Raises
    ------
    ValueError
        If `value` is not an option.
    """
    names = list(options)
    if value in names:
        return value
    near = difflib.get_close_matches(value.lower(), names, n=3, cutoff=0.5)
    listed = f"valid: {', '.join(names)}"
    hint = f"did you mean {' or '.join(near)}? ({listed})" if near else listed
    raise ValueError(f"{what}: unknown name {value!r}; {hint}")


def whole(value: object, what: str, least: int = 1) -> int:
    """Return `value` as an int if it is a whole number of at least `least`.

    Parameters
    ----------
    value : object
        An integer, or text that spells one.
    what : str
        What the value is and where it came from.
    least : int
        Smallest allowed value.

    Raises
    ------
    ValueError
        If `value` is not a whole number or is too small.
    """
    try:
        number = int(str(value))
    except ValueError:
        raise ValueError(f"{what}: {value!r} is not a whole number") from None
    if number < least:
        raise ValueError(f"{what}: {number} is too small, expected at least {least}")
    return number
