"""Routing on meshes and tori: minimal route records, dimension order with a bubble, four VC policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from netplace.netsim.chance import ADAPTIVE_VC, HALF_RING, OBLIVIOUS_VC, POLICY, TWIST, pick
from netplace.netsim.config import Config
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Head, Output
from netplace.netsim.reference.routing import Routing
from netplace.topologies import Grid


class GridRouting(Routing):
    """Routes of a mesh, torus or twisted torus; ports are X+ X- Y+ Y- .. and inputs are named like them."""

    def __init__(self, grid: Grid, config: Config, seed: int) -> None:
        super().__init__(config, seed)
        self.grid = grid
        self.dimensions = len(grid.sizes)
        self._bubble_phits = config.bubble * config.packet_phits
        self._oblivious = config.vc_policy == "oblivious"
        self._keeps_vc = config.vc_policy == "smart"
        self._policy = POLICIES[config.vc_policy]
        self._wraps = [bool(wrap) for wrap in np.broadcast_to(grid.wraps, self.dimensions)]
        self._places = grid.coordinates(np.arange(grid.nodes)).tolist()

    def hops(self, source: int, destination: int, now: int) -> list[int]:
        """Return the minimal signed hops in each dimension; equals are drawn."""
        if self.grid.twist:
            records = self.grid.records(source, destination)
            which = pick(self.seed, TWIST, source, 0, now, len(records)) if len(records) > 1 else 0
            return [int(hops) for hops in records[which]]
        return [self._ring_hops(source, destination, dimension, now) for dimension in range(self.dimensions)]

    def _ring_hops(self, source: int, destination: int, dimension: int, now: int) -> int:
        """Return the shorter way round; half an even ring takes either sign."""
        size = self.grid.sizes[dimension]
        hops = int(self._places[destination][dimension] - self._places[source][dimension])
        if not self._wraps[dimension]:
            return hops
        hops %= size
        if 2 * hops == size and pick(self.seed, HALF_RING, source, dimension, now, 2) == 1:
            return -hops
        return hops - size if 2 * hops > size else hops

    def crossed(self, packet: Packet, output: Output) -> None:
        packet.hops[output.port // 2] -= 1 if output.port % 2 == 0 else -1

    def may_enter(self, fifo: Fifo, output: Output) -> bool:
        """Return whether `output` has room for the head packet of `fifo`, including its bubble.

        A packet enters a ring unless it comes from the FIFO of the same port and VC, which has the number of
        the output. The traffic of the ring enters this router through that FIFO.
        """
        if not super().may_enter(fifo, output):
            return False
        ring = output.fifo is not None and (output.vc == 0 or self._oblivious)
        if not ring or fifo.number == output.number:
            return True
        return fifo.router.fifos[output.number].room >= self._bubble_phits

    def head(self, fifo: Fifo, now: int) -> Head:
        """Return the profitable adaptive outputs and the escape, or only the output of dimension order."""
        packet = fifo.packets[0]
        if self.arrived(packet, fifo):
            return Head(now, [fifo.router.consumption])
        ports = [2 * d + (hops < 0) for d, hops in enumerate(packet.hops) if hops]
        if self._oblivious:
            vcs = (fifo.vc,) if fifo.port == ports[0] else range(self.vcs)
            return Head(now, [self._output(fifo, ports[0], vc) for vc in vcs])
        escape = self._output(fifo, ports[0], 0)
        adaptive = [self._output(fifo, port, vc) for port in ports for vc in self._adaptive_vcs(fifo, port)]
        return Head(now, sorted([escape, *adaptive], key=lambda output: output.number), escape)

    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the output that the policy requests; a packet at its destination requests consumption."""
        if head.candidates[0].fifo is None:
            return head.candidates[0]
        return self._policy(self, fifo, head, now)

    def _output(self, fifo: Fifo, port: int, vc: int) -> Output:
        return fifo.router.outputs[port * self.vcs + vc]

    def _adaptive_vcs(self, fifo: Fifo, port: int) -> Sequence[int]:
        """Return the adaptive VCs of a port that a packet may use; `smart` keeps its own straight on."""
        if self._keeps_vc and fifo.port == port and fifo.vc > 0:
            return (fifo.vc,)
        return range(1, self.vcs)

    def escape(self, fifo: Fifo, head: Head) -> Output | None:
        """Return the escape output if the packet can enter it."""
        assert head.escape is not None
        return head.escape if self.may_enter(fifo, head.escape) else None

    def roomy(self, head: Head) -> Iterator[Output]:
        """Yield the adaptive candidates with room for a packet, by increasing (port, VC)."""
        for output in head.candidates:
            assert output.fifo is not None
            if output is not head.escape and output.fifo.room >= self.packet_phits:
                yield output

    def adaptive(self, fifo: Fifo, port: int, now: int) -> Output:
        vcs = self._adaptive_vcs(fifo, port)
        if len(vcs) == 1:
            return self._output(fifo, port, vcs[0])
        index = fifo.number * self.dimensions + port // 2
        drawn = pick(self.seed, ADAPTIVE_VC, fifo.router.number, index, now, len(vcs))
        return self._output(fifo, port, vcs[drawn])


def _smart(routing: GridRouting, fifo: Fifo, head: Head, now: int) -> Output | None:
    """Try the adaptive channels in turn from the dimension of travel on, the escape channel last."""
    # A head remembers (`Head.turn`) which alternative is next. Those that are not profitable or have no room
    # are skipped within the cycle; one that is asked for has to wait until its turn comes round.
    travelled = max(fifo.port, 0) // 2
    if routing.vcs > 1:
        for turn in range(head.turn, routing.dimensions):
            dimension = (travelled + turn) % routing.dimensions
            hops = fifo.packets[0].hops[dimension]
            if hops:
                output = routing.adaptive(fifo, 2 * dimension + (hops < 0), now)
                if routing.may_enter(fifo, output):
                    head.turn = turn + 1
                    return output
    head.turn = 0
    return routing.escape(fifo, head)


def _shortest(routing: GridRouting, fifo: Fifo, head: Head, now: int) -> Output | None:
    """Request the adaptive output with the most room, the first of equals; escape if none has room."""
    best = max(routing.roomy(head), key=lambda output: output.fifo.room if output.fifo else 0, default=None)
    return best or routing.escape(fifo, head)


def _random(routing: GridRouting, fifo: Fifo, head: Head, now: int) -> Output | None:
    """Request a random adaptive output with room; escape if none has room."""
    roomy = list(routing.roomy(head))
    if not roomy:
        return routing.escape(fifo, head)
    return roomy[pick(routing.seed, POLICY, fifo.router.number, fifo.number, now, len(roomy))]


def _oblivious(routing: GridRouting, fifo: Fifo, head: Head, now: int) -> Output | None:
    """Request dimension order: on the same VC straight on, on a VC drawn again at injection and at a turn."""
    place = fifo.router.number, fifo.number, now
    drawn = pick(routing.seed, OBLIVIOUS_VC, *place, len(head.candidates)) if len(head.candidates) > 1 else 0
    output = head.candidates[drawn]
    return output if routing.may_enter(fifo, output) else None


POLICIES: dict[str, Callable[[GridRouting, Fifo, Head, int], Output | None]] = {
    "smart": _smart,
    "shortest": _shortest,
    "random": _random,
    "oblivious": _oblivious,
}
