"""A cell of the study: a mix of jobs on a dragonfly of some fabric, each alone and all together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.cosim import Work
from netplace.cosim.work import body_of
from netplace.experiments.shared.nodes_after_others import filled, nodes_after_others
from netplace.netsim import Config, Network
from netplace.netsim.laps import Laps
from netplace.netsim.presets import FABRICS
from netplace.scheduling import make_partitioner
from netplace.studies.schedules import KeptCase
from netplace.topologies import Topology, parse

Nodes = NDArray[np.int64]

MACHINE = "dragonfly:a=8,p=4,h=4"
VCS = 4  # of each class

# Kind of job, tasks, application, bytes of a message, and microseconds that every task computes before each
# iteration, on links of 25 GB/s; on others as many times as long as they are slower.
_MEASURED_JOBS = (
    ("latency", 64, "butterfly", 64, 5.0),
    ("latency", 32, "butterfly", 64, 5.0),
    ("halo", 125, "3d-torus", 16384, 10.0),
    ("halo", 64, "3d-torus", 16384, 10.0),
    ("all-to-all", 64, "all-to-all", 4096, 20.0),
    ("all-to-all", 96, "all-to-all", 4096, 30.0),
    ("butterfly", 128, "butterfly", 32768, 20.0),
    ("butterfly", 64, "butterfly", 32768, 20.0),
)
# Two jobs more, in which all tasks send to one: half as much as its link takes, or as much as they can.
MIXES = {
    "paced": (
        *_MEASURED_JOBS,
        ("incast", 128, "all-to-one", 16384, 166.0),
        ("incast", 64, "all-to-one", 16384, 83.0),
    ),
    "incast": (
        *_MEASURED_JOBS,
        ("incast", 128, "all-to-one", 65536, 0.0),
        ("incast", 64, "all-to-one", 65536, 0.0),
    ),
}
_GIGABYTES = 25.0
_WARM_UP, _MEASURED = 100.0, 240.0  # microseconds, on links of 25 GB/s
_FOREVER = 1 << 20  # iterations


@dataclass(frozen=True)
class Cell(KeptCase):
    """A mix on a fabric with a routing, classes and congestion control, placed by a partitioner; one draw."""

    study: ClassVar[str] = "fabrics"

    mix: str
    fabric: str
    routing: str
    classes: str
    control: str
    partitioner: str
    draw: int

    @property
    def config(self) -> Config:
        given = {
            "routing": self.routing,
            "vcs": VCS,
            "traffic_classes": self.classes,
            "congestion_control": self.control,
        }
        return Config(**FABRICS[self.fabric].settings | given)

    def run(self) -> dict[str, list[float]]:
        nodes = _nodes(self.partitioner, self.draw)
        there = [number for number, own in enumerate(nodes) if len(own)]
        times = np.zeros((2, len(nodes)))
        times[0, there] = [time for number in there for time in self._times(nodes, [number])]
        times[1, there] = self._times(nodes, there)
        return {"alone": times[0].tolist(), "live": times[1].tolist()}

    def _times(self, nodes: list[Nodes], numbers: Iterable[int]) -> list[float]:
        """Return the mean microseconds of an iteration of some jobs that run together."""
        config = self.config
        cycles_of_us = 1000 * _GIGABYTES / config.phit_bytes  # as many on all links
        network = Network(_machine(), config, seed=self.draw)
        jobs = []
        for number in numbers:
            _, tasks, application, bytes, compute = MIXES[self.mix][number]
            work = Work(f"{application},bytes={bytes}", tasks, compute=round(compute * cycles_of_us))
            jobs.append(network.start(body_of(work, config), nodes[number], times=_FOREVER))
        network.advance(round(_WARM_UP * cycles_of_us))
        before = [network.laps(job) for job in jobs]
        times = np.zeros(len(jobs))
        while not times.all():
            network.advance(network.now + round(_MEASURED * cycles_of_us))
            laps = [network.laps(job) for job in jobs]
            times = np.array([_of_an_iteration(*ends) for ends in zip(before, laps, strict=True)])
        return [float(time) * config.cycle_ns / 1000 for time in times]


def _of_an_iteration(before: Laps, after: Laps) -> float:
    """Return the mean cycles of iterations that ended between two looks; 0 if some task has ended none."""
    done = after.done - before.done
    return float(((after.last - before.last) / done).mean()) if done.all() else 0.0


@lru_cache
def _machine() -> Topology:
    return parse(MACHINE)


@lru_cache
def _nodes(partitioner: str, draw: int) -> list[Nodes]:
    rng = np.random.default_rng([draw, 2])
    keeper = make_partitioner(partitioner, _machine(), draw)
    past = filled(keeper, rng)
    sizes = [tasks for _, tasks, *_ in MIXES["paced"]]
    nodes = [np.empty(0, np.int64)] * len(sizes)
    for number in rng.permutation(len(sizes)).tolist():
        nodes[number] = nodes_after_others(keeper, sizes[number], past)
    return nodes
