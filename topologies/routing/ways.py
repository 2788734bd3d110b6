"""The possible steps of packets with a routing: the channels they use, and which of them wait for which.

The rules are those of the engines ("Levels" and "The way" in docs/background/model-tables.md), followed for
all packets at once. A channel is a link in a phase at a level. If phases have separate levels, phase 1 is
that of packets that head for their destination; otherwise there is only phase 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.compute_nodes import of_plane
from netplace.topologies.routing.routes import Routes, rises
from netplace.topologies.routing.switches import Switches

__all__ = ["Ways", "barred", "via_of"]


Int = NDArray[np.int64]


def via_of(switches: Switches, routes: Routes, switch: int) -> Int:
    """Return the intermediate switches of packets from a switch."""
    if routes.via is None:
        return np.arange(switches.count)
    return np.asarray(routes.via[switch if len(routes.via) > 1 else 0], np.int64)


def barred(switches: Switches, routes: Routes) -> Int:
    """Return the place of each switch, or of its group, among the intermediate ones; -1 if it has none.

    A packet that chooses its way draws neither the place of its current switch nor that of its destination.
    With Valiant routing, no switch has a place, and all can be drawn.
    """
    place = np.full(switches.count, -1, np.int64)
    if routes.choice == "valiant":
        return place
    if switches.compute_nodes:  # which are not drawn; places are the same in all planes
        plane = barred(*of_plane(switches, routes, 0))
        return np.concatenate((*([plane] * switches.planes), place[: switches.compute_nodes]))
    via = np.arange(switches.count)[None, :] if routes.via is None else routes.via
    if switches.group is not None and via.shape == (switches.count, int(switches.group.max()) + 1):
        return switches.group.astype(np.int64)
    if len(via) == 1:
        place[via[0]] = np.arange(via.shape[1])
    return place


def _drawn_pairs(switches: Switches, routes: Routes, at: Int) -> tuple[Int, Int]:
    """Return all (switch, intermediate switch) pairs of which the second can be drawn at the first.

    The pairs exclude the switch itself and those of its own place.
    """
    place = barred(switches, routes)
    rows = [via_of(switches, routes, int(switch)) for switch in at]
    here = np.repeat(at, [len(row) for row in rows])
    via = np.concatenate([*rows, np.zeros(0, np.int64)])
    open_to = (via != here) & ((place[via] != place[here]) | (place[here] < 0))
    pair = np.unique(here[open_to] * switches.count + via[open_to])
    return pair // switches.count, pair % switches.count


_SLOTS = 2**23  # (channel, target) looked at together: bounds memory
_MANY = -1  # more than one origin
_UNSEEN = -2


@dataclass(frozen=True)
class _Steps:
    """Packets that reach channels: from which channel (or -1), for which target, and their owner."""

    before: Int
    channel: Int
    target: Int
    origin: Int

    @staticmethod
    def together(parts: list[_Steps]) -> _Steps:
        fields = ("before", "channel", "target", "origin")
        return _Steps(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


class Ways:
    """The channels of a routing and the dependencies between them.

    `switches`, `routes`: the network and the routing, whose table must lead everywhere. `levels`: more than
    the highest level within a phase that any packet can reach.

    Attributes
    ----------
    here, port, end : ndarray of int64, shape (links,)
        Switch and port where each link begins, and the switch where it ends.
    levels : int
        The parameter: channel = (2 link + phase) levels + level.
    used : ndarray of int64
        Channels in use, in order.
    waits : ndarray of int64
        Pairs of channels of which one waits for the other, in order, as one x `count` + other.
    """

    def __init__(self, switches: Switches, routes: Routes, levels: int) -> None:
        self.switches, self.routes, self.levels = switches, routes, levels
        self._ports = routes.ports if routes.escape is None else routes.escape[:, :, None]
        self._step, self._kind = rises(switches, routes)
        self.here, self.port = np.nonzero(switches.neighbor >= 0)
        self.end = switches.neighbor[self.here, self.port]
        self.count = len(self.end) * 2 * levels
        self._number = np.full(switches.neighbor.shape, -1, np.int64)
        self._number[self.here, self.port] = np.arange(len(self.end))
        self._place = barred(switches, routes)
        self._waits: list[Int] = [np.zeros(0, np.int64)]
        self._seen = np.zeros(self.count, bool)
        self._last_phase = int(routes.anew and routes.detours)
        if routes.detours:
            self._follow_detours()
        else:
            self._follow_table()
        self.used = np.flatnonzero(self._seen)
        self.waits = np.unique(np.concatenate(self._waits))

    def parts(self, channel: Int) -> tuple[Int, Int, Int]:
        """Return the link, the phase and the level of channels."""
        rest, level = np.divmod(channel, self.levels)
        return rest >> 1, rest & 1, level

    # --- single steps -------------------------------------------------------------------------------

    def _leave(self, at: Int, target: Int, level: Int, kind: Int, phase: Int) -> tuple[Int, Int]:
        """Return (row, channel) for everything that packets at switches can request."""
        away = np.flatnonzero(at != target)
        rows, channels = [], []
        lost = np.ones(len(away), bool)
        for n in range(self._ports.shape[2]):
            port = self._ports[at[away], target[away], n].astype(np.int64)
            lost &= port < 0
            row, port = away[port >= 0], port[port >= 0]
            link = self._number[at[row], port]
            same = (kind[row] < 0) | (self._kind[at[row], port] == kind[row])
            begun = np.where(same, level[row], 0) if self.routes.anew else level[row]
            rows.append(row)
            channels.append((2 * link + phase[row]) * self.levels + begun)
        if lost.any():
            a, b = at[away[lost][0]], target[away[lost][0]]
            raise ValueError(
                f"routing {self.routes.name}: no route from switch {a} to switch {b} of "
                f"{self.switches.text}, which packets may need"
            )
        return np.concatenate(rows), np.concatenate(channels)

    def _begun(self, at: Int, target: Int, origin: Int, phase: int, before: Int | None = None) -> _Steps:
        """Return the first steps of packets at switches in a phase, optionally from channels of another."""
        none = np.full(len(at), -1)
        row, channel = self._leave(at, target, none * 0, none, np.full(len(at), phase))
        return _Steps((none if before is None else before)[row], channel, target[row], origin[row])

    def _next(self, before: Int, target: Int, origin: Int, rise: int = 0, phase: int | None = None) -> _Steps:
        """Return the steps of packets from channels, perhaps raised, perhaps into another phase."""
        link, was, level = self.parts(before)
        x, port = self.here[link], self.port[link]
        level = level + self._step[x, port] + rise
        phases = was if phase is None else np.full(len(before), phase)
        row, channel = self._leave(self.end[link], target, level, self._kind[x, port], phases)
        return _Steps(before[row], channel, target[row], origin[row])

    # --- all steps ----------------------------------------------------------------------------------

    def _spread(
        self, targets: Int, begin: Callable[[Int], _Steps], inside: bool = False
    ) -> Iterator[tuple[Int, Int, Int]]:
        """Follow packets for these targets; yield (channel, target, origin) of all states in pieces."""
        for chunk in np.array_split(targets, max(1, -(-len(targets) * self.count // _SLOTS))):
            slot = np.zeros(self.switches.count, np.int64)
            slot[chunk] = np.arange(len(chunk))
            origin = np.full(len(chunk) * self.count, _UNSEEN, np.int32)
            steps = begin(chunk)
            while steps.channel.size:
                self._note(steps)
                place = _merged(origin, slot[steps.target] * self.count + steps.channel, steps.origin)
                place = place[self._inside(place % self.count)] if inside else place
                steps = self._next(
                    place % self.count, chunk[place // self.count], origin[place].astype(np.int64)
                )
            place = np.flatnonzero(origin != _UNSEEN)
            place = place[self._inside(place % self.count)] if inside else place
            yield place % self.count, chunk[place // self.count], origin[place].astype(np.int64)

    def _note(self, steps: _Steps) -> None:
        """Record used channels, and the channels that wait for them."""
        self._seen[steps.channel] = True
        waiting = steps.before >= 0
        self._waits.append(np.unique(steps.before[waiting] * self.count + steps.channel[waiting]))
        if len(self._waits) > 64:
            self._waits = [np.unique(np.concatenate(self._waits))]

    def _inside(self, channel: Int) -> NDArray[np.bool_]:
        """Return which channels lead from a switch to another switch of its group."""
        group = self.switches.group
        assert group is not None
        link = self.parts(channel)[0]
        return np.asarray(group[self.here[link]] == group[self.end[link]])

    def _follow_table(self) -> None:
        sources = self.switches.with_nodes if self.routes.escape is None else np.arange(self.switches.count)

        def begin(targets: Int) -> _Steps:
            source, home = _pairs(sources, targets)
            leads = self.routes.ports[source, home, 0] >= 0  # switches that are down lead nowhere
            return self._sent(source[leads], home[leads])

        _exhaust(self._spread(self.switches.with_nodes, begin))

    def _sent(self, source: Int, home: Int) -> _Steps:
        """Return the first steps of packets that go directly."""
        return self._begun(source, home, np.full(len(source), _MANY), self._last_phase)

    def _follow_detours(self) -> None:
        """Follow packets to intermediate switches, and from these and directly to their homes."""
        ends, count = self.switches.with_nodes, self.switches.count
        turned = self._turned() if self.routes.choice == "par" else None
        source, via = _drawn_pairs(self.switches, self.routes, ends)
        some_home = self._homes_beside(via) > 1  # one is the source's own
        source, via = source[some_home], via[some_home]
        every = np.arange(count) if turned is not None else np.unique(via)

        def begin(chunk: Int) -> _Steps:
            drawn = np.isin(via, chunk)
            fresh = self._begun(source[drawn], via[drawn], source[drawn], 0)
            return fresh if turned is None else _Steps.together([fresh, self._turning(*turned, chunk)])

        arrivals = []
        for channel, target, origin in self._spread(every, begin):
            there = self.end[self.parts(channel)[0]] == target
            arrivals.append((channel[there], origin[there]))
        channel, origin = (np.concatenate(part) for part in zip(*arrivals, strict=True))

        def begin_home(homes: Int) -> _Steps:
            pairs = _pairs(ends, homes)
            direct = self._may_go_direct(*pairs)
            sent = self._sent(pairs[0][direct], pairs[1][direct])
            return _Steps.together([sent, self._from_via(channel, origin, homes)])

        _exhaust(self._spread(ends, begin_home))

    def _homes_beside(self, via: Int) -> Int:
        """Return the number of destinations that packets can reach through each intermediate switch."""
        place, ends = self._place, self.switches.with_nodes
        of_place = np.bincount(place[ends][place[ends] >= 0], minlength=int(place.max()) + 2)
        own = np.where(place[via] >= 0, of_place[place[via]], np.isin(via, ends))
        return np.asarray(len(ends) - own)

    def _may_go_direct(self, source: Int, home: Int) -> NDArray[np.bool_]:
        """Return which packets can go directly: with Valiant routing, those for which one end is drawn."""
        if self.routes.choice != "valiant":
            return np.ones(len(source), bool)
        rows = [via_of(self.switches, self.routes, switch) for switch in range(self.switches.count)]
        own = np.array([switch in row for switch, row in enumerate(rows)])
        direct = own[source]
        for n in np.flatnonzero(~direct):
            direct[n] = home[n] in rows[source[n]]
        return direct

    def _turned(self) -> tuple[Int, Int]:
        """Return the channels behind which packets of PAR choose again, and the place of their homes."""
        # _MANY stands for homes of several places, or of none.
        ends, group = self.switches.with_nodes, self.switches.group
        assert group is not None
        place = np.full(self.count, _UNSEEN)

        def begin(targets: Int) -> _Steps:
            source, home = _pairs(ends, targets)
            leaves = group[source] != group[home]
            return self._sent(source[leaves], home[leaves])

        for channel, target, _ in self._spread(ends, begin, inside=True):
            _merged(place, channel, self._place[target])
        channels = np.flatnonzero(place != _UNSEEN)
        return channels, place[channels]

    def _turning(self, channel: Int, home_place: Int, vias: Int) -> _Steps:
        """Return the first steps of packets that are diverted to some intermediate switches."""
        group = self.switches.group
        assert group is not None
        end = self.end[self.parts(channel)[0]]
        at, via = _drawn_pairs(self.switches, self.routes, np.unique(end))
        drawn = np.isin(via, vias)
        at, via = at[drawn], via[drawn]
        first, last = np.searchsorted(at, end), np.searchsorted(at, end, side="right")
        row = np.repeat(np.arange(len(end)), last - first)
        which = np.arange(len(row)) + np.repeat(
            first - (np.cumsum(last - first) - (last - first)), last - first
        )
        via = via[which]
        elsewhere = (home_place[row] == _MANY) | (home_place[row] != self._place[via])
        row, via = row[elsewhere], via[elsewhere]
        origin = self.switches.count + group[end[row]]
        return self._next(channel[row], via, origin, rise=int(not self.routes.anew), phase=0)

    def _from_via(self, channel: Int, origin: Int, homes: Int) -> _Steps:
        """Return the steps of packets from the channels by which they reach an intermediate switch."""
        row, home = _pairs(np.arange(len(channel)), homes)
        via = self.end[self.parts(channel)[0]][row]
        open_to = (home != via) & ((self._place[home] != self._place[via]) | (self._place[via] < 0))
        open_to &= home != origin[row]
        if self.switches.group is not None:
            open_to &= self.switches.group[home] + self.switches.count != origin[row]
        before, home, whose = channel[row[open_to]], home[open_to], np.full(int(open_to.sum()), _MANY)
        if self.routes.anew:
            return self._begun(via[open_to], home, whose, 1, before)
        return self._next(before, home, whose)


def _pairs(first: Int, other: Int) -> tuple[Int, Int]:
    """Return all pairs."""
    return np.repeat(first, len(other)), np.tile(other, len(first))


def _merged(origin: NDArray[Any], place: Int, new: Int) -> Int:
    """Set the origin of places, or _MANY if there are several; return the places that change."""
    if not place.size:
        return place
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    least, most = np.minimum.reduceat(new[order], first), np.maximum.reduceat(new[order], first)
    only = np.where(least == most, least, _MANY)
    at = ordered[first]
    now = np.where((origin[at] == _UNSEEN) | (origin[at] == only), only, _MANY)
    changed = now != origin[at]
    origin[at[changed]] = now[changed]
    return np.asarray(at[changed])


def _exhaust(states: Iterator[tuple[Int, Int, Int]]) -> None:
    for _ in states:
        pass
