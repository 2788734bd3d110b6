"""Chakra execution traces: a graph of operations for each NPU, in files ``NAME.0.et``, ``NAME.1.et``, ..

A file is a sequence of protocol buffers, `GlobalMetadata` and then nodes (``et_def.proto`` of MLCommons'
Chakra, schemas 0.0.4 to 1.0.2). Nodes are put in an order that their dependencies allow: sends as soon as
they can be, and receives as late. A node that depends on one that is not in the file does not wait for it.
Sizes are those of ASTRA-sim: of an all-reduce, all-gather or broadcast what each NPU gives, of an all-to-all
or reduce-scatter what it has for all. Collectives are those nodes that are not the host's call of one; they
are on all NPUs, since the file does not tell the members of a process group.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.errors import named
from netplace.apps.formats.protobuf import delimited, fields, signed, varints
from netplace.apps.formats.stream import whole_content
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.checks import shown

__all__ = ["files", "open_chakra", "recognises"]

_COMP, _SEND, _RECV, _COLL = 4, 5, 6, 7
_NODES = {
    1: "METADATA_NODE",
    2: "MEM_LOAD_NODE",
    3: "MEM_STORE_NODE",
    _COMP: "COMP_NODE",
    _SEND: "COMM_SEND_NODE",
    _RECV: "COMM_RECV_NODE",
    _COLL: "COMM_COLL_NODE",
}
_OPERATIONS = (
    *("allreduce", "reduce", "allgather", "gather", "scatter", "bcast", "alltoall"),
    *("reduce_scatter", "reduce_scatter", "barrier"),
)
_SHARED = ("alltoall", "scatter")  # whose size is for all NPUs together
_SCHEMAS = ("0.0.1", "0.0.4", "1.0.1", "1.0.2", "1.0.2-chakra.0.0.4")
_FILE = re.compile(r"(?P<name>.*)\.(?P<npu>\d+)\.et")
_TAG_MASK = (1 << 31) - 1
_HELD = 20  # bytes in memory for each of a file, whose nodes are put in order


def recognises(path: Path, head: bytes) -> bool:
    """Tell by its name whether a file, or what is in a folder, is such a trace."""
    if path.is_dir():
        return any(_FILE.fullmatch(item.name) for item in path.iterdir())
    return _FILE.fullmatch(path.name) is not None or path.name.endswith(".et")


def files(path: Path) -> list[Path]:
    """Return the files of all NPUs, in order of NPU."""
    match = _FILE.fullmatch(path.name)
    if path.is_dir():
        found = {m["name"] for item in path.iterdir() if (m := _FILE.fullmatch(item.name))}
        if len(found) > 1:
            raise ValueError(f"{path}: holds several traces, {', '.join(sorted(found))}; name a file of one")
        folder, name = path, found.pop()
    elif match is None:
        return [path]
    else:
        folder, name = path.parent, match["name"]
    mine = [
        (int(m["npu"]), item)
        for item in folder.iterdir()
        if (m := _FILE.fullmatch(item.name)) and m["name"] == name
    ]
    return [item for _, item in sorted(mine)]


def open_chakra(path: Path, reading: Reading) -> Trace:
    """Open an execution trace; see `netplace.apps.formats.open_trace`."""
    return _Reader(files(path), reading).trace


@dataclass
class _Node:
    """A node of a graph: what it does, and the nodes that it waits for."""

    number: int = 0
    kind: int = 0
    micros: int = 0
    control: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    attributes: dict[str, int | bytes] = field(default_factory=dict)

    def whole(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number of any type."""
        value = self.attributes.get(name, default)
        return signed(value) if isinstance(value, int) else default

    @property
    def is_host_call(self) -> bool:
        """Whether it is the host's part of what another node does."""
        return self.kind == _COLL and (
            bool(self.attributes.get("is_cpu_op", 0)) or "comm_size" not in self.attributes
        )


