"""Names of nodes: those of a file that goes with a network, and lists of them as Slurm writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from netplace.topologies.topology import Topology

__all__ = ["host_list", "with_hosts"]

Kind = TypeVar("Kind", bound=Topology)
_NUMBERED = re.compile(r"(.*?)(\d+)")


def with_hosts(of: Kind, names: Iterable[str]) -> Kind:
    """Give a network that has just been made the names of its nodes, in their order, and return it."""
    object.__setattr__(of, "_hosts", tuple(names))
    return of


def host_list(names: Iterable[str]) -> str:
    """Return names as a list of hosts with ranges, in their order: what `netplace.topologies.slurm` expands.

    Examples
    --------
    >>> host_list(["n08", "n09", "n10", "login", "n3"])
    'n[08-10],login,n3'
    """
    parts: list[tuple[str, list[list[str]]]] = []  # prefix, and runs of numbers as they are written
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if not match:
            parts.append((name, []))
            continue
        prefix, digits = match.groups()
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
