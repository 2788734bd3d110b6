"""An order of the nodes that the user wrote into a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from netplace.checks import check_int
from netplace.checks.inputs import input_file
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["order_from_file"]


def order_from_file(path: Path, topology: Topology) -> Nodes:
    """Return the order that a file gives: node numbers, apart by blanks, commas or ends of lines.

    What follows a ``#`` does not count.
    """
    try:
        lines = input_file(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file") from None
    line_of: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        for word in line.partition("#")[0].replace(",", " ").split():
            node = check_int(word, f"{path}:{number}: node", 0)
            if node >= topology.nodes:
                raise ValueError(
                    f"{path}:{number}: node {node} is not in 0..{topology.nodes - 1} of {topology}"
                )
            if node in line_of:
                raise ValueError(
                    f"{path}:{number}: node {node} comes a second time, the first is in line {line_of[node]}"
                )
            line_of[node] = number
    missing = sorted(set(range(topology.nodes)) - set(line_of))
    if missing:
        raise ValueError(
            f"{path}: node {missing[0]} is missing ({len(missing)} of the {topology.nodes} of {topology})"
        )
    return np.array(list(line_of), np.int64)
