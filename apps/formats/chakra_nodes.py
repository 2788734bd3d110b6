"""Nodes of Chakra traces, in an order that satisfies the dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from netplace.apps.formats.stream import whole_content
from netplace.apps.recorded.trace import Reading
from netplace.inputs import abbreviate

# Messages in the wire format of protocol buffers, field by field.
#
# See https://protobuf.dev/programming-guides/encoding/.

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def delimited(data: bytes) -> Iterator[bytes]:
    """Yield the messages of a file in which each comes after its length."""
    place = 0
    while place < len(data):
        length, place = _varint(data, place)
        if place + length > len(data):
            raise ValueError(f"ends inside a message of {length} bytes that begins at byte {place}")
        yield data[place : place + length]
        place += length


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field: a whole number, or bytes (of a fixed number too)."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            length, place = _varint(message, place)
        elif kind in (_FIXED64, _FIXED32):
            length = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"is not a protocol buffer: field {number} is of kind {kind}")
        if not number or place + length > len(message):
            raise ValueError(f"is not a protocol buffer: field {number} ends after its message")
        yield number, message[place : place + length]
        place += length


def _varints(value: int | bytes) -> list[int]:
    """Return the numbers of a repeated field, packed or one of them."""
    if isinstance(value, int):
        return [value]
    numbers, place = [], 0
    while place < len(value):
        number, place = _varint(value, place)
        numbers.append(number)
    return numbers


def _signed(number: int) -> int:
    """Return a number of 64 bits as one with a sign."""
    return number - (1 << 64) if number >> 63 else number


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
    raise ValueError(f"is not a protocol buffer: a number without an end at byte {place}")


# Process groups of Chakra traces: which NPUs take part in a collective that names one.
#
# PyTorch's traces have them in a node called ``## process_group:init ##``, as a list of groups with
# ``pg_name`` and ``ranks``; of a group without ranks all NPUs are. ASTRA-sim has them in a file of their
# own beside the traces, ``{"1": [0, 1, 2, 3], ..}``, here ``comm_group.json``.

GROUPS_FILE = "comm_group.json"
INIT = "## process_group:init ##"
Groups = dict[str, tuple[int, ...]]
_HELD = 10  # bytes in memory for each of a file


def groups_beside(path: Path, npus: int, reading: Reading) -> Groups:
    """Return the groups of the file next to a trace; empty if there is no such file."""
    file = path.parent / GROUPS_FILE
    if not file.exists():
        return {}
    parsed = _parsed(whole_content(file, reading, _HELD), dict[str, list[int]], str(file))
    return {
        name: _members(npus, members, f"{file}: group {abbreviate(name)}") for name, members in parsed.items()
    }


class _Group(msgspec.Struct):
    pg_name: str | int
    ranks: list[int] | None = None


def groups_of_node(inputs: bytes, npus: int) -> Groups:
    """Return the groups that a node called `INIT` has among its inputs."""
    text = next((value for number, value in fields(inputs) if number == 1 and isinstance(value, bytes)), b"")
    # A list of inputs, as the field is text: of one that is itself JSON.
    listed = _parsed(text, list[Any], INIT)
    if listed and isinstance(listed[0], str):
        text = listed[0].encode()
    groups = _parsed(text, list[_Group], INIT)
    return {
        str(group.pg_name): _members(npus, group.ranks or range(npus), f"{INIT}: group {group.pg_name}")
        for group in groups
    }


def _members(npus: int, listed: Iterable[int], label: str) -> tuple[int, ...]:
    members = tuple(listed)
    if not members or len(set(members)) < len(members) or not set(members) <= set(range(npus)):
        raise ValueError(
            f"{label}: is {abbreviate(list(members))}, expected different NPUs from 0 to {npus - 1}"
        )
    return members


def _parsed(content: bytes, kind: Any, label: str) -> Any:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"{label}: is not JSON of process groups: {error}") from None


COMP, SEND, RECV, COLL = 4, 5, 6, 7


@dataclass
class Node:
    """A node of a graph: its operation, and the nodes that it waits for."""

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
        """Name of the process group of a collective; empty means all."""
        named = self.attributes.get("pg_name", b"")
        return named.decode("utf-8", "replace") if isinstance(named, bytes) else str(named)

    def integer(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number of any type."""
        value = self.attributes.get(name, default)
        return _signed(value) if isinstance(value, int) else default

    @property
    def is_host_call(self) -> bool:
        """Whether it is the host's part of the operation of another node."""
        return self.kind == COLL and (
            bool(self.attributes.get("is_cpu_op", 0)) or "comm_size" not in self.attributes
        )


def node_of(message: bytes) -> Node:
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
            node.control += _varints(value)
        elif number == 5:
            node.data += _varints(value)
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

    Dependencies on other nodes than these, and on itself, count as met; control dependencies if `control`.
    """
    import networkx as nx

    place = {node.number: at for at, node in enumerate(nodes)}
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(nodes)))
    for at, node in enumerate(nodes):
        before = (place.get(number, at) for number in (*node.data, *(node.control if control else ())))
        graph.add_edges_from((other, at) for other in before if other != at)
    rank = {SEND: 0, RECV: 2}
    order = nx.lexicographical_topological_sort(graph, lambda at: (rank.get(nodes[at].kind, 1), at))
    try:
        return [nodes[at] for at in order]
    except nx.NetworkXUnfeasible:
        raise ValueError("nodes depend on each other in a cycle") from None
