"""Files that say which nodes of a machine are held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.files import text_of
from netplace.inputs import abbreviate, check_ranges
from netplace.topologies.host_lists import expand


def read_held(path: Path, nodes: int, hosts: Sequence[str] = ()) -> NDArray[np.int64]:
    """Return for each node the line, from 0, that names it, or -1; `hosts` are the names of the nodes."""
    lines = text_of(path).splitlines()
    holder = np.full(nodes, -1, np.int64)
    numbers = {name: node for node, name in enumerate(hosts)}
    job = 0
    for number, line in enumerate(lines, 1):
        text, where = line.partition("#")[0].strip(), f"{path}:{number}"
        named = _named(text, numbers, where) if hosts and text and not text[0].isdigit() else None
        for node in _numbered(text, nodes, where) if named is None else named:
            if holder[node] >= 0:
                raise ValueError(f"{where}: node {hosts[node] if hosts else node} appears twice")
            holder[node] = job
        job += bool(text)
    return holder


def _numbered(text: str, nodes: int, where: str) -> Iterator[int]:
    """Yield the nodes of numbers and ranges."""
    if words := text.replace(",", " ").split():
        yield from chain(*check_ranges(",".join(words), f"{where}: node", nodes - 1))


def _named(text: str, numbers: Mapping[str, int], where: str) -> Iterator[int]:
    """Yield the nodes of a list of hosts."""
    for name in expand(",".join(text.split()).replace(",,", ","), where):
        if name not in numbers:
            known = next(iter(numbers))
            raise ValueError(
                f"{where}: {abbreviate(name)} is not a host of the machine, expected a host such as {known}"
            )
        yield numbers[name]
