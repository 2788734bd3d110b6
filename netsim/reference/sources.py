"""Open-loop traffic (docs/background/patterns.md): nodes that create packets by themselves."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from simpy.events import ProcessGenerator

from netplace.netsim.chance import GAP, HOT_SPOT, TARGET, draw, gap, pick
from netplace.netsim.engine import Traffic
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.packets import Load


class Sources:
    """The sources of one kind of traffic.

    After the process of a node succeeds, a packet waits for the injector, with one try per cycle, and no
    packet is drawn meanwhile. It is created in the cycle in which the injector takes it; the next draw counts
    from the cycle after.
    """

    def __init__(self, traffic: Traffic, nodes: Sequence[Node], clock: Clock, seed: int) -> None:
        self._traffic = traffic
        self._count = len(nodes)
        self._clock = clock
        self._seed = seed
        self._log_stay = [math.log1p(-p) if p < 1 else -math.inf for p in traffic.chances.tolist()]
        self._until = [] if traffic.rates is None else [0.0, *np.cumsum(traffic.rates.data).tolist()]
        self._stopped = False
        # The nodes that create packets.
        self.active = [node for node in nodes if traffic.chance > 0 and self._sends(node.number)]

    def start(self, cycle: int) -> None:
        self._clock.runnable += len(self.active)
        for node in self.active:
            self._clock.env.process(self._life(node, cycle))

    def stop(self) -> None:
        """Stop drawing, and drop the packets that still wait for an injector."""
        self._stopped = True
        for node in self.active:
            self._clock.runnable -= node.traffic is None
            node.traffic = None

    def _sends(self, node: int) -> bool:
        target = int(self._traffic.target[node])
        return target != node and not (target < 0 and self._count == 1)

    def _life(self, node: Node, cycle: int) -> ProcessGenerator:
        while True:
            cycle += int(gap(draw(self._seed, GAP, node.number, 0, cycle), self._log_stay[node.number]))
            yield self._clock.until(cycle)
            if self._stopped:
                return
            load = Load(self._clock.env, self._destination(node.number, cycle), 1)
            node.offer(load)
            self._clock.stir(self._clock.now)
            self._clock.runnable -= 1
            yield load.over
            self._clock.runnable += 1
            cycle = self._clock.now + 1

    def _destination(self, node: int, cycle: int) -> int:
        """Return the destination of the packet drawn in `cycle`."""
        traffic = self._traffic
        if traffic.hot_share > 0 and node != traffic.hot_node:
            share = int(draw(self._seed, HOT_SPOT, node, 0, cycle)) / 2**64
            if share < traffic.hot_share:
                return traffic.hot_node
        target = int(traffic.target[node])
        if target >= 0:
            return target
        if traffic.rates is not None:
            begin, end = traffic.rates.indptr[node : node + 2].tolist()
            before, last = self._until[begin], self._until[end]
            share = int(draw(self._seed, TARGET, node, 0, cycle)) / 2**64
            place = bisect_right(self._until, before + share * (last - before), begin + 1, end)
            return int(traffic.rates.indices[place - 1])
        among = range(self._count) if traffic.among is None else traffic.among
        place = pick(self._seed, TARGET, node, 0, cycle, len(among) - 1)
        return int(among[place + (among[place] >= node)])
