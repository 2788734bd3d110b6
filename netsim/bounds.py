"""Bounds on run time that hold under every mapping: sending, receiving, computing and waiting of a node."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.apps.iterations import block
from netplace.apps.program import Repeated
from netplace.apps.replay import needs
from netplace.native import apps as native
from netplace.netsim.config import Config
from netplace.netsim.effects import check_settings
from netplace.netsim.lower import creates_packets
from netplace.topologies import Topology
from netplace.topologies.graph import Graph

_ROUNDING = 1e-6
_NEAR = 0.95  # of the dependencies: a simpler bound that comes as near explains them


@dataclass(frozen=True)
class Bound:
    """The least number of cycles that a job takes, and the task that causes this bound."""

    cycles: int  # the number of cycles
    task: int


@dataclass(frozen=True)
class Bounds:
    """Lower bounds on the cycles of a job that hold under every mapping and partition of a network."""

    injection: Bound  # links have their pace; a node sends at most one phit per cycle through each injector
    ejection: Bound  # links have their pace; with ``single`` consumption, a node receives one phit per cycle
    computation: Bound  # the computation of a task
    # Tasks send, compute and wait for each other in order, and only injection delays packets.
    dependencies: Bound

    @property
    def minimum(self) -> int:
        return max(
            bound.cycles for bound in (self.injection, self.ejection, self.computation, self.dependencies)
        )

    @property
    def binding(self) -> str:
        """Name of the bound that explains `minimum`: the simplest one that is close to it."""
        for name in ("injection", "ejection", "computation"):
            if getattr(self, name).cycles >= _NEAR * self.minimum:
                return name
        return "dependencies"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"least": self.minimum, "binding": self.binding}


def bounds(job: Program | Repeated, topology: Topology, config: Config | None = None) -> Bounds:
    """Return the bounds on the run time of a job that hold under every mapping."""
    check_settings(topology, config or Config())
    settings = (config or Config()).of_all_classes
    program, times = (job.program, job.times) if isinstance(job, Repeated) else (job, 1)
    task_of, passes = program.task_of(), _passes(program, times)
    sends = creates_packets(program)
    computes = program.kind == Op.COMPUTE
    length = np.maximum(1, -(-program.size // settings.packet_bytes))
    packets, cycles = np.where(sends, length, 0), np.where(computes, program.size, 0)

    linked = topology.neighbor[topology.computing]
    paces = topology.cycles[topology.computing] if isinstance(topology, Graph) else 1
    rates = np.sort(np.where(linked >= 0, 1 / np.maximum(1, paces), 0.0))[:, ::-1]  # phits per cycle, by link
    out_of = rates[:, : settings.injectors]
    created = packets
    if settings.eager_limit is not None:  # what an `ISEND` leaves to the interface is created when asked for
        left = (program.kind == Op.ISEND) & (program.size > settings.eager_limit)
        created = np.where(left, np.minimum(packets, 1), packets)
    if settings.interleaves(program):  # nor does a task wait for what takes turns
        created = np.where(program.kind == Op.ISEND, 0, created)
    # Matched as the engines do it, by length in packets.
    need = needs(replace(program, size=np.where(computes, program.size, length)))
    awaited = np.zeros(len(need), np.bool_)  # messages without a waiting task can outlive the job
    awaited[need[need >= 0]] = True
    phits = np.where(awaited, packets * passes, 0) * settings.packet_phits
    sent = _sums(task_of, phits, program.tasks)
    received = _sums(program.peer[sends], phits[sends], program.tasks)
    ends = native.earliest_ends(
        program.first,
        need,
        packets,
        created,
        cycles,
        settings.packet_phits,
        math.ceil(out_of.sum(axis=1).max()) or 1,
        settings.injectors * (settings.nic_buffer + settings.queue_packets),
        1 if np.isin(linked[linked >= 0], topology.computing).any() else 2,
    )
    arriving = _least_time(received, rates)
    if settings.ejection == "single":
        arriving = np.maximum(arriving, received)
    return Bounds(
        injection=_most(_least_time(sent, out_of)),
        ejection=_most(arriving),
        computation=_most(_sums(task_of, cycles * passes, program.tasks)),
        dependencies=_most(np.asarray(ends)),
    )


def _passes(program: Program, times: int) -> NDArray[np.int64]:
    """Return how often each operation is executed."""
    passes = np.ones(len(program.kind), np.int64)
    if times > 1:
        for begin, end in zip(*block(program)[:2], strict=True):
            passes[begin:end] = times
    return passes


def _sums(task: NDArray[np.integer], amount: NDArray[np.int64], tasks: int) -> NDArray[np.int64]:
    total = np.zeros(tasks, np.int64)
    np.add.at(total, task, amount)
    return total


def _least_time(phits: NDArray[np.int64], rates: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cycles in which a node's links (a row) carry phits at best; the last of a link takes one."""
    links, rate = int((rates > 0).sum(axis=1).max()), float(rates.sum(axis=1).max())
    if not links:  # a single node sends nothing
        return np.zeros_like(phits)
    time = np.ceil((phits - links) / rate + 1 - _ROUNDING)
    return np.where(phits > 0, np.maximum(1, time), 0).astype(np.int64)


def _most(cycles: NDArray[np.int64]) -> Bound:
    task = int(np.argmax(cycles))
    return Bound(int(cycles[task]), task)
