"""Training of language models: one step of a job, by its parallelism."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from netplace.apps.application import Application
from netplace.apps.collectives import Collectives
from netplace.apps.operation import check_written
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter
from netplace.apps.training.job import Job, Layout, job_of, layout_of, model_of
from netplace.apps.training.models import MODELS, Model, read_layer_times
from netplace.apps.training.writing import write_step
from netplace.inputs import check_int

__all__ = ["MODELS", "TRAINING", "Job", "Layout", "Model", "read_layer_times", "training", "training_job"]


def training_job(
    tasks: int,
    model: str = "toy",
    tp: int = 1,
    pp: int = 1,
    dp: int | None = None,
    cp: int = 1,
    ep: int = 1,
    sp: int = 0,
    zero: int = 0,
    chunks: int = 1,
    micro_batch: int = 1,
    global_batch: int | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    sequence: int | None = None,
    experts: int | None = None,
    order: str = "tp-cp-dp-pp",
    overlap: int = 0,
    flops: float = 1.4e14,
    times: str = "",
    cycle_ns: float = 3.2,
) -> Job:
    """Return the job of `tasks` ranks that the options of application ``training`` describe.

    Parameters
    ----------
    model : str
        Key of `MODELS`.
    tp, pp, dp, cp, ep : int
        Tensor, pipeline, data (by default the rest), context and expert parallel ranks.
    sp : int
        1: tensor groups share the sequence (Korthikanti et al., arXiv 2205.05198).
    zero : int
        Stage of ZeRO (Rajbhandari et al., SC 2020), from 0 to 3.
    chunks : int
        Chunks of layers on each pipeline stage; more than one are interleaved.
    micro_batch, global_batch : int
        Sequences of a micro-batch and of a step; by default a micro-batch for each stage and data-parallel
        rank.
    layers, hidden, sequence, experts : int, optional
        Other sizes than the model's.
    order : str
        Dimensions, beginning with the one along which consecutive ranks lie.
    overlap : int
        1, 2: gradients of a layer are sent while others are computed, all messages at once or round by round.
    flops : float
        Floating-point operations per second of a rank: by default 45 % of the 312e12 of an A100, as Narayanan
        et al., SC 2021, report 44 to 52 %. 0: computation takes no time.
    times : str
        File with the seconds of layers, see `read_layer_times`; layers without a line follow `flops`.
    """
    sizes = model_of(model, layers, hidden, sequence, experts)
    job = Job(
        sizes,
        layout_of(tasks, tp, cp, dp, pp, ep, order),
        micro_batch=micro_batch,
        sequence_parallel=bool(check_int(sp, "sp", 0)),
        zero=zero,
        chunks=chunks,
        overlap=overlap,
        flops=flops,
        cycle_ns=cycle_ns,
        times=read_layer_times(str(times), sizes.layers) if times else {},
    )
    return job_of(job, global_batch)


def training(
    tasks: int, iterations: int = 1, collectives: Collectives | None = None, **options: Any
) -> Program:
    """Return the program of so many steps of training; `options` are those of `training_job`."""
    job, steps = training_job(tasks, **options), check_int(iterations, "iterations")
    # Every layer computes twice forwards and twice backwards.
    check_written(4 * tasks * job.micros * job.model.layers // job.layout.pp * steps, "training")
    writers = [TaskWriter(task, tasks, collectives) for task in range(tasks)]
    for writer in writers:
        writer.mark(1)
        write_step(writer, job)
        writer.repeat(0, steps)
        writer.mark(-1)
    program = Program.of(writers, f"training.{options.get('model', 'toy')}.{tasks}")
    return replace(program, interleaved=True)


_OPTIONS = inspect.signature(training_job).parameters
_OWN = inspect.signature(training).parameters
training.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [*_OPTIONS.values(), _OWN["iterations"], _OWN["collectives"]]
)

TRAINING: dict[str, Application] = {
    "training": Application(
        "training",
        "training steps of a language model with tensor, pipeline, data and other parallelism",
        training,
    )
}
