"""Nodes that the user lists, and random ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from netplace.checks import check_int, check_ranges
from netplace.placement.rule import Nodes, PartitionRequest, read_lines


def scattered(request: PartitionRequest) -> list[Nodes]:
    """Return random nodes for each job, as many as it has tasks, in increasing order.

    The option is a seed of its own, with which the partition stays the same while the seed of the run
    changes.
    """
    rng = request.rng
    if request.option:
        rng = np.random.default_rng([check_int(request.option, "partition random: seed", 0), 2])
    drawn = rng.permutation(request.topology.computing)[: sum(request.sizes)]
    return [np.sort(part) for part in np.split(drawn, np.cumsum(request.sizes)[:-1])]


def explicit(request: PartitionRequest) -> list[Nodes]:
    """Return the nodes listed in the option, in the order listed.

    The option is a list such as ``0-3,8`` for each job, separated by slashes, or the path of a file with such
    a list on a line for each job, in which blank lines and text after a ``#`` are ignored.
    """
    if not request.option:
        raise ValueError("partition nodes: no nodes given, expected a form such as nodes:0-3,8 or nodes:FILE")
    inline = re.fullmatch(r"[-\d,/\s]+", request.option)
    if inline:
        named = [("partition nodes", word) for word in request.option.split("/")]
    else:
        named = read_lines(Path(request.option))
    if len(named) != len(request.sizes):
        where = "partition nodes" if inline else request.option
        raise ValueError(f"{where}: {len(named)} lists given for {len(request.sizes)} jobs")
    most = request.topology.nodes - 1
    return [np.concatenate(check_ranges(text, f"{what}: node", most)) for what, text in named]
