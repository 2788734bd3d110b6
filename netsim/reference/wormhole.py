"""Wormhole switching: buffers have room for phits, and a packet occupies as many of them as it needs.

W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
Transactions on Computers, 1987. Virtual channels share a link phit by phit (W. J. Dally, "Virtual-channel
flow control", IEEE Transactions on Parallel and Distributed Systems, 1992): a packet that does not move holds
its virtual channels, but no link.
"""

from __future__ import annotations

from netplace.netsim.reference.router import Fifo, Output
from netplace.netsim.reference.table_fabric import TableFabric


class WormholeFabric(TableFabric):
    """Routers and links in which every phit needs its own room beyond the link."""

    def _in_motion(self) -> bool:
        """Return whether a phit moved; packets that block each other may be blocked forever."""
        return self.moved or bool(self._credits)

    def _hopeful(self, fifo: Fifo) -> bool:
        """Return whether the header that waits in `fifo` could request an output if nothing else moved."""
        if fifo.head is None:
            return True
        free = [output for output in fifo.head.candidates if output.holder is None]
        return any(self.routing.may_enter(fifo, output) for output in free)

    def _cross(self, now: int) -> None:
        """Move a phit over each link that had one, with room beyond, at the end of the previous cycle."""
        held = [output for link in self.busy for output in link.outputs]
        able = {output.holder for output in held if self._can_send(output)}
        for link in self._in_turn(now):
            output = link.serve(able.__contains__)
            if output is not None and output.holder is not None:
                self._send(link, output, output.holder, now)
                link.serving = None
                self._free(link, output, output.holder, now)

    def _can_send(self, output: Output) -> bool:
        """Return whether the packet that holds an output has a phit there, and knows of room for it."""
        source, target = output.holder, output.fifo
        if source is None or target is None or not source.ready:
            return False
        return target.room > self.untold[target]
