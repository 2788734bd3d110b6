"""Chakra execution traces: a graph of operations for each NPU, in files ``NAME.0.et``, ``NAME.1.et``, ..

A file is a sequence of protocol buffers, `GlobalMetadata` and then nodes (``et_def.proto`` of MLCommons'
Chakra, schemas 0.0.4 to 1.0.2). Nodes are put in an order that their dependencies allow: sends as soon as
they can be, and receives as late. A node that depends on one that is not in the file does not wait for it.
Sizes are those of ASTRA-sim: for an all-reduce, all-gather or broadcast, the data of each NPU; for an
all-to-all or reduce-scatter, its data for all others. Collectives are the nodes that are not the host's call
of a collective. They run on the NPUs of the process group ``pg_name`` (see
`netplace.apps.formats.chakra_nodes`), or on all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.chakra_nodes import (
    COLL,
    COMP,
    GROUPS_FILE,
    INIT,
    RECV,
    SEND,
    Groups,
    Node,
    attribute_of,
    delimited,
    fields,
    groups_beside,
    groups_of_node,
    in_order,
    node_of,
)
from netplace.apps.formats.stream import named, whole_content
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate

_NODES = {
    1: "METADATA_NODE",
    2: "MEM_LOAD_NODE",
    3: "MEM_STORE_NODE",
    COMP: "COMP_NODE",
    SEND: "COMM_SEND_NODE",
    RECV: "COMM_RECV_NODE",
    COLL: "COMM_COLL_NODE",
}
_OPERATIONS = (
    *("allreduce", "reduce", "allgather", "gather", "scatter", "bcast", "alltoall"),
    *("reduce_scatter", "reduce_scatter", "barrier"),
)
_SHARED = ("alltoall", "scatter")  # their size is for all NPUs together
_SCHEMAS = ("0.0.1", "0.0.4", "1.0.1", "1.0.2", "1.0.2-chakra.0.0.4")
_FILE = re.compile(r"(?P<name>.*)\.(?P<npu>\d+)\.et")
_TAG_MASK = (1 << 31) - 1
_HELD = 20  # bytes in memory for each byte of a file


def recognises(path: Path, head: bytes) -> bool:
    """Return whether a file, or the contents of a folder, is such a trace, by its name."""
    if path.is_dir():
        return any(_FILE.fullmatch(item.name) for item in path.iterdir())
    return _FILE.fullmatch(path.name) is not None or path.name.endswith(".et")


def files(path: Path) -> list[Path]:
    """Return the files of all NPUs, in order of NPU, and that of their process groups if there is one."""
    match = _FILE.fullmatch(path.name)
    if path.is_dir():
        traces = {m["name"] for item in path.iterdir() if (m := _FILE.fullmatch(item.name))}
        if len(traces) > 1:
            raise ValueError(
                f"{path}: contains several traces, {', '.join(sorted(traces))}; expected a file of one "
                "of them"
            )
        folder, name = path, traces.pop()
    elif match is None:
        return [path]
    else:
        folder, name = path.parent, match["name"]
    mine = [
        (int(m["npu"]), item)
        for item in folder.iterdir()
        if (m := _FILE.fullmatch(item.name)) and m["name"] == name
    ]
    groups = folder / GROUPS_FILE
    return [item for _, item in sorted(mine)] + ([groups] if groups.exists() else [])


def open_trace(path: Path, reading: Reading) -> Trace:
    return _Reader([file for file in files(path) if file.name != GROUPS_FILE], reading).trace


@dataclass
class _Reader:
    """Reads the files of the NPUs one after the other."""

    files: list[Path]
    reading: Reading
    writer: CallWriter = field(default_factory=CallWriter)
    groups: Groups = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [int(match["npu"]) for item in self.files if (match := _FILE.fullmatch(item.name))]
        self.ranks = numbers or [0]
        self.trace = Trace(max(self.ranks) + 1, self._batches())
        self.groups = groups_beside(self.files[0], self.trace.ranks, self.reading)

    def _batches(self) -> Iterator[Batch]:
        for rank, path in zip(self.ranks, self.files, strict=True):
            with named(path):
                self._read(rank, whole_content(path, self.reading, _HELD))
            yield from self.writer.full()
        yield from self.writer.rest()
        if len(self.files) < self.trace.ranks:
            self.trace.notes.append(f"only {len(self.files)} of {self.trace.ranks} NPUs have a file")

    def _read(self, rank: int, data: bytes) -> None:
        messages = delimited(data)
        self._metadata(next(messages, b""))
        nodes = [node_of(message) for message in messages]
        groups = dict(self.groups)
        for node in nodes:
            if node.kind not in _NODES:
                raise ValueError(f"node {node.number}: unknown type {node.kind}, expected 1 to {max(_NODES)}")
            if node.name == INIT:
                groups |= groups_of_node(node.inputs, self.trace.ranks)
        on_device = any(node.kind == COMP and not node.integer("is_cpu_op", 1) for node in nodes)
        for node in self._ordered(nodes):
            self._add(rank, node, on_device, groups)

    def _ordered(self, nodes: list[Node]) -> list[Node]:
        """Return nodes in an order that dependencies allow; those of data alone, if others go in circles."""
        try:
            return in_order(nodes, control=True)
        except ValueError:
            order = in_order(nodes, control=False)
        note = "control dependencies have a cycle, so the order follows data dependencies"
        if note not in self.trace.notes:
            self.trace.notes.append(note)
        return order

    def _metadata(self, message: bytes) -> None:
        version = ""
        for number, value in fields(message):
            if number == 1 and isinstance(value, bytes):
                version = value.decode("utf-8", "replace")
            elif number == 2 and isinstance(value, bytes):
                name, given = attribute_of(value)
                if name == "schema" and isinstance(given, bytes):
                    version = given.decode("utf-8", "replace")
        if version and version not in _SCHEMAS:
            raise ValueError(f"unknown schema {abbreviate(version)}, expected one of {', '.join(_SCHEMAS)}")

    def _add(self, rank: int, node: Node, on_device: bool, groups: Groups) -> None:
        """Add what a node does; computation of the host does not count where the device's is recorded."""
        size, tag = node.integer("comm_size"), node.integer("comm_tag") & _TAG_MASK
        if node.kind == SEND:
            self._message(node, "comm_dst")
            self.writer.add(rank, Call.ISEND, node.integer("comm_dst"), size, tag, request=node.number)
        elif node.kind == RECV:
            self._message(node, "comm_src")
            self.writer.add(rank, Call.RECV, node.integer("comm_src"), size, tag)
        elif node.kind == COLL and not node.is_host_call:
            self._collective(rank, node, size, self._members(rank, node, groups))
        elif node.kind == COMP and node.micros and not (on_device and node.integer("is_cpu_op", 1)):
            self.writer.add(rank, Call.COMPUTE, gap=node.micros * 1e-6)

    def _message(self, node: Node, end: str) -> None:
        if end not in node.attributes:
            raise ValueError(f"node {node.number}: has no {end}, which {_NODES[node.kind]} needs")
        if not 0 <= node.integer(end) < self.trace.ranks:
            raise ValueError(
                f"node {node.number}: {end} is {node.integer(end)}, but there are {self.trace.ranks} NPUs"
            )

    def _members(self, rank: int, node: Node, groups: Groups) -> tuple[int, ...]:
        """Return the NPUs that take part in a collective."""
        everyone = tuple(range(self.trace.ranks))
        if node.group and node.group not in groups:
            group = abbreviate(node.group)
            note = f"the files do not list the members of process group {group}, so it contains all NPUs"
            if note not in self.trace.notes:
                self.trace.notes.append(note)
        members = groups.get(node.group, everyone)
        if rank not in members:
            raise ValueError(
                f"node {node.number}: process group {abbreviate(node.group)} does not contain NPU {rank}"
            )
        return members

    def _collective(self, rank: int, node: Node, size: int, members: tuple[int, ...]) -> None:
        kind = node.integer("comm_type")
        if not 0 <= kind < len(_OPERATIONS):
            raise ValueError(f"node {node.number}: unknown comm_type {kind}")
        name = _OPERATIONS[kind]
        if name in _SHARED:
            size //= len(members)
        rooted = name in ("reduce", "gather", "scatter", "bcast")
        root = node.integer("comm_src", members[0]) if rooted else -1
        number = self.trace.communicator(members)
        self.writer.add(rank, Call.COLLECTIVE, root, size, OPERATIONS.index(name), communicator=number)
