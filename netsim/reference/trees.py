"""Routing on k-ary n-trees and thin trees: up to a common ancestor, then down the forced ports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netplace.netsim.chance import TREE_UP, TREE_VC, pick
from netplace.netsim.config import Config
from netplace.netsim.reference.router import Fifo, Head, Output
from netplace.netsim.reference.routing import Routing
from netplace.topologies import Tree


class TreeRouting(Routing):
    """Routes of a tree; a node has one port, a switch has its up ports first, then its down ports."""

    def __init__(self, tree: Tree, config: Config, seed: int) -> None:
        super().__init__(config, seed)
        self.tree = tree
        self._choice = TREE_ROUTINGS[config.tree_routing]
        self._stage: list[int] = tree.stage_of(np.arange(tree.routers)).tolist()
        self._static = config.tree_routing == "static"

    def head(self, fifo: Fifo, now: int) -> Head:
        """Return the outputs that lead up, or those of the forced port down."""
        packet = fifo.packets[0]
        if self.arrived(packet, fifo):
            return Head(now, [fifo.router.consumption])
        stage = self._stage[fifo.router.number]
        if stage < 0:
            ports = [0]
        elif self._rises(fifo, stage):
            ports = list(range(self.tree.up))
        else:
            ports = [self.tree.up + self._digit(packet.destination, stage)]
        outputs = [fifo.router.outputs[port * self.vcs + vc] for port in ports for vc in range(self.vcs)]
        if self._static and stage >= 0:
            outputs = [output for output in outputs if output.vc == fifo.vc]
            if len(ports) > 1:
                outputs = [outputs[self._static_port(fifo, stage)]]
        return Head(now, outputs)

    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the chosen output if it has room; a packet at its destination requests consumption."""
        output = head.candidates[0]
        if len(head.candidates) > 1:
            output = self._choice(self, fifo, head, now)
        return output if self.may_enter(fifo, output) else None

    def _digit(self, node: int, stage: int) -> int:
        """Return the digit of a node's number that belongs to a stage."""
        return int(node // self.tree.down**stage % self.tree.down)

    def _rises(self, fifo: Fifo, stage: int) -> bool:
        """Return whether the head packet came from below and the switch is not above its destination."""
        packet = fifo.packets[0]
        span = self.tree.down ** (stage + 1)
        return fifo.port >= self.tree.up and packet.source // span != packet.destination // span

    def _static_port(self, fifo: Fifo, stage: int) -> int:
        """Return the up port by the VC and the source in a fat tree, the destination in a thin one."""
        packet = fifo.packets[0]
        named = packet.destination // self.tree.down**stage
        if self.tree.up == self.tree.down:
            named = self._digit(packet.source, stage)
        return int((named + fifo.vc) % self.tree.up)


def _adaptive(routing: TreeRouting, fifo: Fifo, head: Head, now: int) -> Output:
    """Return the output with the most room, a random one of equals."""
    rooms = [output.fifo.room if output.fifo else 0 for output in head.candidates]
    best = [output for output, room in zip(head.candidates, rooms, strict=True) if room == max(rooms)]
    if len(best) == 1:
        return best[0]
    return best[pick(routing.seed, TREE_UP, fifo.router.number, fifo.number, now, len(best))]


def _static(routing: TreeRouting, fifo: Fifo, head: Head, now: int) -> Output:
    """Return a VC that is drawn again in each cycle; only a packet at its node has a choice."""
    count = len(head.candidates)
    return head.candidates[pick(routing.seed, TREE_VC, fifo.router.number, fifo.number, now, count)]


TREE_ROUTINGS: dict[str, Callable[[TreeRouting, Fifo, Head, int], Output]] = {
    "adaptive": _adaptive,
    "static": _static,
}
