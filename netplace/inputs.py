"""Checks of user input: the lowest layer, which imports nothing else from the project.

Every function raises ``ValueError`` with one sentence that names the value, what was expected and
where it came from. The command line turns such an error into that sentence and exit code 2.
"""

from __future__ import annotations

import difflib
import html
import math
import re
from collections.abc import Iterable


class FaultsError(ValueError):
    """All faults of a file, a sentence each."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


_LISTED = 600  # characters of a list of names: those of a file may be thousands


def check_choice(value: object, options: Iterable[str], label: str) -> str:
    """Return `value` if it is one of `options`; otherwise, the error suggests the nearest names.

    `label` says in errors what the value is and where it came from, such as ``"--arbiter"``.
    """
    names = list(options)
    if isinstance(value, str) and value in names:
        return value
    written = value[:_LISTED].lower() if isinstance(value, str) else ""
    near = difflib.get_close_matches(written, names, n=3, cutoff=0.5)
    listed = f"valid: {_listed(names)}"
    hint = f"did you mean {' or '.join(near)}? ({listed})" if near else listed
    raise ValueError(f"{label}: unknown name {abbreviate(value)}; {hint}")


def _listed(names: list[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= _LISTED else text[:_LISTED].rpartition(",")[0] + ", .."


MOST = 2**62  # the largest whole number that is taken anywhere: sums of two fit into 64 bits


def check_int(value: object, label: str, minimum: int = 1, maximum: int = MOST) -> int:
    """Return `value`, perhaps text, as a whole number in its bounds; `label` names it in errors."""
    try:
        number = int(str(value))
    except ValueError:
        raise ValueError(f"{label}: {abbreviate(value)} is not a whole number") from None
    if number < minimum:
        raise ValueError(f"{label}: {abbreviate(number)} is too small, expected at least {minimum}")
    if number > maximum:
        raise ValueError(f"{label}: {abbreviate(number)} is too large, expected at most {maximum}")
    return number


def check_ranges(text: str, label: str, maximum: int = MOST, between: str = ",") -> list[range]:
    """Return the ranges, from 0 to `maximum`, of a list such as ``0-3,8``; `label` names one in errors."""
    ranges = []
    for word in text.split(between):
        low, dash, high = word.partition("-")
        first = check_int(low, label, 0, maximum)
        last = check_int(high, label, 0, maximum) if dash else first
        if last < first:
            raise ValueError(f"{label}: range {abbreviate(word)} is decreasing")
        ranges.append(range(first, last + 1))
    return ranges


def check_float(value: object, label: str, minimum: float = 0.0, maximum: float = math.inf) -> float:
    """Return `value`, perhaps text, as a finite number in its bounds; `label` names it in errors."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{label}: {abbreviate(value)} is not a number")
    if number < minimum:
        raise ValueError(f"{label}: {number:g} is too small, expected at least {minimum:g}")
    if number > maximum:
        raise ValueError(f"{label}: {number:g} is too large, expected at most {maximum:g}")
    return number


_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)


def check_bytes(value: object, label: str) -> int:
    """Return a size in bytes, perhaps text with a unit: ``64``, ``"1KB"`` (1,000), ``"4 KiB"`` (4,096)."""
    match = _BYTES.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(
            f"{label}: {abbreviate(value)} is not a size, expected one such as 1024, 1KB or 1KiB"
        )
    number, prefix, binary = match.groups()
    unit = (1024 if binary else 1000) ** ("kmgt".index(prefix.lower()) + 1) if prefix else 1
    amount = float(number) * unit
    if amount != int(amount):
        raise ValueError(f"{label}: {abbreviate(value)} is not a whole number of bytes")
    return check_int(int(amount), label, 0)


MOST_BYTES = 4 << 30  # of one object: a small file or text can describe a large one
MOST_STEPS = 10**13  # of what takes some nanoseconds each: days
_MANY = 10**15  # beyond it no number is written out


def check_size(count: int, bytes_each: int, label: str, where: str) -> None:
    """Check that so many items of `bytes_each` at the peak fit into memory.

    `label` names the items, such as ``"cables"``; `where` says where the number comes from.
    """
    need = count * bytes_each
    if need > MOST_BYTES:
        raise ValueError(
            f"{where}: too large, {_number(count)} {label} would take {gigabytes(need)} of memory, expected "
            f"at most {gigabytes(MOST_BYTES)}"
        )


def check_steps(count: int, label: str, where: str) -> None:
    """Check that a number of steps, each of a few nanoseconds, is feasible; see `check_size`."""
    if count > MOST_STEPS:
        raise ValueError(
            f"{where}: {_number(count)} {label} would take days, expected at most {MOST_STEPS:,}"
        )


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MANY else "over 10**15"


def gigabytes(count: int) -> str:
    if count > 10**24:
        return "over 10**15 GB"
    return f"{count / 1e9:,.1f} GB"


_LONGEST = 60  # characters of a value
_LONGEST_WORD = 240  # of a word of a sentence: a path may be longer than a value
_LONGEST_SENTENCE = 3000
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def abbreviate(value: object, longest: int = _LONGEST) -> str:
    """Return ``repr(value)``, with its middle omitted if it is longer than `longest` characters.

    Examples
    --------
    >>> abbreviate("torus:8x8")
    "'torus:8x8'"
    >>> abbreviate("a" * 5000, 20)
    "'aaaaaaaa .. aaaaaa'"
    """
    return _cut(_repr(value), longest)


def printable(text: str) -> str:
    r"""Return `text` with characters that a terminal would obey, or could not encode, written as escapes.

    Examples
    --------
    >>> printable("name\x1b[2J")
    'name\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def escaped(text: str) -> str:
    r"""Return `text` escaped for HTML: without markup, and without characters that cannot be displayed.

    Examples
    --------
    >>> escaped("<b>\x1b")
    '&lt;b&gt;\\x1b'
    """
    return html.escape(printable(text))


def shortened(sentence: str) -> str:
    """Return a sentence with long words shortened; a long sentence is itself shortened."""
    words = _LONG_WORD.sub(lambda match: _cut(match[0], _LONGEST), sentence)
    return _cut(printable(words), _LONGEST_SENTENCE)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no integer of more than 4300 digits
        return "a number with thousands of digits"
    except RecursionError:
        return "a deeply nested value"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 5]} .. {text[-tail - 1 :]}"
