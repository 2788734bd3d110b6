"""The program of one rank of a training step."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.apps.collectives import allgather, allgatherv, allreduce, alltoall, reduce_scatter
from netplace.apps.task import TaskWriter
from netplace.apps.training.background import Background
from netplace.apps.training.job import Job
from netplace.apps.training.stages import Step, steps_of

__all__ = ["write_step"]

_LOSS_BYTES = 4  # of a token, in each of the three sums of a loss over a vocabulary that is shared


def write_step(writer: TaskWriter, job: Job) -> None:
    """Append what a rank does in a step: all micro-batches, then what is left of the gradients."""
    _Rank(writer, job).write()


class _Rank:
    """A rank's part of a step as it is written."""

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
        """Append all that the rank does."""
        job, last = self.job, self.job.micros - 1
        for step in steps_of(self.stage, job.layout.pp, job.micros, job.chunks):
            if step.forward:
                self._forward(step)
            else:
                self._backward(step, reducing=bool(job.overlap) and step.micro == last)
        self.background.finish()
        self.writer.waitall(self.requests)
        if not job.overlap:
            for _ in range(job.chunks * job.chunk_layers):
                self._reduce_layer(self.writer)
        self._reduce_embeddings()

    def _forward(self, step: Step) -> None:
        job = self.job
        self._receive(step, self._before(step))
        if self._is_first(step):
            self._sum_over_tensor()
        for layer in job.layers_of(self.stage, step.chunk):
            attention, perceptron = job.layer_cycles(layer, forward=True)
            self._gather_layer()
            self._attention(attention, 1)
            self._perceptron(perceptron)
        if self._is_last(step):
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
            self.writer.compute(job.head_cycles(forward=False))
            self._sum_over_tensor()
        for layer in reversed(job.layers_of(self.stage, step.chunk)):
            attention, perceptron = job.layer_cycles(layer, forward=False)
            self._gather_layer()
            self._perceptron(perceptron)
            self._attention(attention, 2)
            if reducing:
                self.background.begin(self._reduce_layer)
        if self._is_first(step):
            self._share_sequence()
        self._send(step, self._before(step))

    def _attention(self, cycles: int, times: int) -> None:
        """Write the attention of a layer; `times` as many bytes go round the context-parallel ranks."""
        self._share_sequence()
        self._pass_keys_and_values(times)
        self.background.compute(cycles, share=1)
        self._sum_over_tensor()

    def _perceptron(self, cycles: int) -> None:
        if self.job.model.experts > 1:
            self._exchange_tokens()
            self._share_sequence()
            self.background.compute(cycles, share=0.5)
            self._sum_over_tensor()
            self._exchange_tokens()
            return
        self._share_sequence()
        self.background.compute(cycles, share=0.5)
        self._sum_over_tensor()

    def _share_sequence(self) -> None:
        """Bring the whole sequence to each rank of a tensor group that had its own part."""
        if self.job.sequence_parallel and len(self.tensor) > 1:
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
        """Send tokens to their experts, or back."""
        if len(self.experts) > 1:
            alltoall(self.writer, self.experts, self.job.dispatch_bytes)

    def _gather_layer(self) -> None:
        """Gather the parameters of a layer, under ZeRO 3."""
        job = self.job
        if job.zero < 3:
            return
        _gather(self.writer, self.replicas, job.layer_parameters * job.PARAMETER)
        _gather(self.writer, self.expert_replicas, job.layer_expert_parameters * job.PARAMETER)

    def _reduce_layer(self, writer: TaskWriter) -> None:
        """Sum the gradients of a layer over the ranks that have the same parameters."""
        self._reduce(writer, self.replicas, self.job.layer_parameters)
        self._reduce(writer, self.expert_replicas, self.job.layer_expert_parameters)

    def _reduce_embeddings(self) -> None:
        job, last = self.job, len(self.pipeline) - 1
        ends = {0, last}
        if self.stage not in ends:
            return
        tables = 2 if last == 0 and not job.model.tied else 1
        for _ in range(tables):
            self._reduce(self.writer, self.replicas, job.embedding_parameters)
        if job.model.tied and last:
            allreduce(
                self.writer,
                [self.pipeline[0], self.pipeline[last]],
                job.embedding_parameters * job.GRADIENT,
            )

    def _reduce(self, writer: TaskWriter, members: Sequence[int], parameters: int) -> None:
        job = self.job
        if len(members) == 1 or not parameters:
            return
        if job.zero == 0:
            allreduce(writer, members, parameters * job.GRADIENT)
            return
        reduce_scatter(writer, members, parameters * job.GRADIENT)
        if job.zero < 3:
            _gather(writer, members, parameters * job.PARAMETER)

    def _is_first(self, step: Step) -> bool:
        return self.stage == 0 and step.chunk == 0

    def _is_last(self, step: Step) -> bool:
        return self.stage == self.job.layout.pp - 1 and step.chunk == self.job.chunks - 1

    def _before(self, step: Step) -> tuple[int, int] | None:
        """Return the rank that has the layers before those of a step, and their tag."""
        if self._is_first(step):
            return None
        # Before the first stage lies the last one, with the chunk before.
        return self.pipeline[self.stage - 1], self._tag(step, step.chunk - (self.stage == 0))

    def _after(self, step: Step) -> tuple[int, int] | None:
        """Return the rank that has the layers behind those of a step, and their tag."""
        if self._is_last(step):
            return None
        return self.pipeline[(self.stage + 1) % len(self.pipeline)], self._tag(step, step.chunk)

    def _tag(self, step: Step, chunk: int) -> int:
        """Return the tag of what goes from a chunk to the layers behind it, or back; 0 is for collectives."""
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
        least, more = divmod(bytes, len(members))
        allgatherv(writer, members, [least + (i < more) for i in range(len(members))])
