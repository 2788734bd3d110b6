"""A training job: its computation and its messages, in floating-point operations and bytes.

Sizes follow Narayanan et al., SC 2021, and Korthikanti et al., arXiv 2205.05198: activations and parameters
of 2 bytes, gradients of 4; a product with a matrix takes two operations for each parameter and token, and
backward twice as many as forward.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from math import prod
from typing import Any

from netplace.apps.training.models import HEAD, MODELS, LayerTimes, Model
from netplace.inputs import abbreviate, check_choice, check_float, check_int

DIMENSIONS = ("tp", "cp", "dp", "pp")


@dataclass(frozen=True)
class Layout:
    """Ranks as points of a grid."""

    # Tensor, context, data and pipeline parallel ranks.
    tp: int = 1
    cp: int = 1
    dp: int = 1
    pp: int = 1
    # Expert parallel ranks: this number of consecutive places of the data-parallel dimension share the
    # experts.
    ep: int = 1
    # `DIMENSIONS`, beginning with the one along which consecutive ranks lie.
    order: tuple[str, ...] = DIMENSIONS

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.tp * self.cp * self.dp * self.pp

    def place(self, rank: int) -> dict[str, int]:
        """Return the coordinates of a rank."""
        coordinates = {}
        for dimension in self.order:
            rank, coordinates[dimension] = divmod(rank, getattr(self, dimension))
        return coordinates

    def rank(self, place: dict[str, int]) -> int:
        """Return the rank at some coordinates."""
        number = 0
        for dimension in reversed(self.order):
            number = number * getattr(self, dimension) + place[dimension]
        return number

    def group(self, rank: int, *dimensions: str) -> list[int]:
        """Return the ranks that differ from `rank` along `dimensions` only, in order."""
        places = [self.place(rank)]
        for dimension in dimensions:
            places = [place | {dimension: i} for place in places for i in range(getattr(self, dimension))]
        return sorted(map(self.rank, places))

    def expert_group(self, rank: int) -> list[int]:
        """Return the ranks that share the experts of a layer with `rank`."""
        place = self.place(rank)
        first = place["dp"] - place["dp"] % self.ep
        return [self.rank(place | {"dp": first + i}) for i in range(self.ep)]

    def expert_replicas(self, rank: int) -> list[int]:
        """Return the ranks that have the same experts as `rank`, over the data- and context-parallel ones."""
        own = self.place(rank)["dp"] % self.ep
        return [r for r in self.group(rank, "dp", "cp") if self.place(r)["dp"] % self.ep == own]


def layout_of(tasks: int, tp: int, cp: int, dp: int | None, pp: int, ep: int, order: str) -> Layout:
    """Return the layout of `tasks` ranks; data parallel ones are as many as are left, if not given."""
    degrees = {"tp": check_int(tp, "tp"), "cp": check_int(cp, "cp"), "pp": check_int(pp, "pp")}
    others = prod(degrees.values())
    if dp is None:
        if tasks % others:
            listed = " x ".join(f"{name}={degree}" for name, degree in degrees.items())
            raise ValueError(f"tasks: {listed} = {others} does not divide {tasks} ranks")
        dp = tasks // others
    if others * check_int(dp, "dp") != tasks:
        raise ValueError(
            f"dp: tp x cp x dp x pp = {others * dp} differs from the {tasks} ranks, expected "
            f"--tasks {others * dp}"
        )
    if dp % check_int(ep, "ep"):
        raise ValueError(f"ep: {ep} does not divide dp={dp}")
    words = tuple(order.split("-")) if isinstance(order, str) else ()
    if sorted(words) != sorted(DIMENSIONS):
        raise ValueError(
            f"order: {abbreviate(order)} is not tp, cp, dp and pp in some order, such as tp-cp-dp-pp"
        )
    return Layout(degrees["tp"], degrees["cp"], dp, degrees["pp"], ep, words)


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


@dataclass(frozen=True)
class Job:
    """A training step."""

    model: Model
    layout: Layout
    # Sequences of a micro-batch, and micro-batches of each data-parallel rank.
    micro_batch: int = 1
    micros: int = 1
    # Whether tensor groups share the sequence outside products: an all-gather and a reduce-scatter instead of
    # an allreduce, backward another all-gather of each product's input, and once per step an allreduce of the
    # gradients of normalizations.
    sequence_parallel: bool = False
    # 0: gradients are summed by allreduce, once per step. 1: reduce-scatter, once per step, then an
    # all-gather of parameters. 2: the reduce-scatter after each micro-batch, because a rank keeps only its
    # share of the gradients. 3: parameters are also gathered when they are used, forward and backward:
    # layers, embedding and projection.
    zero: int = 0
    # As in `training_job`; without `flops`, computation takes no time.
    chunks: int = 1
    overlap: int = 0
    flops: float = 0.0
    cycle_ns: float = 3.2
    # Seconds of layers, forward and backward, instead of operations; see `read_layer_times`.
    times: LayerTimes = field(default_factory=dict)

    ACTIVATION = 2
    PARAMETER = 2
    GRADIENT = 4

    @property
    def by_micro(self) -> bool:
        """Whether gradients are summed after each micro-batch: ranks have no room for all of them."""
        return self.zero >= 2

    @property
    def tokens(self) -> int:
        """Tokens of a micro-batch on one context-parallel rank."""
        return self.micro_batch * self.model.sequence // self.layout.cp

    @property
    def chunk_layers(self) -> int:
        """Layers of a chunk."""
        return self.model.layers // (self.layout.pp * self.chunks)

    @property
    def activation_bytes(self) -> int:
        """Bytes of the activations between two layers, of all ranks of a tensor group together."""
        return self.tokens * self.model.hidden * self.ACTIVATION

    @property
    def stage_bytes(self) -> int:
        """Bytes that a rank sends to the next stage for each micro-batch."""
        return self.activation_bytes // (self.layout.tp if self.sequence_parallel else 1)

    @property
    def key_value_bytes(self) -> int:
        """Bytes of a rank's keys and values, which go round the context-parallel ranks."""
        model = self.model
        width = 2 * model.hidden * (model.kv_heads or model.heads) // model.heads
        return self.tokens * width * self.ACTIVATION // self.layout.tp

    @property
    def dispatch_bytes(self) -> int:
        """Bytes that a rank sends to each rank that shares the experts, if tokens spread evenly."""
        shared = self.layout.ep * (self.layout.tp if self.sequence_parallel else 1)
        return self.activation_bytes * self.model.active // shared

    @property
    def layer_parameters(self) -> int:
        """Parameters of a layer that a rank has, without those of experts."""
        model, tp = self.model, self.layout.tp
        dense = model.expert_parameters if model.experts == 1 else 0
        return (model.attention_parameters + dense) // tp + model.norm_parameters

    @property
    def layer_expert_parameters(self) -> int:
        """Parameters of a layer's experts that a rank has."""
        model = self.model
        if model.experts == 1:
            return 0
        return model.expert_parameters * model.experts // (self.layout.tp * self.layout.ep)

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the first stage's embedding, or the last one's projection, that a rank has."""
        return self.model.embedding_parameters // self.layout.tp

    def layers_of(self, stage: int, chunk: int) -> range:
        """Return the numbers of the layers of a chunk."""
        first = (chunk * self.layout.pp + stage) * self.chunk_layers
        return range(first, first + self.chunk_layers)

    def layer_cycles(self, layer: int, forward: bool) -> tuple[int, int]:
        """Return how long a rank computes in the attention and in the perceptron, or experts, of a layer.

        A time from a file is divided in proportion to the operations.
        """
        attention, perceptron = self._operations()
        if layer not in self.times:
            times = 1 if forward else 2
            return times * self._cycles(attention), times * self._cycles(perceptron)
        cycles = self._measured(layer, forward)
        first = round(cycles * attention / (attention + perceptron))
        return first, cycles - first

    def head_cycles(self, forward: bool) -> int:
        """Return how long the last stage computes in the projection to the vocabulary."""
        if HEAD in self.times:
            return self._measured(HEAD, forward)
        return (1 if forward else 2) * self._cycles(2 * self.tokens * self.model.embedding_parameters)

    def _operations(self) -> tuple[int, int]:
        model = self.model
        scores = 4 * self.tokens * model.sequence * model.hidden
        attention = 2 * self.tokens * model.attention_parameters + scores
        return attention, 2 * self.tokens * model.active * model.expert_parameters

    def _measured(self, layer: int, forward: bool) -> int:
        return round(self.times[layer][0 if forward else 1] * 1e9 / self.cycle_ns)

    def _cycles(self, operations: int) -> int:
        if not self.flops:
            return 0
        return round(operations / self.layout.tp / self.flops * 1e9 / self.cycle_ns)


def model_of(
    name: str, layers: int | None, hidden: int | None, sequence: int | None, experts: int | None
) -> Model:
    """Return a model of `MODELS`, with other sizes where they are given."""
    model = MODELS[check_choice(name, MODELS, "model")]
    given = {"layers": layers, "hidden": hidden, "sequence": sequence, "experts": experts}
    sizes: dict[str, Any] = {key: check_int(value, key) for key, value in given.items() if value is not None}
    return replace(model, **sizes)


def job_of(job: Job, global_batch: int | None) -> Job:
    """Return `job` with as many micro-batches as a global batch makes, checked."""
    model, layout = job.model, job.layout
    check_int(job.micro_batch, "micro_batch")
    check_int(job.chunks, "chunks")
    if check_int(job.zero, "zero", 0) > 3:
        raise ValueError(f"zero: {job.zero} is not a stage, expected 0 to 3")
    if check_int(job.overlap, "overlap", 0) > 2:
        raise ValueError(f"overlap: {job.overlap} is invalid, expected 0, 1 (at once) or 2 (round by round)")
    check_float(job.flops, "flops", 0.0)
    check_float(job.cycle_ns, "cycle_ns", 1e-9, 1e12)
    _check_divides("layers", model.layers, "pp x chunks", layout.pp * job.chunks)
    _check_divides("heads", model.heads, "tp", layout.tp)
    _check_divides("sequence", model.sequence, "cp", layout.cp)
    _check_divides("experts", model.experts, "ep", layout.ep)
    if job.sequence_parallel:
        _check_divides("sequence", model.sequence, "cp x tp, for sp", layout.cp * layout.tp)
    _check_times(job)
    share = layout.dp * job.micro_batch
    batch = share * layout.pp if global_batch is None else check_int(global_batch, "global_batch")
    if batch % share:
        raise ValueError(f"global_batch: dp x micro_batch = {share} does not divide {batch}")
    micros = batch // share
    if job.chunks > 1:
        if layout.pp == 1:
            raise ValueError(f"chunks: {job.chunks} are interleaved on pipeline stages, but pp is 1")
        if micros % layout.pp:
            raise ValueError(
                f"global_batch: gives {micros} micro-batches, expected a multiple of pp={layout.pp}, "
                f"for chunks"
            )
    return replace(job, micros=micros)


def _check_times(job: Job) -> None:
    """Check that every layer has a time, if a file has some and no rate gives those of the others."""
    if not job.times or job.flops:
        return
    missing = [str(n) for n in islice((n for n in range(job.model.layers) if n not in job.times), 6)]
    if missing:
        named = ", ".join(missing[:5]) + (" .." if missing[5:] else "")
        raise ValueError(
            f"times: layers {named} have no time and flops is 0; expected a line for each layer, or a rate "
            f"of floating-point operations"
        )


def _check_divides(label: str, number: int, by: str, divisor: int) -> None:
    if number % divisor:
        near = [n for n in range(1, 2 * divisor) if number % n == 0]
        raise ValueError(f"{by}: {divisor} does not divide the {number} {label}, expected one of {near[-3:]}")