@dataclass
class _Reader:
    """Reads the files of the NPUs one after the other."""

    files: list[Path]
    reading: Reading
    writer: CallWriter = field(default_factory=CallWriter)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    schemas: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        numbers = [int(match["npu"]) for item in self.files if (match := _FILE.fullmatch(item.name))]
        self.ranks = numbers or [0]
        self.trace = Trace(max(self.ranks) + 1, self._batches())

    def _batches(self) -> Iterator[Batch]:
        for rank, path in zip(self.ranks, self.files, strict=True):
            with named(path):
                self._read(rank, whole_content(path, self.reading, _HELD))
            yield from self.writer.full()
        yield from self.writer.rest()
        self._tell()

    def _read(self, rank: int, data: bytes) -> None:
        messages = delimited(data)
        self._metadata(next(messages, b""))
        nodes = [_node(message) for message in messages]
        self.counts["nodes_of_npu"][str(rank)] = len(nodes)
        place = {node.number: at for at, node in enumerate(nodes)}
        for node in nodes:
            self._count(node, place)
        on_device = any(node.kind == _COMP and not node.whole("is_cpu_op", 1) for node in nodes)
        for node in self._ordered(nodes):
            self._add(rank, node, on_device)

    def _ordered(self, nodes: list[_Node]) -> list[_Node]:
        """Return nodes in an order that dependencies allow; those of data alone, if others go in circles."""
        try:
            return _in_order(nodes, control=True)
        except ValueError:
            order = _in_order(nodes, control=False)
        note = "control dependencies go in circles: the order is that of data dependencies"
        if note not in self.trace.notes:
            self.trace.notes.append(note)
        return order

    def _metadata(self, message: bytes) -> None:
        version = ""
        for number, value in fields(message):
            if number == 1 and isinstance(value, bytes):
                version = value.decode("utf-8", "replace")
            elif number == 2 and isinstance(value, bytes):
                name, given = _attribute(value)
                if name == "schema" and isinstance(given, bytes):
                    version = given.decode("utf-8", "replace")
        if version and version not in _SCHEMAS:
            raise ValueError(f"schema {shown(version)} is not known, expected one of {', '.join(_SCHEMAS)}")
        self.schemas.add(version)

    def _count(self, node: _Node, place: dict[int, int]) -> None:
        if node.kind not in _NODES:
            raise ValueError(
                f"node {node.number}: type {node.kind} is not known, expected 1 to {max(_NODES)}"
            )
        name = _NODES[node.kind]
        self.counts["nodes"][name] += 1
        self.counts["duration_micros"][name] += node.micros
        self.counts["dependencies"]["ctrl"] += len(node.control)
        self.counts["dependencies"]["data"] += len(node.data)
        for number in (*node.control, *node.data):
            self.counts["dependencies"]["absent"] += number not in place
            self.counts["dependencies"]["later"] += place.get(number, -1) >= place[node.number]

    def _add(self, rank: int, node: _Node, on_device: bool) -> None:
        """Add what a node does; computation of the host does not count where the device's is recorded."""
        size, tag = node.whole("comm_size"), node.whole("comm_tag") & _TAG_MASK
        if node.kind == _SEND:
            self._message(node, "comm_dst")
            self.writer.add(rank, Call.ISEND, node.whole("comm_dst"), size, tag, request=node.number)
        elif node.kind == _RECV:
            self._message(node, "comm_src")
            self.writer.add(rank, Call.RECV, node.whole("comm_src"), size, tag)
        elif node.kind == _COLL and not node.is_host_call:
            self._collective(rank, node, size)
        elif node.kind == _COMP and node.micros and not (on_device and node.whole("is_cpu_op", 1)):
            self.writer.add(rank, Call.COMPUTE, gap=node.micros * 1e-6)

    def _message(self, node: _Node, end: str) -> None:
        if end not in node.attributes:
            raise ValueError(f"node {node.number}: has no {end}, which {_NODES[node.kind]} needs")
        if not 0 <= node.whole(end) < self.trace.ranks:
            raise ValueError(
                f"node {node.number}: {end} is {node.whole(end)}, and there are {self.trace.ranks} NPUs"
            )

    def _collective(self, rank: int, node: _Node, size: int) -> None:
        kind = node.whole("comm_type")
        if not 0 <= kind < len(_OPERATIONS):
            raise ValueError(f"node {node.number}: comm_type {kind} is not known")
        name = _OPERATIONS[kind]
        if name in _SHARED:
            size //= self.trace.ranks
        root = node.whole("comm_src") if name in ("reduce", "gather", "scatter", "bcast") else -1
        self.writer.add(rank, Call.COLLECTIVE, root, size, OPERATIONS.index(name))

    def _tell(self) -> None:
        dependencies = self.counts["dependencies"]
        self.trace.facts.update(
            format="chakra",
            schema_versions=sorted(self.schemas),
            npus_with_a_file=len(self.files),
            nodes=dict(sorted(self.counts["nodes"].items())),
            nodes_of_npu=dict(self.counts["nodes_of_npu"]),
            duration_micros=dict(sorted(self.counts["duration_micros"].items())),
            dependencies={name: dependencies[name] for name in ("ctrl", "data")},
            dependencies_on_absent_nodes=dependencies["absent"],
            dependencies_on_later_nodes=dependencies["later"],
            collective_nodes=self.counts["nodes"]["COMM_COLL_NODE"],
        )
        if len(self.files) < self.trace.ranks:
            self.trace.notes.append(f"{len(self.files)} of {self.trace.ranks} NPUs have a file")


def _node(message: bytes) -> _Node:
    node = _Node()
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            node.number = value
        elif number == 3 and isinstance(value, int):
            node.kind = value
        elif number == 4:
            node.control += varints(value)
        elif number == 5:
            node.data += varints(value)
        elif number == 7 and isinstance(value, int):
            node.micros = value
        elif number == 10 and isinstance(value, bytes):
            name, given = _attribute(value)
            node.attributes[name] = given
    return node


def _attribute(message: bytes) -> tuple[str, int | bytes]:
    """Return name and value; a value that is not there is 0."""
    name, found = "", 0
    for number, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            name = value.decode("utf-8", "replace")
        elif number > 2:
            found = value  # type: ignore[assignment]
    return name, found


def _in_order(nodes: list[_Node], control: bool) -> list[_Node]:
    """Return nodes so that each comes after those that it depends on: sends first, receives last.

    Parameters
    ----------
    nodes : list of _Node
        In the order of the file. Dependencies on others than these, and on itself, count as met.
    control : bool
        Whether control dependencies count.

    Raises
    ------
    ValueError
        If nodes depend on each other in a circle.
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
    rank = {_SEND: 0, _RECV: 2}
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
