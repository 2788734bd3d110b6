"""Networks with nodes that do not compute: service nodes and missing nodes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from netplace.checks import check_int, check_ranges
from netplace.topologies.topology import Topology

__all__ = ["marked", "with_service"]

Kind = TypeVar("Kind", bound=Topology)


def with_service(of: Topology, nodes: str = "", every: int = 0, first: int = 0) -> Topology:
    """Return a network in which some nodes do not compute: nothing runs on them.

    These nodes keep their numbers and links, and packets can pass through them. No job or task is placed on
    them, and they neither create nor receive open-loop traffic (`Topology.service`).

    Parameters
    ----------
    nodes : str
        Nodes and ranges of nodes, such as ``"0+5-9"``.
    every, first : int
        Every `every`-th node from `first` on, instead of a list or in addition to it.

    Raises
    ------
    ValueError
        If a number is not a node of the network, or no node that computes remains.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> with_service(parse("torus:4x4"), every=8).service.tolist()
    [0, 8]
    """
    parts, chosen = [], set(of.service.tolist())
    if nodes:
        parts.append(f"nodes={nodes}")
        chosen.update(*check_ranges(nodes, f"service:{nodes}: node", of.nodes - 1, "+"))
    every, first = check_int(every, "service: every", 0), check_int(first, "service: first", 0)
    if every:
        parts += [f"every={every}", *([f"first={first}"] if first else [])]
        chosen.update(range(first, of.nodes, every))
    if len(chosen) == of.nodes:
        raise ValueError(f"service:{','.join(parts)}/{of}: no compute node remains")
    return marked(of, f"service:{','.join(parts)}/{of.text}", sorted(chosen))


def marked(of: Kind, text: str, nodes: Sequence[int]) -> Kind:
    """Return the same network with the given text form, in which `nodes` (in order) do not compute."""
    twin = copy.copy(of)
    object.__setattr__(twin, "text", text)
    service = np.array(nodes, np.int64)
    service.setflags(write=False)
    object.__setattr__(twin, "_service", service)
    return twin
