"""ASTRA-sim and SimAI workloads as text, which AICB writes: computation and communication by layer.

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
``pp_comm`` bytes on to the one of its place in the next stage, and back. With ``vpp`` above 1 the layers of a
stage are so many chunks, which are interleaved: behind the last stage the next chunk begins in the first one.
AICB writes the number of layers there: a chunk each. What stands before the first micro-batch and behind the
last one is done once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import TraceError, lines
from netplace.apps.operation import check_length
from netplace.apps.recorded.calls import CALL, OPERATIONS, Batch, Call, CallWriter, batched
from netplace.apps.recorded.trace import Reading, Trace
from netplace.apps.training.job import Step, steps_of
from netplace.inputs import abbreviate

_FIRST, _LAST = "embedding_layer", "final_column"  # layers of a micro-batch, as AICB names them


@dataclass(frozen=True)
class _Pipeline:
    # Stages, and chunks of layers on each of them; more than one are interleaved.
    stages: int
    chunks: int
    micros: tuple[tuple[range, ...], ...]  # places of the lines of each micro-batch, chunk by chunk
    # How many lines there are; those before the first and behind the last micro-batch are done once.
    lines: int

    @property
    def before(self) -> range:
        """Return the places of the lines before the first micro-batch."""
        return range(self.micros[0][0].start)

    @property
    def behind(self) -> range:
        """Return the places of the lines after the last micro-batch."""
        return range(self.micros[-1][-1].stop, self.lines)

    def partner(self, stage: int, step: Step, way: int) -> tuple[int, int] | None:
        """Return the stage with the layers after those of a step (`way` 1) or before them (-1), and the tag.

        None if there are no such layers. The first stage, with the next chunk, follows the last one.
        """
        place = step.chunk * self.stages + stage  # of all chunks in the order of the model
        if not 0 <= place + way < self.chunks * self.stages:
            return None
        boundary = min(place, place + way) // self.stages
        tag = 2 * (step.micro * self.chunks + boundary) + (not step.forward)
        return (stage + way) % self.stages, tag


def _pipeline_of(names: Sequence[str], stages: int, chunks: int, micros: int, line: int) -> _Pipeline:
    """Return the pipeline that lines of some names are; without stages all are one micro-batch."""
    if stages == 1:
        return _Pipeline(1, 1, ((range(len(names)),),), len(names))
    begins = [at for at, name in enumerate(names) if name == _FIRST]
    length = begins[1] - begins[0] if len(begins) > 1 else _last(names, begins) - begins[0] if begins else 0
    if len(begins) != micros or any(b - a != length for a, b in pairwise(begins)):
        raise TraceError(
            line,
            f"{len(begins)} layers called {_FIRST} do not mark ga={micros} micro-batches of equal length, "
            f"which {stages} pipeline stages need",
        )
    if chunks > 1 and micros % stages:
        raise TraceError(
            line,
            f"vpp: {chunks} chunks of layers are interleaved, so ga={micros} micro-batches must be a "
            f"multiple of pp={stages}; expected another number, or vpp: 1",
        )
    cuts = _cuts(names[begins[0] : begins[0] + length], chunks, line)
    return _Pipeline(
        stages,
        chunks,
        tuple(tuple(range(at + a, at + b) for a, b in pairwise(cuts)) for at in begins),
        len(names),
    )


def _last(names: Sequence[str], begins: list[int]) -> int:
    """Return where the only micro-batch ends: after the layer called last, or at the end."""
    last = [at for at, name in enumerate(names) if name == _LAST]
    return last[0] + 1 if last and last[0] > begins[0] else len(names)


def _cuts(names: Sequence[str], chunks: int, line: int) -> list[int]:
    """Return where the chunks of a micro-batch begin, and its end."""
    # A transformer layer begins with a line called as the one behind the embedding, which belongs to the
    # first chunk as what is behind the layers does to the last one.
    starts = [at for at, name in enumerate(names) if at and name == names[1]]
    if chunks > 1 and (not starts or len(starts) % chunks):
        near = [n for n in range(1, len(starts) + 1) if len(starts) % n == 0] or [1]
        raise TraceError(
            line,
            f"vpp: {chunks} chunks do not divide the {len(starts)} layers of a micro-batch, expected one of "
            f"{near}",
        )
    return [0, *starts[:: max(1, len(starts) // chunks)][1:chunks], len(names)]


_HEADER = re.compile(rb"(?:HYBRID_[A-Z_]+|MODEL|DATA|MICRO|TRANSFORMER[A-Z_]*)\b[^\n]*\n\s*\d+\s*\n")
_FIELD = re.compile(r"(\w+)[:\s]\s*(\d+)")
_COLLECTIVES = {
    "ALLREDUCE": "allreduce",
    "ALLGATHER": "allgather",
    "REDUCESCATTER": "reduce_scatter",
    "ALLTOALL": "alltoall",
    "BROADCAST": "bcast",
}
_BLOCKS = ("allgather", "alltoall")  # their calls contain the bytes of one block
_GROUPS = ("TP", "EP", "DP_EP", "DP")
_WORDS = 12


def recognises(path: Path, head: bytes) -> bool:
    return not path.is_dir() and _HEADER.match(head) is not None


def open_trace(path: Path, reading: Reading) -> Trace:
    return _Reader(path, reading).trace


@dataclass(frozen=True)
class _Part:
    """A computation and the collective after it; empty if there is none."""

    seconds: float
    operation: str
    group: str
    bytes: int


_Layer = tuple[list[_Part], float]


@dataclass
class _Reader:
    path: Path
    reading: Reading
    layers: list[_Layer] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    _numbers: dict[range, int] = field(default_factory=dict)  # of communicators

    def __post_init__(self) -> None:
        numbered = list(lines(self.path, self.reading))
        header = dict(_FIELD.findall(numbered[0][1].decode("ascii", "replace")))
        self.tensor = max(1, int(header.get("model_parallel_NPU_group", 1)))
        self.experts = max(1, int(header.get("ep", 1)))
        self.stages = max(1, int(header.get("pp", 1)))
        self.stage_bytes = int(header.get("pp_comm", 0))
        minimum = self.tensor * self.experts * self.stages
        told = self.reading.tasks or int(header.get("all_gpus", 0))
        if not told and minimum == 1:
            raise TraceError(numbered[0][0], "does not say how many ranks there are (--tasks)")
        ranks = told or minimum
        if ranks % minimum:
            parts = [f"groups of {self.tensor}", f"experts of {self.experts}", f"{self.stages} stages"]
            raise TraceError(
                numbered[0][0],
                f"{ranks} ranks do not divide into {', '.join(parts[:2])} and {parts[2]}, "
                f"expected a multiple of {minimum} (--tasks)",
            )
        self._read(numbered[1:])
        chunks = max(1, int(header.get("vpp", 1)))
        pipeline = _pipeline_of(self.names, self.stages, chunks, int(header.get("ga", 1)), numbered[0][0])
        self.trace = Trace(ranks, iter(()))
        calls = self._stage_calls(0, pipeline)
        check_length(len(calls) * ranks, f"the calls of its {ranks} ranks")
        self.trace.batches = self._batches(pipeline, calls)
        self.trace.unrepeated = len(calls) * ranks // len(pipeline.micros)
        if not told:
            self.trace.notes.append(
                f"the file does not say how many ranks there are: {ranks} are taken, which leaves out the "
                f"traffic of data parallelism (--tasks)"
            )
        if self.stages > 1 and not self.stage_bytes:
            self.trace.notes.append("the file does not contain the traffic between pipeline stages")

    def _read(self, numbered: list[tuple[int, bytes]]) -> None:
        rows = [(number, line.split()) for number, line in numbered if line.strip()]
        count = rows[0][1][0].decode("ascii", "replace") if rows else ""
        if not count.isdecimal() or int(count) != len(rows) - 1:
            line = rows[0][0] if rows else 2
            raise TraceError(
                line, f"{abbreviate(count)} is not the number of layers, expected {len(rows) - 1}"
            )
        for number, words in rows[1:]:
            texts = [word.decode("ascii", "replace") for word in words]
            if len(texts) < _WORDS - 1:
                raise TraceError(number, f"a layer of {len(texts)} words, expected {_WORDS}")
            parts = [self._part(number, texts[at : at + 3]) for at in (2, 5, 8)]
            self.names.append(texts[0])
            self.layers.append((parts, _integer(number, texts[11]) * 1e-9 if len(texts) > 11 else 0.0))

    def _part(self, number: int, words: list[str]) -> _Part:
        seconds, size = _integer(number, words[0]) * 1e-9, _integer(number, words[2])
        name, _, group = words[1].partition("_")
        if words[1] == "NONE" or not size:
            return _Part(seconds, "", "", 0)
        if name not in _COLLECTIVES or group not in ("", "EP", "DP_EP", "DP"):
            known = ", ".join(_COLLECTIVES)
            raise TraceError(number, f"unknown collective {abbreviate(words[1])}, expected {known} or NONE")
        return _Part(seconds, _COLLECTIVES[name], group, size)

    def _batches(self, pipeline: _Pipeline, calls: NDArray[Any]) -> Iterator[Batch]:
        per_stage = self.trace.ranks // self.stages

        def parts() -> Iterator[NDArray[Any]]:
            for stage in range(self.stages):
                of_stage = self._stage_calls(stage, pipeline) if stage else calls
                for rank in range(stage * per_stage, (stage + 1) * per_stage):
                    yield self._rank_calls(rank, of_stage)

        yield from batched(parts())

    def _stage_calls(self, stage: int, pipeline: _Pipeline) -> NDArray[Any]:
        """Return the calls of a rank of a stage: peers relative to it, groups as places in `_GROUPS`."""
        writer = CallWriter()
        self._forward(writer, pipeline.before)
        for step in steps_of(stage, self.stages, len(pipeline.micros), pipeline.chunks):
            # Forward a micro-batch comes from the layers before, backward from those behind.
            way = 1 if step.forward else -1
            self._pass_on(writer, stage, pipeline, step, -way, Call.RECV)
            layers = pipeline.micros[step.micro][step.chunk]
            if step.forward:
                self._forward(writer, layers)
            else:
                self._backward(writer, layers)
            self._pass_on(writer, stage, pipeline, step, way, Call.ISEND)
        self._forward(writer, pipeline.behind)
        self._backward(writer, pipeline.behind)
        self._backward(writer, pipeline.before)
        parts = [batch.calls for batch in writer.rest()]
        return parts[0] if parts else np.empty(0, CALL)

    def _rank_calls(self, rank: int, of_stage: NDArray[Any]) -> NDArray[Any]:
        calls = of_stage.copy()
        calls["rank"] = rank
        collective = calls["kind"] == Call.COLLECTIVE
        members = [self._members(rank, group) for group in _GROUPS]
        numbers = np.array([self._communicator(each) for each in members])
        group = calls["communicator"]
        roots = np.where(
            calls["tag"] == OPERATIONS.index("bcast"), np.array([m[0] for m in members])[group], -1
        )
        message = (calls["kind"] == Call.RECV) | (calls["kind"] == Call.ISEND)
        calls["peer"] = np.where(collective, roots, np.where(message, calls["peer"] + rank, -1))
        calls["communicator"] = np.where(collective, numbers[group], 0)
        return calls

    def _communicator(self, members: range) -> int:
        if members not in self._numbers:
            self._numbers[members] = self.trace.communicator(tuple(members)) if len(members) > 1 else 0
        return self._numbers[members]

    def _forward(self, writer: CallWriter, layers: range) -> None:
        for parts, _ in self.layers[layers.start : layers.stop]:
            self._add(writer, parts[0], across=False)

    def _backward(self, writer: CallWriter, layers: range) -> None:
        for parts, update in reversed(self.layers[layers.start : layers.stop]):
            self._add(writer, parts[1], across=False)
            self._add(writer, parts[2], across=True)
            if update:
                writer.add(0, Call.COMPUTE, gap=update)

    def _pass_on(
        self, writer: CallWriter, stage: int, pipeline: _Pipeline, step: Step, way: int, call: Call
    ) -> None:
        """Send to, or receive from, the layers after (`way` 1) or before those of a step, if any."""
        partner = pipeline.partner(stage, step, way)
        if not self.stage_bytes or partner is None:
            return
        other, tag = partner
        away = (other - stage) * (self.trace.ranks // self.stages)
        request = tag if call is Call.ISEND else -1
        writer.add(0, call, away, self.stage_bytes, tag, request=request)

    def _add(self, writer: CallWriter, part: _Part, across: bool) -> None:
        if part.seconds:
            writer.add(0, Call.COMPUTE, gap=part.seconds)
        if not part.operation:
            return
        group = part.group or ("DP" if across else "TP")
        count = len(self._members(0, group))
        if count > 1:
            size = part.bytes // count if part.operation in _BLOCKS else part.bytes
            tag = OPERATIONS.index(part.operation)
            writer.add(0, Call.COLLECTIVE, -1, size, tag, communicator=_GROUPS.index(group))

    def _members(self, rank: int, group: str) -> range:
        """Return the ranks of a group of a stage: consecutive ones, or those across them."""
        tensor, experts, ranks = self.tensor, self.experts, self.trace.ranks // self.stages
        stage = rank // ranks * ranks
        if group == "EP":
            first = rank % tensor + rank // (tensor * experts) * tensor * experts
            return range(first, first + tensor * experts, tensor)
        if group == "DP_EP":
            return range(stage + rank % (tensor * experts), stage + ranks, tensor * experts)
        if group == "DP":
            return range(stage + rank % tensor, stage + ranks, tensor)
        first = rank - rank % tensor
        return range(first, first + tensor)


def _integer(number: int, word: str) -> int:
    if not word.isdecimal() or len(word) > 18:
        raise TraceError(number, f"{abbreviate(word)} is not a whole number")
    return int(word)
