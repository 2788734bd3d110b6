"""The order in which a pipeline stage processes micro-batches.

One forward, one backward: Narayanan et al., PipeDream, SOSP 2019. With several chunks of layers on each
stage, the interleaved order of Narayanan et al., "Efficient large-scale language model training on GPU
clusters using Megatron-LM", SC 2021, section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A pass of one micro-batch through one chunk of layers of a stage."""

    forward: bool
    micro: int
    chunk: int


def steps_of(stage: int, stages: int, micros: int, chunks: int = 1) -> Iterator[Step]:
    total = micros * chunks
    if chunks == 1:
        ahead = min(stages - 1 - stage, total)
    else:
        ahead = min(2 * (stages - 1 - stage) + (chunks - 1) * stages, total)
    forward = [_step(k, stages, chunks, forward=True) for k in range(total)]
    backward = [_step(k, stages, chunks, forward=False) for k in range(total)]
    yield from forward[:ahead]
    for number, step in enumerate(forward[ahead:]):
        yield step
        yield backward[number]
    yield from backward[total - ahead :]


def _step(k: int, stages: int, chunks: int, forward: bool) -> Step:
    """Return pass number `k` of a stage in one direction."""
    if chunks == 1:
        return Step(forward, k, 0)
    batch, place = divmod(k, stages * chunks)
    chunk, micro = divmod(place, stages)
    return Step(forward, batch * stages + micro, chunk if forward else chunks - 1 - chunk)
