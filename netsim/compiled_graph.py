"""The compiled engine on networks of any wiring."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.blocked_fifos import blocked_on_graph
from netplace.netsim.compiled import KernelEngine
from netplace.netsim.config import Config
from netplace.netsim.domains import Domains
from netplace.netsim.general import General, general
from netplace.netsim.graph_failing import Outage
from netplace.netsim.graph_layout import graph_known, graph_setting, graph_state
from netplace.netsim.graph_pace import paced, with_longer_rings
from netplace.netsim.graph_tables import routing_setting, routing_tables
from netplace.netsim.kernel import graph_state as g
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel_run import interpretable
from netplace.topologies import Topology

__all__ = ["GraphKernelEngine"]


class GraphKernelEngine(KernelEngine):
    """The compiled engine on networks of any wiring; see `netplace.netsim.engine.Engine`."""

    _functions = ("graph", "graph-domains", "graph-first-draws", "graph-charging")

    def _lay_out(
        self, topology: Topology, config: Config, seed: int, record: bool, explain: bool, threads: int
    ) -> None:
        table = general(topology, config)
        config = config.of_all_classes
        u = graph_setting(topology, config, seed, record, table, explain)
        s = interpretable(graph_state(topology, config, u, table))
        self._domains = Domains(topology, u, s, threads)
        self._setting, self._state = self._domains.first(u, s)
        self._known = graph_known(config, self._setting)
        shape = topology.neighbor.shape
        self._restored_until = np.zeros(shape, np.int64)
        self._cycles_before = np.zeros(shape, np.int64)
        self._crossed_before = np.zeros(shape, np.int64)

    def _asks_for_source(self) -> bool:
        """Tell whether routers ask where a packet is from: valiant and its like do."""
        return True

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail, or thrown away."""
        return super().in_flight - sum(int(tally[g.GONE]) for tally in self._each("tally"))

    def fail(
        self, table: General, dead: NDArray[np.bool_], down: NDArray[np.bool_], again: bool
    ) -> tuple[int, int, list[int]]:
        """Let routers and links go down before cycle `now`; return packets lost, sent again, and losers."""
        before = self._still_crossing()
        if self._setting.explain:
            self._let_all_heads_wait_anew()
        states = self._domains.states(self._state)
        outage = Outage(states, self._domains.owner_of, self._setting, table, dead, down, again)
        # What has begun to cross a link still does, also where the packet is sent again.
        self._restored_until = np.maximum(self._restored_until, self.now + before - self._still_crossing())
        self._setting = self._setting._replace(**routing_setting(table, self._setting.vcs))
        self._state = interpretable(self._state._replace(**routing_tables(table, self._setting)))
        return outage.lost, outage.again, self._jobs.owners(outage.keys)

    def _let_all_heads_wait_anew(self) -> None:
        """Charge what heads have waited up to now, and forget that they do: they come to the head anew."""
        state: Any = self._state
        self._charge()
        state.clock[k.WAITED] += self.now * self._waiting_now()
        state.stand[:] = 0
        state.way.reshape(-1, k.BLAMED + self._setting.wide)[:, k.BLAMED :] = 0

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        """Let links have another speed for packets that begin to cross them from cycle `now` on."""
        self._cycles_before += self._cycles_at_this_pace()
        self._crossed_before = self._crossed().copy()
        config = self.config.of_all_classes
        self._setting = with_longer_rings(self._setting, self.topology, config, cycles, delay)
        self._change_each(lambda s: paced(self._setting, s, self.topology, config, (cycles, delay), self.now))

    def reset_counters(self) -> None:
        """Start the totals anew; packets in flight stay."""
        super().reset_counters()
        self._cycles_before[:] = self._crossed_before[:] = 0

    def _link_packets(self) -> NDArray[np.int64]:
        """Return the packets that crossed each link, shape (routers, ports)."""
        return np.array(self._crossed())

    def _link_cycles(self) -> NDArray[np.int64]:
        """Return for how many cycles each link has carried a phit, shape (routers, ports)."""
        crossing = self._still_crossing() - self._crossing_before
        return np.asarray(self._cycles_before + self._cycles_at_this_pace() - crossing, np.int64)

    def _cycles_at_this_pace(self) -> NDArray[np.int64]:
        """Return the cycles of all packets that have begun to cross since links last changed their speed."""
        state: Any = self._state
        begun = self._crossed() - self._crossed_before
        return np.asarray(begun * state.lasts.reshape(begun.shape), np.int64)

    def _still_crossing(self) -> NDArray[np.int64]:
        """Return for how many cycles from `now` on the packet that crosses each link will go on to."""
        s: Any = self._state
        u: Any = self._setting
        cycles = np.maximum(0, self._restored_until - self.now)
        first = [
            (place, int(ring[place])) for ring in self._each("tail_at") for place in np.flatnonzero(ring >= 0)
        ]
        for place, head in first:
            f = head
            while f >= 0:
                output = int(s.fifo[f]) >> g.OUT
                if output < g.NOWHERE:
                    router = int(s.owner[f])
                    port = int(s.port_of[output])
                    rest = (place - self.now - 1) % u.tail_ring + 1
                    cycles[router, port] = max(cycles[router, port], rest)
                f = int(s.tail_next[f])
        return np.asarray(cycles, np.int64)

    def _crossed(self) -> NDArray[Any]:
        """Packets that crossed each link, as a view."""
        state: Any = self._state
        return np.asarray(state.crossed.reshape(self.topology.neighbor.shape))

    def _pointers(self) -> list[NDArray[Any]]:
        """Return views of the pointers of arbiters, of consumption and of links."""
        state: Any = self._state
        return [state.turn, state.turn_home, state.turn_link]

    def pointers(self) -> tuple[NDArray[Any], ...]:
        """Return copies of all pointers of arbiters and links."""
        return tuple(view.copy() for view in self._pointers())

    def _blocked_fifos(self) -> list[tuple[int, int, int, list[tuple[int, int]]]]:
        """Return (router, input, packets, FIFOs downstream it could ask for) of every waiting head."""
        return blocked_on_graph(self._state, self._setting)
