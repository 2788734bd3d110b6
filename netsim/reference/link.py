"""A physical link, which its virtual channels share packet by packet."""

from __future__ import annotations

from netplace.netsim.reference.router import Fifo, Output

__all__ = ["Link"]


class Link:
    """The link that leaves a router through one port.

    Attributes
    ----------
    outputs : list of Output
        Its virtual channels.
    held : int
        How many of them are tied to a packet.
    serving : Output or None
        The one whose packet is crossing; it is kept until the tail has passed.
    pointer : int
        The virtual channel at which the next choice begins.
    """

    __slots__ = ("held", "outputs", "pointer", "serving")

    def __init__(self, outputs: list[Output]) -> None:
        self.outputs = outputs
        self.held = 0
        self.serving: Output | None = None
        self.pointer = 0
        for output in outputs:
            output.link = self

    def choose(self) -> Output | None:
        """Return the VC to serve: the one in hand, else the first held at or after the pointer."""
        if self.serving is None:
            ahead = self.outputs[self.pointer :] + self.outputs[: self.pointer]
            self.serving = next((output for output in ahead if output.holder is not None), None)
        return self.serving

    def take(self, output: Output, holder: Fifo) -> None:
        """Tie a virtual channel to the head packet of `holder`."""
        output.holder = holder
        self.held += 1

    def finish(self, output: Output) -> None:
        """Free the virtual channel whose tail has passed, and point to the next."""
        output.holder = None
        self.held -= 1
        self.serving = None
        self.pointer = (output.vc + 1) % len(self.outputs)
