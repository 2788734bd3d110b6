"""Host lists in the format of Slurm: ``n[0-3,7],login1``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from netplace.inputs import abbreviate
from netplace.topologies.topology import Topology

Kind = TypeVar("Kind", bound=Topology)


def with_hosts(of: Kind, names: Iterable[str]) -> Kind:
    """Give a new network the names of its nodes, in their order, and return it."""
    object.__setattr__(of, "_hosts", tuple(names))
    return of


def with_origin(of: Kind, origin: str) -> Kind:
    """Give a new network the description of the file that it was read from, and return it."""
    object.__setattr__(of, "_origin", origin)
    return of


def node_runs(nodes: ArrayLike) -> list[tuple[int, int]]:
    """Return the first and last node of each run of consecutive nodes.

    Examples
    --------
    >>> node_runs([0, 1, 2, 8, 7])
    [(0, 2), (8, 8), (7, 7)]
    """
    numbers = np.asarray(nodes, np.int64)
    if not len(numbers):
        return []
    ends = np.flatnonzero(np.diff(numbers) != 1)
    firsts, lasts = numbers[[0, *(ends + 1)]], numbers[[*ends, len(numbers) - 1]]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def spelled(nodes: ArrayLike, between: str = ",") -> str:
    """Return nodes as text with ranges.

    Examples
    --------
    >>> spelled([0, 1, 2, 8])
    '0-2,8'
    """
    return between.join(
        str(first) if first == last else f"{first}-{last}" for first, last in node_runs(nodes)
    )


_MOST_DIGITS = 18  # of a number in a range
_MOST_BRACKETS = 16  # in a name
_MARK = re.compile(r"[][,]")
_BRACKET = re.compile(r"\[([^\]]*)\]")
_DIGITS = "0123456789"


def expand(hosts: str, where: str = "hosts") -> Iterator[str]:
    """Yield the names of a host list such as ``n[0-3,7],login1``; leading zeros are kept."""
    for part in _parts(hosts, where):
        prefix, bracket, rest = part.partition("[")
        if not bracket:
            yield part
            continue
        inside, _, suffix = rest.partition("]")
        for digits, values in _ranges(inside, part, where):
            for value in values:
                yield from expand(f"{prefix}{value:0{digits}d}{suffix}", where)


def count_hosts(hosts: str, where: str = "hosts") -> int:
    """Return the number of names that `expand` yields, without creating them.

    Examples
    --------
    >>> count_hosts("n[0-999999999],login[1-2]x[0-9]")
    1000000020
    """
    count = 0
    for part in _parts(hosts, where):
        pieces = [_ranges(inside, part, where) for inside in _BRACKET.findall(part)]
        count += math.prod(sum(values.stop - values.start for _, values in ranges) for ranges in pieces)
    return count


def _parts(hosts: str, where: str) -> Iterator[str]:
    """Yield the text between commas outside brackets."""
    begin, brackets, inside = 0, 0, False
    for match in _MARK.finditer(f"{hosts},"):
        if match[0] == ",":
            if not inside and match.start() > begin:
                yield hosts[begin : match.start()]
            if not inside:
                begin, brackets = match.end(), 0
            continue
        brackets += match[0] == "["
        if (match[0] == "[") == inside or brackets > _MOST_BRACKETS:
            break
        inside = not inside
    else:
        if not inside:
            return
    raise ValueError(
        f"{where}: {abbreviate(hosts[begin:])} is not a list of hosts, expected names with at most "
        f"{_MOST_BRACKETS} pairs of brackets, such as n[0-3]"
    )


def _ranges(inside: str, part: str, where: str) -> list[tuple[int, range]]:
    """Return the digits and the values of every piece between brackets."""
    ranges = []
    for piece in inside.split(","):
        low, dash, high = piece.partition("-")
        last = high if dash else low
        if not (_is_number(low) and _is_number(last)) or int(last) < int(low):
            raise ValueError(
                f"{where}: {abbreviate(piece)} in {abbreviate(part)} is not a range, expected a form such "
                f"as 0-3"
            )
        ranges.append((len(low), range(int(low), int(last) + 1)))
    return ranges


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def host_list(names: Iterable[str]) -> str:
    """Return names as a host list with ranges, in their order, which `expand` can read.

    Examples
    --------
    >>> host_list(["n08", "n09", "n10", "login", "n3"])
    'n[08-10],login,n3'
    """
    parts: list[tuple[str, list[list[str]]]] = []  # prefix, and runs of numbers as they are written
    for name in names:
        prefix = name.rstrip(_DIGITS)
        digits = name[len(prefix) :]
        if not 0 < len(digits) <= _MOST_DIGITS:
            parts.append((name, []))
            continue
        if parts and parts[-1][1] and parts[-1][0] == prefix:
            runs = parts[-1][1]
            last = runs[-1][-1]
            if int(digits) == int(last) + 1 and digits == f"{int(digits):0{len(last)}d}":
                runs[-1] = [runs[-1][0], digits]
            elif len(digits) == len(last):
                runs.append([digits])
            else:
                parts.append((prefix, [[digits]]))
        else:
            parts.append((prefix, [[digits]]))
    return ",".join(_written(prefix, runs) for prefix, runs in parts)


def _written(prefix: str, runs: list[list[str]]) -> str:
    words = ["-".join(run) for run in runs]
    if len(words) == 1 and "-" not in words[0]:
        return prefix + words[0]
    return f"{prefix}[{','.join(words)}]" if words else prefix
