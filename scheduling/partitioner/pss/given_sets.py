"""Sets that no topology tells: racks, power lines or line cards, as a component of their own."""

from __future__ import annotations

import re
from pathlib import Path

from netplace.checks.display import abbreviate
from netplace.checks.inputs import input_file

__all__ = ["given_sets"]

Level = list[tuple[list[int], int]]
_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def given_sets(text: str, nodes: int) -> Level:
    """Return sets of nodes, each of weight 1.

    Parameters
    ----------
    text : str
        ``cards:12`` for so many consecutive nodes a set, the last one maybe smaller; or the path of a file
        with a set on each line: nodes and ranges of nodes such as ``0-11, 24``; ``#`` begins a comment.
    nodes : int
        Nodes of the machine.
    """
    name, _, option = text.partition(":")
    if name == "cards" and not Path(text).exists():
        if not re.fullmatch(r"0*[1-9]\d{0,8}", option):
            raise ValueError(f"processor sets {abbreviate(text)}: expected a form such as cards:12")
        size = int(option)
        return [(list(range(first, min(first + size, nodes))), 1) for first in range(0, nodes, size)]
    try:
        lines = input_file(text).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text}: is not a text file") from None
    sets = []
    for number, line in enumerate(lines, 1):
        if words := line.partition("#")[0].replace(",", " ").split():
            sets.append((_members(words, nodes, f"{text}:{number}"), 1))
    if not sets:
        raise ValueError(f"{text}: there is no set, expected lines such as 0-11, 24")
    return sets


def _members(words: list[str], nodes: int, where: str) -> list[int]:
    """Return the nodes of a line."""
    members: set[int] = set()
    for word in words:
        part = _PART.fullmatch(word)
        if part is None:
            raise ValueError(f"{where}: {abbreviate(word)} is no node, nor a range such as 0-11")
        low, high = int(part[1]), int(part[2] or part[1])
        if high < low or high >= nodes:
            raise ValueError(f"{where}: {abbreviate(word)} is no node or range of 0..{nodes - 1}")
        here = set(range(low, high + 1))
        if twice := members & here:
            raise ValueError(f"{where}: node {min(twice)} is named twice")
        members |= here
    return sorted(members)
