"""A cell of the study: a step of training on the nodes that a partitioner gives it, alone and with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program, application
from netplace.cosim import Work
from netplace.cosim.work import body_of
from netplace.experiments.shared.nodes_after_others import filled, nodes_after_others
from netplace.netsim import Config, Network
from netplace.report.studies.schedules import CachedCase
from netplace.scheduling import make_partitioner
from netplace.topologies import Topology, parse

Nodes = NDArray[np.int64]

GIGABYTES = 50  # a second of a link
PHIT_BYTES = 32768
RANKS = 128
TRAINING = {"model": "llama-7b", "layers": 8, "tp": 4, "pp": 4, "collectives": "nccl"}
WARM_UP = 10.0  # ms that the others run before

# What runs beside: tasks, application, bytes of a message, ms of computation before each iteration. It is
# about four times as long as the messages take alone.
MIX = (
    (125, "3d-torus", 8 << 20, 4.0),
    (64, "3d-torus", 8 << 20, 4.0),
    (96, "3d-torus", 8 << 20, 4.0),
    (100, "all-to-all", 1 << 20, 8.0),
    (64, "all-to-all", 1 << 20, 5.0),
    (128, "butterfly", 16 << 20, 10.0),
    (64, "butterfly", 16 << 20, 8.0),
    (128, "all-to-all", 1 << 20, 10.0),
)
_EARLY = 4  # the training job comes among so many first: later there may be no box for it


@dataclass(frozen=True)
class Cell(CachedCase):
    """A training job on a machine, its nodes by a partitioner and its ranks in an order; one draw."""

    study: ClassVar[str] = "training-placement"
    revision: ClassVar[int] = 2  # the training job is among the first to come

    machine: str
    partitioner: str
    order: str
    draw: int

    def run(self) -> dict[str, float]:
        machine, config = _machine(self.machine), _config(PHIT_BYTES)
        nodes = _placed(self.machine, self.partitioner, self.draw)
        program = _step(self.order, config.cycle_ns)
        beside = [(_iteration(*MIX[number], config), own) for number, own in enumerate(nodes[1:]) if len(own)]
        return {
            "alone": _step_ms(machine, config, program, nodes[0], []),
            "live": _step_ms(machine, config, program, nodes[0], beside),
            "neighbours": len(beside),
            "distance": _mean_distance(machine, nodes[0]),
        }


@dataclass(frozen=True)
class Scaled(CachedCase):
    """The same step alone, with phits of the given number of bytes and cycles as many times as long."""

    study: ClassVar[str] = "training-placement"

    machine: str
    phit_bytes: int

    def run(self) -> dict[str, float]:
        config = _config(self.phit_bytes)
        program = _step("tp-cp-dp-pp", config.cycle_ns)
        network = Network(_machine(self.machine), config)
        network.start(program, np.arange(RANKS))
        network.finish()
        result = network.result()
        return {"alone": result.cycles * config.cycle_ns / 1e6, "packets": int(result.packets)}


def _config(phit_bytes: int) -> Config:
    return Config(phit_bytes=phit_bytes, cycle_ns=phit_bytes / GIGABYTES)


@lru_cache
def _machine(text: str) -> Topology:
    return parse(text)


@lru_cache
def _step(order: str, cycle_ns: float) -> Program:
    return application("training", RANKS, **TRAINING, order=order, cycle_ns=cycle_ns)


def _iteration(tasks: int, name: str, bytes: int, compute: float, config: Config) -> Program:
    """Return an iteration of a neighbor, which computes so many milliseconds first."""
    cycles = round(compute * 1e6 / config.cycle_ns)
    return body_of(Work(f"{name},bytes={bytes}", tasks, compute=cycles), config)


@lru_cache
def _placed(machine: str, partitioner: str, draw: int) -> list[Nodes]:
    # It is full of small jobs, placed by the same partitioner. They end one after the other, in any order,
    # until there are nodes for the next job; neighbours come in any order, the training job among the first.
    # A neighbour for which there are none even then has an empty array.
    rng = np.random.default_rng([draw, 1])
    keeper = make_partitioner(partitioner, _machine(machine), draw)
    past = filled(keeper, rng)
    sizes = [RANKS, *(tasks for tasks, *_ in MIX)]
    nodes = [np.empty(0, np.int64)] * len(sizes)
    arrivals = (1 + rng.permutation(len(MIX))).tolist()
    arrivals.insert(int(rng.integers(_EARLY)), 0)
    for place in arrivals:
        nodes[place] = nodes_after_others(keeper, sizes[place], past)
    return nodes


def _step_ms(
    machine: Topology, config: Config, program: Program, nodes: Nodes, beside: Sequence[tuple[Program, Nodes]]
) -> float:
    """Return the milliseconds of a step, after the others have run for a while."""
    network = Network(machine, config)
    begin = round(WARM_UP * 1e6 / config.cycle_ns) if beside else 0
    for other, own in beside:
        network.start(other, own, times=1 << 20)
    job = network.start(program, nodes, at=begin)
    while job not in network.advance():
        pass
    return (int(network.job(job).end) - begin) * config.cycle_ns / 1e6


def _mean_distance(machine: Topology, nodes: Nodes) -> float:
    first, second = np.triu_indices(len(nodes), 1)
    return float(machine.distance(nodes[first], nodes[second]).mean())
