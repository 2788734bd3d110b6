"""Files that say which nodes of a machine are held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.checks import whole
from netplace.checks.inputs import input_file

__all__ = ["read_held"]


def read_held(path: Path, nodes: int) -> NDArray[np.int64]:
    """Return who holds each node: the number of the line, counted from 0, that names it; -1: nobody.

    Lines are jobs: nodes and ranges such as ``0-3,8`` or ``0-3 8``. Blank lines and what follows a ``#`` do
    not count.

    Parameters
    ----------
    path : Path
        The file.
    nodes : int
        Nodes of the machine.

    Returns
    -------
    ndarray of int64, shape (nodes,)

    Raises
    ------
    ValueError
        With the line, if a word is no node or range of nodes, or a node is named twice.
    OSError
        If the file cannot be read.
    """
    try:
        lines = input_file(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file") from None
    holder = np.full(nodes, -1, np.int64)
    job = 0
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(",", " ").split()
        for word in words:
            low, dash, high = word.partition("-")
            first = whole(low, f"{path}:{number}: node", 0, nodes - 1)
            last = whole(high, f"{path}:{number}: node", 0, nodes - 1) if dash else first
            if last < first:
                raise ValueError(f"{path}:{number}: range {word} runs backwards")
            taken = np.flatnonzero(holder[first : last + 1] >= 0)
            if len(taken):
                raise ValueError(f"{path}:{number}: node {first + taken[0]} is named twice")
            holder[first : last + 1] = job
        job += bool(words)
    return holder
