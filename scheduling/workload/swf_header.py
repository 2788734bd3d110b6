"""Header comments of the Standard Workload Format that say how large the machine is."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["header_number", "header_of_size", "header_per_node", "machine_of", "without_size"]


def header_number(header: Sequence[str], name: str) -> int | None:
    """Return the number of a header line such as ``MaxNodes: 128``; None if there is none."""
    matches = (re.match(rf"\s*{name}:\s*(\d+)", line) for line in header)
    return next((int(match[1]) for match in matches if match and int(match[1]) > 0), None)


def machine_of(header: Sequence[str], cores: int) -> int | None:
    """Return the nodes of the machine; where processors stand for nodes, its processors."""
    processors, nodes = header_number(header, "MaxProcs"), header_number(header, "MaxNodes")
    return -(-processors // cores) if processors else nodes


def header_per_node(header: tuple[str, ...], cores: int) -> tuple[str, ...]:
    """Return the header of a workload whose sizes are in nodes."""
    machine = machine_of(header, cores)
    if cores == 1 or machine is None:
        return header
    return header_of_size(header, machine, f" Note: sizes were divided by {cores} processors of a node")


def header_of_size(header: Sequence[str], machine: int, *more: str) -> tuple[str, ...]:
    """Return a header that says so many nodes, with `more` lines at its end."""
    return (*without_size(header), f" MaxNodes: {machine}", f" MaxProcs: {machine}", *more)


def without_size(header: Sequence[str]) -> tuple[str, ...]:
    """Return a header without the lines that say how large the machine is."""
    return tuple(line for line in header if not re.match(r"\s*Max(Nodes|Procs):", line))
