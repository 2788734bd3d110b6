"""Pipelines in workloads of SimAI: which lines are a micro-batch, and which of them a chunk of layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from netplace.apps.formats.errors import TraceError
from netplace.apps.training.stages import Step

__all__ = ["Pipeline", "pipeline_of"]

_FIRST, _LAST = "embedding_layer", "final_column"  # layers of a micro-batch, as AICB names them


@dataclass(frozen=True)
class Pipeline:
    """The lines of a workload as a pipeline.

    Attributes
    ----------
    stages, chunks : int
        Stages, and chunks of layers on each of them; more than one are interleaved.
    micros : tuple of tuple of range
        Places of the lines of each micro-batch, chunk by chunk.
    lines : int
        How many lines there are; those before the first and behind the last micro-batch are done once.
    """

    stages: int
    chunks: int
    micros: tuple[tuple[range, ...], ...]
    lines: int

    @property
    def before(self) -> range:
        """Return the places of the lines before the first micro-batch."""
        return range(self.micros[0][0].start)

    @property
    def behind(self) -> range:
        """Return the places of the lines behind the last micro-batch."""
        return range(self.micros[-1][-1].stop, self.lines)

    def partner(self, stage: int, step: Step, way: int) -> tuple[int, int] | None:
        """Return the stage that has the layers behind those of a step (`way` 1), or before, and their tag.

        None if there are no such layers. Behind the last stage lies the first one, with the next chunk.
        """
        place = step.chunk * self.stages + stage  # of all chunks in the order of the model
        if not 0 <= place + way < self.chunks * self.stages:
            return None
        boundary = min(place, place + way) // self.stages
        tag = 2 * (step.micro * self.chunks + boundary) + (not step.forward)
        return (stage + way) % self.stages, tag


def pipeline_of(names: Sequence[str], stages: int, chunks: int, micros: int, line: int) -> Pipeline:
    """Return the pipeline that lines of some names are; without stages all are one micro-batch."""
    if stages == 1:
        return Pipeline(1, 1, ((range(len(names)),),), len(names))
    begins = [at for at, name in enumerate(names) if name == _FIRST]
    length = begins[1] - begins[0] if len(begins) > 1 else _last(names, begins) - begins[0] if begins else 0
    if len(begins) != micros or any(b - a != length for a, b in pairwise(begins)):
        raise TraceError(
            line,
            f"{len(begins)} layers called {_FIRST} do not begin ga={micros} micro-batches of one length, "
            f"which {stages} pipeline stages need",
        )
    if chunks > 1 and micros % stages:
        raise TraceError(
            line,
            f"vpp: {chunks} chunks of layers are interleaved, for which ga={micros} micro-batches must be a "
            f"multiple of pp={stages}, expected another number of them, or vpp: 1",
        )
    cuts = _cuts(names[begins[0] : begins[0] + length], chunks, line)
    return Pipeline(
        stages,
        chunks,
        tuple(tuple(range(at + a, at + b) for a, b in pairwise(cuts)) for at in begins),
        len(names),
    )


def _last(names: Sequence[str], begins: list[int]) -> int:
    """Return where the only micro-batch ends: behind the layer called last, or at the end."""
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
