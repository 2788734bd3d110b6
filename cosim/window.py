"""A window: a simulation of a mix for some time, which gives the slowdown factor of each job.

A job whose tasks all wait for each other progresses steadily. If it has more iterations than a block, it runs
continuously, because the lead of its tasks and its packets in the network build up over many iterations; the
count is that of its slowest task. Any other job runs as a whole block, repeatedly: its senders would
otherwise run ahead forever, and fill a network that the real program clears soon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.placed import Placed, Placing
from netplace.netsim import Network

_WARM_UP, _MEASURED = 1, 2  # lengths of the longest block
_MOST = 16  # the same: a job that has not ended by then is starved
_FOR_EVER = (1 << 31) - 1

Times = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    job: Placed  # the job on its nodes
    times: int  # iterations of a block
    once: float  # cycles of one iteration alone
    lasting: bool  # whether it runs continuously, instead of repeating its block

    def start(self, placing: Placing, network: Network, at: int | None = None) -> int:
        work = replace(self.job.work, iterations=_FOR_EVER if self.lasting else self.times)
        return placing.start(network, replace(self.job, work=work), at)


def window(
    placing: Placing, parts: list[Part], watched: list[int], length: float, seed: int
) -> dict[int, Times]:
    """Return the cycles per iteration of each watched job, by its place, for each block of `length` cycles.

    For a job that runs continuously, it is a single value.
    """
    rng = np.random.default_rng(seed)
    network = replace(placing, seed=seed).network()
    running = {
        part.start(
            placing, network, int(rng.integers(0, max(1, int(min(length, part.times * part.once)))))
        ): place
        for place, part in enumerate(parts)
    }
    again = [place for place in watched if not parts[place].lasting]
    ends: dict[int, list[int]] = {place: [] for place in again}
    _run(placing, parts, network, running, math.ceil(_WARM_UP * length), ends)
    for some in ends.values():
        some.clear()
    lasting = [place for place in watched if parts[place].lasting]
    began, before = network.now, _rounds(network, running, lasting)
    limit, last = (began + math.ceil(lengths * length) for lengths in (_MEASURED, _MOST))
    while network.now < limit or (network.now < last and any(len(some) < 2 for some in ends.values())):
        _run(placing, parts, network, running, max(limit, network.now + math.ceil(length)), ends)
    span, after = network.now - began, _rounds(network, running, lasting)
    taken = {place: _blocks(some, span) / parts[place].times for place, some in ends.items()}
    for place in lasting:
        done = float(after[place].min() - before[place].min())
        taken[place] = np.array([span / max(done, 0.5)])
    return taken


def _blocks(ends: list[int], span: int) -> Times:
    """Return the cycles between the ends of blocks; of one that is starved no more is known than the span."""
    return np.diff(ends).astype(float) if len(ends) > 1 else np.array([float(span)])


def _run(
    placing: Placing,
    parts: list[Part],
    network: Network,
    running: dict[int, int],
    until: int,
    ends: dict[int, list[int]],
) -> None:
    """Simulate up to a cycle; write down when a block ends, and start it again."""
    while network.now < until:
        for number in network.advance(until):
            place = running.pop(number)
            if place in ends:
                ends[place].append(network.now)
            running[parts[place].start(placing, network)] = place
            network.forget(number)


def _rounds(network: Network, running: dict[int, int], lasting: list[int]) -> dict[int, NDArray[np.float64]]:
    """Return the iterations that each task of continuously running jobs has completed."""
    return {place: network.rounds(number) for number, place in running.items() if place in lasting}
