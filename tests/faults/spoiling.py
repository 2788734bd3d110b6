"""What is done to the content of a good file."""

import gzip
import re
from collections.abc import Callable

import numpy as np

__all__ = ["MILD", "TOKENS", "spoil"]

Rng = np.random.Generator

TOKENS = (
    "-1", "0", "1e308", "1e-320", "inf", "-inf", "nan", "9223372036854775807", "9223372036854775808",
    "4611686018427387904", "2147483648", "1" *40, "9" *5000, "a" *5000, "[/x]", "[bold]", "$x$", "$\\frac",
    "", " ", "\t", "\x00", "\x1b[2J", "é", "\uff11\uff12", "1_000", "0x10", "true", "null", "''", '"', ",",
    ";", ":", "#", "{", "}", "[", "]", "=", "../..", "/", "x.py:f", "os:getcwd", "%s", "{0}", "-", "--",
    "1.5", "-0.0", "1e3", "999999999999999999", "torus:1", "tree:1,1", "mesh:0", "random", "best:9999999",
    "td:seconds=1e9", "12:5",
)  # fmt: skip
# Values that are often valid, so that what is wrong comes to light late.
MILD = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "15",
    "16",
    "17",
    "64",
    "100",
    "1000",
    "65536",
    "1000000",
    "0.5",
    "2.0",
    "-1",
    "-2",
)
_NUMBER = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?")


def spoil(content: bytes, rng: Rng, binary: bool = False) -> tuple[bytes, tuple[str, ...]]:
    """Return `content` with one to three things done to it, and their names."""
    known = BINARY if binary else TEXT
    names = [str(name) for name in rng.choice(sorted(known), int(rng.choice([1, 1, 1, 2, 3])))]
    for name in names:
        content = known[name](content, rng)
    if not binary and rng.random() < 0.08:
        content = gzip.compress(content, mtime=0)
        names.append("gzip")
    return content, tuple(names)


def _token(rng: Rng) -> bytes:
    tokens = MILD if rng.random() < 0.4 else TOKENS
    return tokens[int(rng.integers(len(tokens)))].encode()


def _place(content: bytes, rng: Rng) -> int:
    return int(rng.integers(len(content) + 1))


def _number(content: bytes, rng: Rng) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    one = found[int(rng.integers(len(found)))]
    return content[: one.start()] + _token(rng) + content[one.end() :]


def _word(content: bytes, rng: Rng) -> bytes:
    found = list(re.finditer(rb"[^\s,:=\"]+", content))
    if not found:
        return content
    one = found[int(rng.integers(len(found)))]
    return content[: one.start()] + _token(rng) + content[one.end() :]


def _insert(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[:at] + _token(rng) + content[at:]


def _delete(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[:at] + content[at + int(rng.integers(1, 40)) :]


def _cut(content: bytes, rng: Rng) -> bytes:
    return content[: _place(content, rng)]


def _flip(content: bytes, rng: Rng) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 8)) if changed else 0):
        changed[int(rng.integers(len(changed)))] = int(rng.integers(256))
    return bytes(changed)


def _line(content: bytes, rng: Rng) -> bytes:
    lines = content.split(b"\n")
    del lines[int(rng.integers(len(lines)))]
    return b"\n".join(lines)


def _again(content: bytes, rng: Rng) -> bytes:
    lines = content.split(b"\n")
    first = int(rng.integers(len(lines)))
    last = first + int(rng.integers(1, 6))
    return b"\n".join(lines[:last] + lines[first:last] * int(rng.integers(1, 4)) + lines[last:])


def _swap(content: bytes, rng: Rng) -> bytes:
    lines = content.split(b"\n")
    first, second = rng.integers(len(lines), size=2)
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _ends(content: bytes, rng: Rng) -> bytes:
    return content.replace(b"\n", (b"\r\n", b"\r", b"\n\n", b"\x0b")[int(rng.integers(4))])


def _nested(content: bytes, rng: Rng) -> bytes:
    deep = int(rng.choice([50, 3000, 100_000]))
    return content + b"\nx = " + b"[" * deep + b"]" * int(deep * rng.integers(2))


def _zeros(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[:at] + bytes(int(rng.integers(1, 64))) + content[at + 64 :]


def _pages(content: bytes, rng: Rng) -> bytes:
    """Let two pages of 4096 bytes change places."""
    pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
    if len(pages) > 2:
        first, second = rng.integers(1, len(pages), size=2)
        pages[first], pages[second] = pages[second], pages[first]
    return b"".join(pages)


TEXT: dict[str, Callable[[bytes, Rng], bytes]] = {
    "again": _again, "cut": _cut, "delete": _delete, "ends": _ends, "flip": _flip, "insert": _insert,
    "line": _line, "nested": _nested, "number": _number, "number again": _number, "swap": _swap,
    "word": _word, "word again": _word,
}  # fmt: skip
BINARY: dict[str, Callable[[bytes, Rng], bytes]] = {
    "cut": _cut, "delete": _delete, "flip": _flip, "insert": _insert, "number": _number, "pages": _pages,
    "zeros": _zeros,
}  # fmt: skip
