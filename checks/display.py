"""Values and sentences in errors, shortened if they are long."""

from __future__ import annotations

import html
import re

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
