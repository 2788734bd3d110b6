"""Wormhole switching: buffers have room for phits, and a packet occupies as many of them as it needs.

W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
Transactions on Computers, 1987. Virtual channels share a link phit by phit (W. J. Dally, "Virtual-channel
flow control", IEEE Transactions on Parallel and Distributed Systems, 1992): a packet that does not move holds
its virtual channels, but no link.
"""

from __future__ import annotations

from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.router import Fifo, Output


class WormholeFabric(Fabric):
    """Routers and links in which every phit needs its own room beyond the link."""

    def _in_motion(self) -> bool:
        """Return whether a phit moved; packets that block each other may be blocked forever."""
        return self.moved

    def _hopeful(self, fifo: Fifo) -> bool:
        """Return whether the header that waits in `fifo` could request an output if nothing else moved."""
        if fifo.head is None:
            return True
        free = [output for output in fifo.head.candidates if output.holder is None]
        return any(self.routing.may_enter(fifo, output) for output in free)

    def _cross(self, now: int) -> None:
        """Move a phit over each link that had one, with room beyond, at the end of the previous cycle."""
        held = [output for link in self.busy for output in link.outputs]
        able = {output.holder for output in held if _has_room(output)}
        for link in list(self.busy):
            output = link.choose(able.__contains__)
            if output is None or output.holder is None:
                continue
            source = output.holder
            self._emit(link, output, source, now)
            if self.blame is not None:
                self.blame.crosses(link, source.packets[0].load.job)
            self.link_cycles[output.router.number, output.port] += 1
            self.moved = True
            link.serving = None
            if source.sent == self._packet_phits:
                self._leave(source, now)
                link.finish(output, now)
                if not link.held:
                    del self.busy[link]

    def _phit_left(self, fifo: Fifo, now: int) -> None:
        """Record that a phit has left a FIFO in cycle `now`, and that its place is free."""
        if fifo.lag:
            self._tell_room(fifo, now)

    def _packet_left(self, fifo: Fifo, now: int) -> None:
        """Record that a packet has left a FIFO; its places were reported phit by phit."""


def _has_room(output: Output) -> bool:
    """Return whether the packet that holds an output has a phit there, and knows of room for it."""
    return bool(
        output.holder is not None
        and output.holder.ready
        and output.fifo is not None
        and output.fifo.room > output.fifo.untold
    )
