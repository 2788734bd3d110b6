"""By how much jobs may hold each other up, foretold from the packets to be expected on the links they share.

It says whom to simulate beside whom, and when again; the factors themselves are always simulated. A packet
that finds a link busy for a share `load` of the time waits for half a packet there, `load` times. Over its
hops that is, in units of a packet's own time, half the sum of the loads it meets, and a job is exposed to it
while it communicates. What a packet takes beside, hop by hop, is left out, so the influence is rather over
than under what is simulated, where queues are short. Where they are not, because a job sends more to one
node than that can take, its packets hold their places for as many times longer as the node gets more than
others: its load counts so many times, up to `_MOST_HELD`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.possible import expected_packets, link_widths
from netplace.netsim import Config
from netplace.netsim.lower import created_packets

__all__ = ["Presence", "influences", "presence"]

Tasks = NDArray[np.int64]
_MOST_HELD = 16.0
_BUSY = 0.7  # of the time in which it communicates: then a node that receives holds up those that send


@dataclass(frozen=True, eq=False)
class Presence:
    """What others feel of a job on the network, and it of them.

    Attributes
    ----------
    meets : ndarray of float64, shape (links,)
        How often one of its packets crosses each link; the sum is its hops.
    load : ndarray of float64, shape (links,)
        Share of the time in which its packets hold each link, were it alone.
    exposed : float
        Share of its time alone that its communication takes, hidden behind computation or not.
    """

    meets: NDArray[np.float64]
    load: NDArray[np.float64]
    exposed: float


def presence(placing: Placing, placed: Placed, period: float, speaking: float) -> Presence:
    """Return the presence of a job.

    Parameters
    ----------
    placing : Placing
        Machine and settings.
    placed : Placed
        The job on its nodes.
    period, speaking : float
        Cycles that an iteration takes alone, and that its communication takes without any computation.
    """
    config, nodes = placing.config, placed.nodes
    sources, targets, packets = _pairs(placing.body(placed), config)
    crossed = expected_packets(placing.machine, nodes[sources], nodes[targets], packets, config)
    # What is hidden behind computation is still in the way of others, and held up by them.
    speaking = max(1.0, speaking, period - placed.work.compute)
    received = np.bincount(targets, packets, placed.work.tasks)
    most = float(received.max())
    held = 1.0
    if most * config.packet_phits > _BUSY * speaking:
        held = min(_MOST_HELD, most / float(received.mean()))
    load = crossed / link_widths(placing.machine, config) * (config.packet_phits * held / period)
    return Presence(crossed / packets.sum(), load, min(1.0, speaking / period))


def _pairs(program: Program, config: Config) -> tuple[Tasks, Tasks, NDArray[np.float64]]:
    """Return sources, targets and packets of an iteration of all pairs of tasks that send each other any."""
    amounts = np.concatenate(created_packets(program, config)).astype(float)
    some = np.flatnonzero(amounts)
    ends = np.stack([program.task_of(), program.peer.astype(np.int64)])
    pairs, place = np.unique(np.hstack([ends, ends[::-1]])[:, some], axis=1, return_inverse=True)
    return pairs[0], pairs[1], np.bincount(place, amounts[some], pairs.shape[1]).astype(float)


def influences(of: Presence, on: Presence) -> float:
    """Return by which share a job is held up by another, as far as can be foretold; 0: they share no link."""
    return min(1.0, 0.5 * on.exposed * float(on.meets @ of.load))
