"""The share of their rate that links can carry, given the room beyond them and the round trip of credits.

A packet occupies a place in the FIFO beyond a link from its departure to the cycle in which the previous
router knows that its tail has left. At most room / round trip can therefore cross (W. J. Dally and B. Towles,
"Principles and Practices of Interconnection Networks", 2004, section 13.3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netplace.netsim.cable_cycles import credit_lags, kinds_of_links
from netplace.netsim.config import Config
from netplace.netsim.fabric_texts import KINDS
from netplace.netsim.table_router import paces, uses_table_router, verdict_on
from netplace.topologies import Graph, Topology


@dataclass(frozen=True)
class LinkLimit:
    """The share of their rate that cables of a kind can carry, if it is less than 1."""

    kind: str  # key of `netplace.netsim.fabric_texts.KINDS`
    # Share of the rate of a link that packets of one level can use, for the link with the slowest credits.
    share: float
    packets: int  # room on a virtual channel, in packets
    vcs: int  # virtual channels that such a packet can use
    round_trip: int  # minimum number of cycles for which a packet occupies room beyond the link

    def __str__(self) -> str:
        room = f"{self.packets} {'packet' if self.packets == 1 else 'packets'} of room"
        channels = f"{self.vcs} virtual {'channel' if self.vcs == 1 else 'channels'}"
        return (
            f"{self.kind} cables cannot carry more than {100 * self.share:.0f} % of their rate: {room} on "
            f"{channels}, and {self.round_trip} cycles until it is free again; increase queue_packets"
        )


def limited_links(topology: Topology, config: Config) -> tuple[LinkLimit, ...]:
    """Return the limits of the kinds of cables that cannot carry their rate for lack of room.

    The result is empty without fabric settings or a file with speeds, and with wormhole switching.

    Examples
    --------
    >>> from netplace.netsim import Config
    >>> from netplace.topologies import parse
    >>> for limit in limited_links(parse("dragonfly:a=4,p=2,h=2"), Config(cable_latency="global=40")):
    ...     print(limit)
    global cables cannot carry more than 66 % of their rate: 4 packets of room on 1 virtual channel, and 97 \
cycles until it is free again; increase queue_packets
    """
    delayed = config.fabric_set or (isinstance(topology, Graph) and topology.rates is not None)
    if not delayed or not uses_table_router(topology, config) or config.buffer_phits:
        return ()
    cycles, delay = paces(topology, config)
    lag = credit_lags(topology, config)
    phits = config.packet_phits
    trip = delay + phits + lag
    _, routes, verdict = verdict_on(topology, config.routing, config.vc_discipline)
    a_level = config.vcs if routes.escape is not None else -(-config.vcs // verdict.needed)
    limits = []
    for kind, links in kinds_of_links(topology).items():
        if not links.any():
            continue
        vcs = config.vcs if kind == "node" else a_level
        share = np.where(links, vcs * config.queue_packets * phits * cycles / trip, np.inf)
        worst = np.unravel_index(int(share.argmin()), share.shape)
        if share[worst] < 1:
            limits.append(LinkLimit(kind, float(share[worst]), config.queue_packets, vcs, int(trip[worst])))
    return tuple(sorted(limits, key=lambda limit: list(KINDS).index(limit.kind)))
