"""Workloads of ASTRA-sim and SimAI as text, which AICB writes: what each layer computes and sends.

The first line names the kind of parallelism, ``HYBRID_TRANSFORMER_FWD_IN_BCKWD`` or another, and groups as in
``model_parallel_NPU_group: 8 ep: 1 pp: 1 all_gpus: 16``; the second one the number of layers. A layer is a
line: name, a number, and then nanoseconds, collective and bytes three times, of the forward pass, of the
gradients of its input and of those of its weights; last the nanoseconds of an update. All layers go forward,
then backward in reverse. The first two communicate in groups of consecutive ranks, weights across them;
``_EP`` at the end of a collective is the group that shares experts, ``_DP_EP`` those with the same ones.
Bytes of an all-gather, reduce-scatter and all-to-all are those of the whole group's vector.

With ``pp`` stages the layers are those of one of them, and all have the same: from each layer called
``embedding_layer`` to the next one is a micro-batch, of which there are ``ga``. A stage is a run of
consecutive ranks, micro-batches go through the stages by one forward, one backward, and each rank passes
``pp_comm`` bytes on to the one of its place in the next stage, and back. What stands before the first
micro-batch and behind the last one is done once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from netplace.apps.formats.errors import TraceError
from netplace.apps.formats.stream import lines
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.apps.training.stages import steps_of
from netplace.checks import shown

__all__ = ["open_simai", "recognises"]

_HEADER = re.compile(rb"(?:HYBRID_[A-Z_]+|MODEL|DATA|MICRO|TRANSFORMER[A-Z_]*)\b.*NPU_group", re.DOTALL)
_FIELD = re.compile(r"(\w+)[:\s]\s*(\d+)")
_COLLECTIVES = {
    "ALLREDUCE": "allreduce",
    "ALLGATHER": "allgather",
    "REDUCESCATTER": "reduce_scatter",
    "ALLTOALL": "alltoall",
    "BROADCAST": "bcast",
}
_FIRST, _LAST = "embedding_layer", "final_column"  # layers of a micro-batch, as AICB names them
_BLOCKS = ("allgather", "alltoall")  # whose calls give one of the group's blocks
_WORDS = 12


def recognises(path: Path, head: bytes) -> bool:
    """Tell by its first line whether a file is such a workload."""
    return not path.is_dir() and _HEADER.match(head.partition(b"\n")[0]) is not None


def open_simai(path: Path, reading: Reading) -> Trace:
    """Open a workload; see `netplace.apps.formats.open_trace`."""
    return _Reader(path, reading).trace


@dataclass(frozen=True)
class _Part:
    """A computation and the collective after it; empty: none."""

    seconds: float
    operation: str
    group: str
    bytes: int


_Layer = tuple[list[_Part], float]


@dataclass
class _Reader:
    """Reads a workload and writes it out for every rank."""

    path: Path
    reading: Reading
    writer: CallWriter = field(default_factory=CallWriter)
    layers: list[_Layer] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        numbered = list(lines(self.path, self.reading))
        header = dict(_FIELD.findall(numbered[0][1].decode("ascii", "replace")))
        self.tensor = max(1, int(header.get("model_parallel_NPU_group", 1)))
        self.experts = max(1, int(header.get("ep", 1)))
        self.stages = max(1, int(header.get("pp", 1)))
        self.stage_bytes = int(header.get("pp_comm", 0))
        least = self.tensor * self.experts * self.stages
        ranks = self.reading.tasks or int(header.get("all_gpus", 0)) or least
        if ranks % least:
            parts = [f"groups of {self.tensor}", f"experts of {self.experts}", f"{self.stages} stages"]
            raise TraceError(
                numbered[0][0],
                f"{ranks} ranks do not divide into {', '.join(parts[:2])} and {parts[2]}, "
                f"expected a multiple of {least} (--tasks)",
            )
        self._read(numbered[1:])
        micros = self._micro_batches(int(header.get("ga", 1)), numbered[0][0])
        self.trace = Trace(ranks, self._batches(micros))
        self.trace.facts.update(
            format="simai", layers=len(self.layers), collectives_of_layers=dict(self.counts)
        )
        if self.stages > 1:
            self.trace.facts.update(stages=self.stages, micro_batches=len(micros))
            if not self.stage_bytes:
                self.trace.notes.append("what goes between pipeline stages is not in the file")

    def _read(self, numbered: list[tuple[int, bytes]]) -> None:
        rows = [(number, line.split()) for number, line in numbered if line.strip()]
        count = rows[0][1][0].decode("ascii", "replace") if rows else ""
        if not count.isdecimal() or int(count) != len(rows) - 1:
            line = rows[0][0] if rows else 2
            raise TraceError(line, f"{shown(count)} is not the number of layers, expected {len(rows) - 1}")
        for number, words in rows[1:]:
            texts = [word.decode("ascii", "replace") for word in words]
            if len(texts) < _WORDS - 1:
                raise TraceError(number, f"a layer of {len(texts)} words, expected {_WORDS}")
            parts = [self._part(number, texts[at : at + 3]) for at in (2, 5, 8)]
            self.names.append(texts[0])
            self.layers.append((parts, _whole(number, texts[11]) * 1e-9 if len(texts) > 11 else 0.0))

    def _part(self, number: int, words: list[str]) -> _Part:
        seconds, size = _whole(number, words[0]) * 1e-9, _whole(number, words[2])
        name, _, group = words[1].partition("_")
        if words[1] == "NONE" or not size:
            return _Part(seconds, "", "", 0)
        if name not in _COLLECTIVES or group not in ("", "EP", "DP_EP", "DP"):
            known = ", ".join(_COLLECTIVES)
            raise TraceError(number, f"collective {shown(words[1])} is not known, expected {known} or NONE")
        self.counts[words[1]] += 1
        return _Part(seconds, _COLLECTIVES[name], group, size)

    def _micro_batches(self, count: int, line: int) -> list[range]:
        """Return the layers of each micro-batch; without stages all layers are one."""
        if self.stages == 1:
            return [range(len(self.layers))]
        begins = [at for at, name in enumerate(self.names) if name == _FIRST]
        length = begins[1] - begins[0] if len(begins) > 1 else self._last(begins) - begins[0] if begins else 0
        if len(begins) != count or any(b - a != length for a, b in pairwise(begins)):
            raise TraceError(
                line,
                f"{len(begins)} layers called {_FIRST} do not begin ga={count} micro-batches of one length, "
                f"which {self.stages} pipeline stages need",
            )
        return [range(begin, begin + length) for begin in begins]

    def _last(self, begins: list[int]) -> int:
        """Return where the only micro-batch ends: behind the layer called last, or at the end."""
        last = [at for at, name in enumerate(self.names) if name == _LAST]
        return last[0] + 1 if last and last[0] > begins[0] else len(self.layers)

    def _batches(self, micros: list[range]) -> Iterator[Batch]:
        before, behind = range(micros[0].start), range(micros[-1].stop, len(self.layers))
        for rank in range(self.trace.ranks):
            self._forward(rank, before)
            for step in steps_of(self._stage(rank), self.stages, len(micros)):
                # Forward a micro-batch comes from the stage before, backward from the one behind.
                way, tag = (1, 2 * step.micro) if step.forward else (-1, 2 * step.micro + 1)
                self._pass_on(rank, -way, Call.RECV, tag)
                if step.forward:
                    self._forward(rank, micros[step.micro])
                else:
                    yield from self._backward(rank, micros[step.micro])
                self._pass_on(rank, way, Call.ISEND, tag)
            self._forward(rank, behind)
            yield from self._backward(rank, behind)
            yield from self._backward(rank, before)
        yield from self.writer.rest()

    def _forward(self, rank: int, layers: range) -> None:
        for parts, _ in self.layers[layers.start : layers.stop]:
            self._add(rank, parts[0], across=False)

    def _backward(self, rank: int, layers: range) -> Iterator[Batch]:
        for parts, update in reversed(self.layers[layers.start : layers.stop]):
            self._add(rank, parts[1], across=False)
            self._add(rank, parts[2], across=True)
            if update:
                self.writer.add(rank, Call.COMPUTE, gap=update)
            yield from self.writer.full()

    def _stage(self, rank: int) -> int:
        return rank * self.stages // self.trace.ranks

    def _pass_on(self, rank: int, way: int, call: Call, tag: int) -> None:
        """Send to the stage behind (`way` 1) or before, or receive from it, if there is one."""
        if self.stage_bytes and 0 <= self._stage(rank) + way < self.stages:
            other = rank + way * (self.trace.ranks // self.stages)
            request = tag if call is Call.ISEND else -1
            self.writer.add(rank, call, other, self.stage_bytes, tag, request=request)

    def _add(self, rank: int, part: _Part, across: bool) -> None:
        if part.seconds:
            self.writer.add(rank, Call.COMPUTE, gap=part.seconds)
        if not part.operation:
            return
        members = self._members(rank, part.group, across)
        if len(members) > 1:
            size = part.bytes // len(members) if part.operation in _BLOCKS else part.bytes
            root = members[0] if part.operation == "bcast" else -1
            number = self.trace.communicator(members)
            tag = OPERATIONS.index(part.operation)
            self.writer.add(rank, Call.COLLECTIVE, root, size, tag, communicator=number)

    def _members(self, rank: int, group: str, across: bool) -> tuple[int, ...]:
        """Return the ranks of a group of a stage: consecutive ones, or those `across` them."""
        tensor, experts, ranks = self.tensor, self.experts, self.trace.ranks // self.stages
        stage = self._stage(rank) * ranks
        if group == "EP":
            first = rank % tensor + rank // (tensor * experts) * tensor * experts
            return tuple(range(first, first + tensor * experts, tensor))
        if group == "DP_EP":
            return tuple(range(stage + rank % (tensor * experts), stage + ranks, tensor * experts))
        if across or group == "DP":
            return tuple(range(stage + rank % tensor, stage + ranks, tensor))
        first = rank - rank % tensor
        return tuple(range(first, first + tensor))


def _whole(number: int, word: str) -> int:
    if not word.isdecimal() or len(word) > 18:
        raise TraceError(number, f"{shown(word)} is not a whole number")
    return int(word)
