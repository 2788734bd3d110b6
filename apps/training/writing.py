"""The program of one rank of a training step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from netplace.apps.collectives import allgather, allgatherv, allreduce, alltoall, reduce_scatter
from netplace.apps.operation import Op
from netplace.apps.task import TaskWriter
from netplace.apps.training.job import Job, Step, steps_of

TAG = 1 << 20  # of messages in the background, above those of micro-batches
_Message = tuple[bool, int, int]  # whether it is sent, the other rank, bytes
_Round = Sequence[_Message]


@dataclass
class Background:
    """The background collectives of one rank.

    All messages of a collective begin either at once, or round by round: those of a round when those of the
    previous round have arrived. The rank checks for this in the pauses of a computation that is split into as
    many pieces as there are rounds.
    """

    writer: TaskWriter
    by_rounds: bool
    requests: list[int] = field(default_factory=list)
    rounds: deque[_Round] = field(default_factory=deque)

    def begin(self, write: Callable[[TaskWriter], None]) -> None:
        aside = TaskWriter(self.writer.task, self.writer.tasks, self.writer.collectives)
        write(aside)
        self.rounds.extend(_rounds_of(aside))
        while self.rounds and not self.by_rounds:
            self._post()

    def compute(self, cycles: int, share: float) -> None:
        """Compute, and meanwhile perform that `share` of the remaining rounds."""
        pauses = round(share * len(self.rounds))
        for piece in range(pauses):
            self.writer.compute((piece + 1) * cycles // (pauses + 1) - piece * cycles // (pauses + 1))
            self._next()
        self.writer.compute(cycles - pauses * cycles // (pauses + 1))

    def finish(self) -> None:
        while self.rounds:
            self._next()
        self._wait()

    def _next(self) -> None:
        self._wait()
        self._post()

    def _wait(self) -> None:
        self.writer.waitall(self.requests)
        self.requests.clear()

    def _post(self) -> None:
        for is_sent, peer, size in self.rounds.popleft():
            begin = self.writer.isend if is_sent else self.writer.irecv
            self.requests.append(begin(peer, size, TAG))


def _rounds_of(aside: TaskWriter) -> list[_Round]:
    """Return the messages by the wait that ends or follows them; a receive that blocks ends a round too."""
    columns = aside.columns()
    rows = zip(*(columns[name].tolist() for name in ("kind", "peer", "size", "request")), strict=True)
    number, waited = 0, False
    numbered: list[tuple[int, _Message]] = []
    posted: dict[int, _Message] = {}
    for kind, peer, size, request in rows:
        if kind == Op.WAIT:
            waited = True
            if request in posted:
                numbered.append((number, posted.pop(request)))
            continue
        number += waited
        waited = kind == Op.RECV
        message = (kind in (Op.SEND, Op.ISEND), peer, size)
        if kind == Op.IRECV:
            posted[request] = message
        else:
            numbered.append((number, message))
    numbered.sort(key=lambda pair: (pair[0], pair[1][0]))  # receives are posted first
    return [[message for _, message in messages] for _, messages in groupby(numbered, lambda pair: pair[0])]


_LOSS_BYTES = 4  # of a token, in each of the three sums of a loss over a vocabulary that is shared


def write_step(writer: TaskWriter, job: Job) -> None:
    """Append what a rank does in a step: all micro-batches, then what is left of the gradients."""
    _Rank(writer, job).write()


class _Rank:
    def __init__(self, writer: TaskWriter, job: Job) -> None:
        layout = job.layout
        rank, place = writer.task, layout.place(writer.task)
        self.writer, self.job = writer, job
        self.stage = place["pp"]
        self.tensor = layout.group(rank, "tp")
        self.context = layout.group(rank, "cp")
        self.replicas = layout.group(rank, "dp", "cp")
        self.experts = layout.expert_group(rank)
        self.expert_replicas = layout.expert_replicas(rank)
        self.pipeline = [layout.rank(place | {"pp": stage}) for stage in range(layout.pp)]
        self.requests: list[int] = []  # of what was sent to other stages
        self.background = Background(writer, by_rounds=job.overlap == 2)

    def write(self) -> None:
        job, last = self.job, self.job.micros - 1
        for step in steps_of(self.stage, job.layout.pp, job.micros, job.chunks):
            if step.forward:
                self._forward(step)
            else:
                self._backward(step, reducing=job.by_micro or (bool(job.overlap) and step.micro == last))
        self.background.finish()
        self.writer.waitall(self.requests)
        layers = range(job.chunks * job.chunk_layers)
        if not job.overlap and not job.by_micro:
            for _ in layers:
                self._reduce_layer(self.writer)
        if not job.by_micro:
            for _ in range(self._tables()):
                self._reduce_table(self.writer)
        self._sum_norms()
        self._sum_shared_table()
        if job.zero in (1, 2):
            for _ in layers:
                self._gather_layer()
            for _ in range(self._tables()):
                self._gather_table()

    def _forward(self, step: Step) -> None:
        job = self.job
        self._receive(step, self._before(step))
        if self._is_first(step):
            self._gather_sharded(self._gather_table)
            self._sum_over_tensor()
        for layer in job.layers_of(self.stage, step.chunk):
            attention, perceptron = job.layer_cycles(layer, forward=True)
            self._gather_sharded(self._gather_layer)
            self._attention(attention, forward=True)
            self._perceptron(perceptron, forward=True)
        if self._is_last(step):
            self._gather_sharded(self._gather_table)
            self._share_sequence()
            self.writer.compute(job.head_cycles(forward=True))
            if len(self.tensor) > 1:
                for _ in range(3):
                    allreduce(self.writer, self.tensor, job.tokens * _LOSS_BYTES)
        self._send(step, self._after(step))

    def _backward(self, step: Step, reducing: bool) -> None:
        job = self.job
        self._receive(step, self._after(step))
        if self._is_last(step):
            self._gather_sharded(self._gather_table)
            self._share_sequence()  # the input of the projection, again
            self.writer.compute(job.head_cycles(forward=False))
            self._sum_over_tensor()
            if job.by_micro and not (self._is_first(step) and job.model.tied):
                self._reduce(self._reduce_table)
        for layer in reversed(job.layers_of(self.stage, step.chunk)):
            attention, perceptron = job.layer_cycles(layer, forward=False)
            self._gather_sharded(self._gather_layer)
            self._perceptron(perceptron, forward=False)
            self._attention(attention, forward=False)
            if reducing:
                self._reduce(self._reduce_layer)
        if self._is_first(step):
            self._gather_sharded(self._gather_table)
            self._share_sequence()
            if job.by_micro:
                self._reduce(self._reduce_table)
        self._send(step, self._before(step))

    def _attention(self, cycles: int, forward: bool) -> None:
        """Write the attention of a layer; backward twice as many bytes go round the ring of the context."""
        self._share_sequence(again=not forward)
        self._pass_keys_and_values(1 if forward else 2)
        self.background.compute(cycles, share=1)
        self._sum_over_tensor()

    def _perceptron(self, cycles: int, forward: bool) -> None:
        experts = self.job.model.experts > 1
        if experts:
            self._exchange_tokens()
        # Experts keep the tokens that came to them; a perceptron of all tokens keeps its part of its input.
        self._share_sequence(again=not forward and not experts)
        self.background.compute(cycles, share=0.5)
        self._sum_over_tensor()
        if experts:
            self._exchange_tokens()

    def _share_sequence(self, again: bool = False) -> None:
        """Bring the whole sequence to each rank of a tensor group that had its own part."""
        # Backward these are the gradients, and `again` the input of a product, of which a rank keeps its part
        # only: Korthikanti et al., arXiv 2205.05198, section 4.2.2.
        if self.job.sequence_parallel and len(self.tensor) > 1:
            for _ in range(1 + again):
                allgather(self.writer, self.tensor, self.job.activation_bytes // len(self.tensor))

    def _sum_over_tensor(self) -> None:
        """Sum activations over the tensor group; each rank keeps all of them, or its part of the sequence."""
        if len(self.tensor) > 1:
            sum_up = reduce_scatter if self.job.sequence_parallel else allreduce
            sum_up(self.writer, self.tensor, self.job.activation_bytes)

    def _pass_keys_and_values(self, times: int) -> None:
        """Pass keys and values round a ring; Liu, Zaharia and Abbeel, Ring attention, arXiv 2310.01889."""
        ring, bytes = self.context, times * self.job.key_value_bytes
        place = ring.index(self.writer.task)
        for _ in range(len(ring) - 1):
            request = self.writer.irecv(ring[place - 1], bytes)
            self.writer.send(ring[(place + 1) % len(ring)], bytes)
            self.writer.wait(request)

    def _exchange_tokens(self) -> None:
        if len(self.experts) > 1:
            alltoall(self.writer, self.experts, self.job.dispatch_bytes)

    def _gather_sharded(self, gather: Callable[[], None]) -> None:
        """Gather parameters before they are used, under ZeRO 3, which keeps none but a rank's share."""
        if self.job.zero == 3:
            gather()

    def _gather_layer(self) -> None:
        job = self.job
        _gather(self.writer, self.replicas, job.layer_parameters * job.PARAMETER)
        _gather(self.writer, self.expert_replicas, job.layer_expert_parameters * job.PARAMETER)

    def _gather_table(self) -> None:
        """Gather the embedding, or the projection to the vocabulary."""
        _gather(self.writer, self.replicas, self.job.embedding_parameters * self.job.PARAMETER)

    def _reduce(self, write: Callable[[TaskWriter], None]) -> None:
        """Sum gradients that are known now, in the background if that is requested."""
        if self.job.overlap:
            self.background.begin(write)
        else:
            write(self.writer)

    def _reduce_layer(self, writer: TaskWriter) -> None:
        """Sum the gradients of a layer over the ranks that have the same parameters."""
        self._sum_gradients(writer, self.replicas, self.job.layer_parameters)
        self._sum_gradients(writer, self.expert_replicas, self.job.layer_expert_parameters)

    def _reduce_table(self, writer: TaskWriter) -> None:
        """Sum the gradients of the embedding, or of the projection to the vocabulary."""
        self._sum_gradients(writer, self.replicas, self.job.embedding_parameters)

    def _sum_gradients(self, writer: TaskWriter, members: Sequence[int], parameters: int) -> None:
        if len(members) > 1 and parameters:
            sum_up = reduce_scatter if self.job.zero else allreduce
            sum_up(writer, members, parameters * self.job.GRADIENT)

    def _tables(self) -> int:
        """Return how many tables of tokens the rank has: embedding, projection, or one that is both."""
        last = len(self.pipeline) - 1
        if not last:
            return 1 if self.job.model.tied else 2
        return int(self.stage in (0, last))

    def _sum_norms(self) -> None:
        """Sum the gradients of normalizations, because each rank saw only a part of the sequence."""
        job = self.job
        if job.sequence_parallel and len(self.tensor) > 1:
            parameters = job.chunks * job.chunk_layers * job.model.norm_parameters
            allreduce(self.writer, self.tensor, parameters * job.GRADIENT)

    def _sum_shared_table(self) -> None:
        job, ends = self.job, [self.pipeline[0], self.pipeline[-1]]
        if job.model.tied and len(self.pipeline) > 1 and self.writer.task in ends:
            allreduce(self.writer, ends, job.embedding_parameters * job.GRADIENT)

    def _is_first(self, step: Step) -> bool:
        return self.stage == 0 and step.chunk == 0

    def _is_last(self, step: Step) -> bool:
        return self.stage == self.job.layout.pp - 1 and step.chunk == self.job.chunks - 1

    def _before(self, step: Step) -> tuple[int, int] | None:
        """Return the rank with the layers before those of a step, and the tag."""
        if self._is_first(step):
            return None
        # Before the first stage lies the last one, with the chunk before.
        return self.pipeline[self.stage - 1], self._tag(step, step.chunk - (self.stage == 0))

    def _after(self, step: Step) -> tuple[int, int] | None:
        """Return the rank with the layers after those of a step, and the tag."""
        if self._is_last(step):
            return None
        return self.pipeline[(self.stage + 1) % len(self.pipeline)], self._tag(step, step.chunk)

    def _tag(self, step: Step, chunk: int) -> int:
        """Return the tag of messages from a chunk to the layers after it, or back; 0 is for collectives."""
        return 1 + 2 * (step.micro * self.job.chunks + chunk) + step.forward

    def _receive(self, step: Step, partner: tuple[int, int] | None) -> None:
        if partner is not None:
            self.writer.recv(partner[0], self.job.stage_bytes, partner[1])

    def _send(self, step: Step, partner: tuple[int, int] | None) -> None:
        # Not waited for here: the other stage may have something to send first.
        if partner is not None:
            self.requests.append(self.writer.isend(partner[0], self.job.stage_bytes, partner[1]))


def _gather(writer: TaskWriter, members: Sequence[int], bytes: int) -> None:
    """Gather about equal parts of `bytes` from all members."""
    if len(members) > 1 and bytes:
        minimum, more = divmod(bytes, len(members))
        allgatherv(writer, members, [minimum + (i < more) for i in range(len(members))])
