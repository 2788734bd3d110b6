"""Predictions of how much jobs delay each other, from the expected packets on their common links.

Predictions determine which jobs to simulate together, and when to repeat this; the factors themselves are
always simulated. A packet that meets a link that is busy for a share `load` of the time waits for half a
packet there, `load` times. Over its hops, in units of the packet's own time, that is half the sum of the
loads that it meets, and a job is exposed to it while it communicates. Other delays of a packet are left out,
so the prediction is rather too high than too low if queues are short. Queues are long if a job sends more to
one node than the node can take. Its packets then hold their places for as many times longer as the node
receives more than others, and its load counts that many times, up to `_MOST_HELD`.
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

Tasks = NDArray[np.int64]
_MOST_HELD = 16.0
_BUSY = 0.7  # of the time in which it communicates: then a node that receives holds up those that send


@dataclass(frozen=True, eq=False)
class Presence:
    """The effects of a job on others on the network, and of others on it."""

    # shape (links,): crossings of each link by one of its packets; the sum is its hops.
    meets: NDArray[np.float64]
    # shape (links,): share of the time in which its packets hold each link if the job is alone.
    load: NDArray[np.float64]
    exposed: float  # share of its time alone that its communication takes, hidden behind computation or not


def presence(placing: Placing, placed: Placed, period: float, speaking: float) -> Presence:
    """Return a job's presence from its cycles per iteration, alone and without any computation."""
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
    """Return the predicted share by which each job delays another; 0 if they share no link."""
    return min(1.0, 0.5 * on.exposed * float(on.meets @ of.load))
