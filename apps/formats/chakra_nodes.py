"""Nodes of Chakra traces, and an order of them that dependencies allow."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from netplace.apps.formats.protobuf import fields, signed, varints

__all__ = ["COLL", "COMP", "RECV", "SEND", "Node", "attribute_of", "in_order", "node_of"]

COMP, SEND, RECV, COLL = 4, 5, 6, 7


@dataclass
class Node:
    """A node of a graph: what it does, and the nodes that it waits for."""

    number: int = 0
    name: str = ""
    kind: int = 0
    micros: int = 0
    control: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    inputs: bytes = b""
    attributes: dict[str, int | bytes] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """Name of the process group of a collective; empty: all."""
        named = self.attributes.get("pg_name", b"")
        return named.decode("utf-8", "replace") if isinstance(named, bytes) else str(named)

    def integer(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number of any type."""
        value = self.attributes.get(name, default)
        return signed(value) if isinstance(value, int) else default

    @property
    def is_host_call(self) -> bool:
        """Whether it is the host's part of what another node does."""
        return self.kind == COLL and (
            bool(self.attributes.get("is_cpu_op", 0)) or "comm_size" not in self.attributes
        )


def node_of(message: bytes) -> Node:
    """Return the node of a message."""
    node = Node()
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            node.number = value
        elif number == 2 and isinstance(value, bytes):
            node.name = value.decode("utf-8", "replace")
        elif number == 8 and isinstance(value, bytes):
            node.inputs = value
        elif number == 3 and isinstance(value, int):
            node.kind = value
        elif number == 4:
            node.control += varints(value)
        elif number == 5:
            node.data += varints(value)
        elif number == 7 and isinstance(value, int):
            node.micros = value
        elif number == 10 and isinstance(value, bytes):
            name, given = attribute_of(value)
            node.attributes[name] = given
    return node


def attribute_of(message: bytes) -> tuple[str, int | bytes]:
    """Return name and value; a value that is not there is 0."""
    name, content = "", 0
    for number, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            name = value.decode("utf-8", "replace")
        elif number > 2:
            content = value  # type: ignore[assignment]
    return name, content


def in_order(nodes: list[Node], control: bool) -> list[Node]:
    """Return nodes so that each comes after those that it depends on: sends first, receives last.

    Parameters
    ----------
    nodes : list of Node
        In the order of the file. Dependencies on others than these, and on itself, count as met.
    control : bool
        Whether control dependencies count.
    """
    place = {node.number: at for at, node in enumerate(nodes)}
    waiting = [0] * len(nodes)
    following: list[list[int]] = [[] for _ in nodes]
    for at, node in enumerate(nodes):
        for number in (*node.data, *(node.control if control else ())):
            before = place.get(number, at)
            if before != at:
                waiting[at] += 1
                following[before].append(at)
    rank = {SEND: 0, RECV: 2}
    ready = [(rank.get(node.kind, 1), at) for at, node in enumerate(nodes) if not waiting[at]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, at = heapq.heappop(ready)
        order.append(nodes[at])
        for after in following[at]:
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, (rank.get(nodes[after].kind, 1), after))
    if len(order) < len(nodes):
        stuck = next(node.number for at, node in enumerate(nodes) if waiting[at])
        raise ValueError(
            f"node {stuck}: is one of {len(nodes) - len(order)} that depend on each other in a circle"
        )
    return order
