"""Messages between racks beside a stated load of other jobs' traffic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps import APPLICATIONS, Program
from netplace.netsim import Config, Network, pattern
from netplace.topologies import Topology

MEANS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16)
"""Mean loads of a node that are tried, in phits a cycle."""
_LOADS, _MESSAGES = 8, 5  # loads that stand for the distribution, and messages beside each of them
_WARMUP, _BETWEEN = 10000, 500  # cycles


@dataclass(frozen=True)
class BusyMachine:
    """A machine on which nodes 0 and `far` exchange messages, and all other nodes send packets.

    **(ours)**: a tenth of the packets go to the same node, and the load of the nodes differs from message to
    message. It is drawn from an exponential distribution, whose mean is the only parameter.
    """

    network: Topology
    far: int
    config: Config

    def mean_load(self, test: str, bytes: int, median: float) -> float:
        """Return the mean load, of `MEANS`, at which the median time is nearest to this one."""
        medians = {mean: float(np.median(self.times(test, bytes, mean))) for mean in MEANS}
        return min(medians, key=lambda mean: abs(np.log(medians[mean] / median)))

    def times(self, test: str, bytes: int, mean: float) -> NDArray[np.float64]:
        """Return the microseconds that messages of a ping-pong take."""
        options = dict(option.split("=") for option in test.split(","))
        program = APPLICATIONS["collective"].make(2, **options, bytes=bytes)
        shares = (np.arange(_LOADS) + 0.5) / _LOADS
        cycles = [self._cycles(program, -mean * float(np.log1p(-share))) for share in shares]
        return np.concatenate(cycles) * self.config.cycle_ns * 1e-3

    def _cycles(self, program: Program, load: float) -> list[int]:
        run, nodes, found = Network(self.network, self.config, seed=1), [0, self.far], []
        run.generate(pattern("hot-spot", self.network, load / self.config.packet_phits, without=nodes))
        run.advance(_WARMUP)
        for _ in range(_MESSAGES):
            begin = run.now
            job = run.start(program, nodes)
            run.advance()
            found.append(run.job(job).end - begin)
            run.advance(run.now + _BETWEEN)
        return found
