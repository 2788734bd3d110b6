"""Routes between the hosts of SimGrid XML platforms.

Source: "XML Reference" and "SimGrid Models" of SimGrid 3.35 (simgrid.org/doc/latest/Platform_routing.html).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_ranges
from netplace.topologies.given_routes import Link, Step, given_routes
from netplace.topologies.graph import Graph
from netplace.topologies.rates import SPEEDS, TIMES, read_quantity

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_MOST_HOSTS = 1 << 11  # of which all pairs have a route
_AT_BACKBONE = 16  # hosts a switch: with several virtual channels, engines have at most 1023 inputs a switch
_OLD_NAMES = {"AS": "zone", "ASroute": "route", "zoneRoute": "route"}
_IGNORED = {
    "prop": "properties", "disk": "disks", "storage": "disks", "storage_type": "disks", "mount": "disks",
    "config": "<config>, such as factors for latencies,",
}  # fmt: skip
_BYPASS = "gives a route to two hosts or zones aside from the routing of their zone"
_CHANGES = "changes links or hosts during a run"
_REFUSED = {
    "FATPIPE": "gives every message the whole bandwidth, however many there are",
    "WIFI": "is a radio cell, whose bandwidth depends on its hosts",
    "vivaldi": "gives hosts coordinates instead of cables",
    "wifi": "joins hosts by radio instead of cables",
    "peer": "has coordinates instead of cables",
    **dict.fromkeys(("bypassRoute", "bypassASroute", "bypassZoneRoute"), _BYPASS),
    **dict.fromkeys(("trace", "trace_connect"), _CHANGES),
    **dict.fromkeys(("bandwidth_file", "latency_file", "state_file"), _CHANGES),
}
_SHARED = dict.fromkeys(("NONE", "UP", "DOWN"), "")
_SPLIT = {"UP": "_UP", "DOWN": "_DOWN"}
_ENDINGS = {"SHARED": _SHARED, "SPLITDUPLEX": _SPLIT, "FULLDUPLEX": _SPLIT}  # of the names of directions
_OPPOSITE = {"UP": "DOWN", "DOWN": "UP", "NONE": "NONE"}
_Steps: TypeAlias = "tuple[Step, ...]"  # a route begins and ends with the name of a gateway, host or router


@dataclass(eq=False)
class _Zone:
    name: str
    routing: str
    parent: _Zone | None
    routes: dict[tuple[str, str], _Steps] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    sides: dict[str, tuple[_Steps, _Steps, int]] = field(default_factory=dict)  # a host's: up, down, number
    hub: str = ""  # where the links of all hosts meet
    backbone: _Steps = ()


class Platform:
    """The hosts, links and zones of a platform; `text` begins messages."""

    def __init__(self, root: Iterable[Element], text: str) -> None:
        self.text, self.ignored = text, {"speeds and cores of hosts": True}
        self.hosts: list[str] = []
        self.links: dict[str, dict[str, Link]] = {}  # by direction
        self.refused: dict[str, str] = {}  # links, if a route takes them
        self.zone_of: dict[str, _Zone] = {}
        self._above, self._trees = lru_cache(None)(self._zones_above), lru_cache(None)(self._trees_of)
        self._leg = lru_cache(1 << 16)(self._route)
        self._read_all(root, _Zone("platform", "full", None))

    def network(self, phit: int) -> Graph:
        """Return the network in which messages take the routes of the platform."""
        self._check_hosts(len(self.hosts))
        notes = (f"{what} are ignored" for what in self.ignored)
        return given_routes(self.text, phit, self.hosts, self._parts(), "SimGrid's platform", notes)

    def _check_hosts(self, hosts: int) -> None:
        if not 2 <= hosts <= _MOST_HOSTS:
            raise ValueError(f"{self.text}: {hosts} hosts with routes, expected 2 to {_MOST_HOSTS}")

    def _refuse(self, what: str, name: str) -> NoReturn:
        raise ValueError(f"{self.text}: {what} {name} {_REFUSED[name]}, which netplace does not read")

    def _parts(self) -> Iterator[tuple[int, Sequence[Step]]]:
        """Yield parts of routes, each with a bit for the number of each host to which messages take it."""
        of_zone: dict[_Zone, dict[str, int]] = {}
        for n, host in enumerate(self.hosts):
            of_zone.setdefault(self.zone_of[host], {})[host] = 1 << n
        for (one, sources), (other, targets) in product(of_zone.items(), repeat=2):
            zone, route = self._common(next(iter(sources)), [*targets][-1])
            if one is other and one.routing == "cluster":
                for host, bit in sources.items():
                    up, down = self._sides(one, host)
                    yield sum(sources.values()) - bit, (host, *up, *one.backbone)
                    yield bit, (*one.backbone, *down, host)
            elif zone in (one, other) or not route:
                pairs = ((a, b) for a, b in product(sources, targets) if a != b)
                yield from ((targets[b], self._route(a, b)) for a, b in pairs)
            else:  # all of a zone leave it, and enter another, by the same gateway
                everyone = sum(targets.values())
                yield from ((everyone, self._leg(a, route[0])) for a in sources)
                yield everyone, route
                yield from ((bit, self._leg(route[-1], b)) for b, bit in targets.items())

    def _read_all(self, entries: Iterable[Element], zone: _Zone) -> None:
        for entry in entries:
            tag = _OLD_NAMES.get(entry.tag, entry.tag)
            if tag in _REFUSED:
                self._refuse("element", tag)
            check_choice(tag, [*_READERS, *_IGNORED], f"{self.text}: element")
            try:
                _READERS.get(tag, Platform._ignore)(self, entry, zone)
            except KeyError as error:
                raise ValueError(f"{self.text}: <{entry.tag}> has no {error}, expected a name") from None

    def _ignore(self, entry: Element, zone: _Zone) -> None:
        self.ignored[_IGNORED[entry.tag]] = True

    def _add(self, name: str, zone: _Zone, *, host: bool = False) -> None:
        if name in self.zone_of:
            raise ValueError(f"{self.text}: {name} is given twice, expected one host, router or zone")
        self.zone_of[name] = zone
        zone.members.append(name)
        self.hosts += [name] * host

    def _inside(self, zone: _Zone, name: str, routing: str) -> _Zone:
        self._add(name, zone)
        return _Zone(name, routing, zone, hub=f"switch of {name}")

    def _read_zone(self, entry: Element, zone: _Zone) -> None:
        name, routing = entry.attrib["id"], entry.get("routing", "None").lower()
        check_choice(routing, _ROUTINGS, f"{self.text}: zone {name}: routing")
        self._read_all(entry, self._inside(zone, name, routing))

    def _read_host(self, entry: Element, zone: _Zone) -> None:
        self._add(entry.attrib["id"], zone, host=entry.tag == "host")
        if entry.tag == "router":
            zone.hub = entry.attrib["id"]
            zone.sides[zone.hub] = (), (), 0
        self._read_all(entry, zone)
        if {"speed_file", "availability_file", "state_file"} & {*entry.attrib}:
            self.ignored["profiles of hosts"] = True

    def _read_link(self, entry: Element, zone: _Zone) -> None:
        name = entry.attrib["id"]
        self._add_link(name, entry, ("bandwidth", "latency", "sharing_policy"))
        if entry.tag == "backbone":
            zone.backbone = (self._link(name),)

    def _add_link(self, name: str, entry: Element, keys: Sequence[str], usual: str = "SHARED") -> None:
        where = f"{self.text}: link {name}"
        if name in self.links or name in self.refused:
            raise ValueError(f"{where} is given twice, expected one link of this name")
        policy = entry.get(keys[2], usual).upper()
        if unread := [word for word in (*entry.attrib, policy) if word in _REFUSED]:
            self.refused[name] = unread[0]
            return
        endings = _ENDINGS[check_choice(policy, _ENDINGS, f"{where}: {keys[2]}")]
        speed = read_quantity(entry.get(keys[0], ""), SPEEDS, f"{where}: {keys[0]}", "125MBps")
        latency = read_quantity(entry.get(keys[1], "0"), TIMES, f"{where}: {keys[1]}", "50us")
        made = {ending: Link(name + ending, speed, latency) for ending in endings.values()}
        self.links |= {link.name: dict.fromkeys(_SHARED, link) for link in made.values()}
        self.links[name] = {way: made[ending] for way, ending in endings.items()}

    def _link(self, name: str, way: str = "NONE") -> Link:
        if name in self.refused:
            self._refuse(f"link {name}:", self.refused[name])
        links = self.links[check_choice(name, self.links, f"{self.text}: link")]
        return links[check_choice(way, links, f"{self.text}: direction of link {name}")]

    def _read_route(self, entry: Element, zone: _Zone) -> None:
        a, b = entry.attrib["src"], entry.attrib["dst"]
        if a == b:
            self.ignored["routes of hosts to themselves"] = True
            return
        ways = [(part.attrib["id"], part.get("direction", "NONE")) for part in entry]
        begin, end = entry.get("gw_src", a), entry.get("gw_dst", b)
        routes: dict[tuple[str, str], _Steps] = {(a, b): (begin, *(self._link(*way) for way in ways), end)}
        if entry.get("symmetrical", "YES").upper() != "NO":
            back = (self._link(name, _OPPOSITE.get(way, way)) for name, way in reversed(ways))
            routes[b, a] = end, *back, begin
        if zone.routes.keys() & routes or not ways:
            raise ValueError(f"{self.text}: route from {a} to {b}: expected one such route, with links")
        zone.routes |= routes

    def _read_host_link(self, entry: Element, zone: _Zone) -> None:
        up, down = self._link(entry.attrib["up"]), self._link(entry.attrib["down"])
        zone.sides[entry.attrib["id"]] = (up,), (down,), len(zone.sides)

    def _read_cluster(self, entry: Element, zone: _Zone) -> None:
        name = entry.attrib["id"]
        label = f"{self.text}: cluster {name}: topology beside other zones (part={name} reads it alone)"
        check_choice(entry.get("topology", "FLAT").upper(), ("FLAT",), label)
        inner = self._inside(zone, name, "cluster")
        if entry.get("bb_bw"):
            self._add_link(f"{name}_backbone", entry, ("bb_bw", "bb_lat", "bb_sharing_policy"))
            inner.backbone = (self._link(f"{name}_backbone"),)
        self._read_cabinet(entry, inner)
        inner.hub = entry.get("router_id") or f"{entry.get('prefix')}{name}_router{entry.get('suffix')}"
        self._add(inner.hub, inner)
        inner.sides[inner.hub] = (), (), 0

    def _read_cabinet(self, entry: Element, zone: _Zone) -> None:
        where = f"{self.text}: <{entry.tag}> {entry.get('id')}: radical"
        spans = check_ranges(entry.get("radical", ""), where)
        self._check_hosts(sum(span.stop - span.start for span in spans) + 1)
        for host in (f"{entry.get('prefix')}{n}{entry.get('suffix')}" for span in spans for n in span):
            self._add(host, zone, host=True)
            self._add_link(link := f"link_{host}", entry, ("bw", "lat", "sharing_policy"), "SPLITDUPLEX")
            limiter: _Steps = ()
            if entry.get("limiter_link"):
                self._add_link(f"{link}_limiter", entry, ("limiter_link", "", ""))
                limiter = (self._link(f"{link}_limiter"),)
            sides = (*limiter, self._link(link, "UP")), (self._link(link, "DOWN"), *limiter)
            zone.sides[host] = *sides, len(zone.sides)

    def _route(self, a: str, b: str) -> _Steps:
        """Return the route between two hosts or routers, with their names."""
        if a == b:
            return (a,)
        zone, route = self._common(a, b)
        if route is None:
            raise ValueError(f"{self.text}: zone {zone.name}: no route from {a} to {b}, which netplace needs")
        return self._leg(a, route[0]) + route[1:-1] + self._leg(route[-1], b)

    def _common(self, a: str, b: str) -> tuple[_Zone, _Steps | None]:
        """Return the innermost zone around two hosts or routers, and its route between their gateways."""
        above = self._above(a), self._above(b)
        zone = next(zone for zone in above[0] if zone in above[1])
        return zone, _ROUTINGS[zone.routing](self, zone, above[0][zone], above[1][zone])

    def _zones_above(self, name: str) -> dict[_Zone, str]:
        """Return the zones around a host or router from the inside, each with its member that leads there."""
        zone: _Zone | None = self.zone_of[check_choice(name, self.zone_of, f"{self.text}: end of a route")]
        above = {}
        while zone:
            above[zone] = name
            name, zone = zone.name, zone.parent
        return above

    def _given(self, zone: _Zone, a: str, b: str) -> _Steps | None:
        return zone.routes.get((a, b))

    def _fewest_links(self, zone: _Zone, a: str, b: str) -> _Steps | None:
        names, before = self._trees(zone)
        if a not in names or b not in names or before[names.index(a), names.index(b)] < 0 or a == b:
            return None
        path = [names.index(b)]
        while path[-1] != names.index(a):
            path.append(before[names.index(a), path[-1]])
        route, *others = (zone.routes[names[x], names[y]] for x, y in pairwise(path[::-1]))
        for other in others:
            route = route[:-1] + self._leg(route[-1], other[0]) + other[1:]
        return route

    def _trees_of(self, zone: _Zone) -> tuple[list[str], NDArray[np.int64]]:
        """Return the members of a zone, and what comes before each on the route from each, or -1.

        Of routes of as many links, the algorithm of the zone takes the first in its own order of members.
        """
        names = zone.members if zone.routing == "floyd" else [*dict.fromkeys(chain(*zone.routes))]
        number = {name: n for n, name in enumerate(names)}
        links, before = np.full((len(names), len(names)), math.inf), np.full((len(names), len(names)), -1)
        for (a, b), route in zone.routes.items():
            links[number[a], number[b]], before[number[a], number[b]] = len(route) - 2, number[a]
        edges = links
        for n in range(len(names)):
            via = links[:, n, None] + links[n]
            before, links = np.where(via < links, before[n], before), np.minimum(via, links)
        if zone.routing != "floyd":
            np.fill_diagonal(links, 0)
            for n, to in enumerate(links):
                order = np.argsort(to, kind="stable")
                last = to[order, None] + edges[order] == to
                before[n] = np.where(np.isfinite(to), order[last.argmax(axis=0)], -1)
        return names, before

    def _sides(self, zone: _Zone, host: str) -> tuple[_Steps, _Steps]:
        """Return the links up and down of a host and the switch after or before them."""
        check_choice(host, zone.sides, f"{self.text}: zone {zone.name}: links of hosts")
        up, down, n = zone.sides[host]
        if not zone.backbone:
            return (*up, zone.hub), (zone.hub, *down)
        return (*up, f"{zone.name} from {n // _AT_BACKBONE}"), (f"{zone.name} to {n // _AT_BACKBONE}", *down)

    def _star(self, zone: _Zone, a: str, b: str) -> _Steps:
        """Return the route by the links of one host, the backbone, and the links of the other."""
        return (a, *self._sides(zone, a)[0], *zone.backbone, *self._sides(zone, b)[1], b)

    def _no_cables(self, zone: _Zone, a: str, b: str) -> _Steps:
        return self._refuse(f"zone {zone.name}: routing", zone.routing)


_READERS: dict[str, Callable[[Platform, Element, _Zone], None]] = {
    "zone": Platform._read_zone, "cluster": Platform._read_cluster, "cabinet": Platform._read_cabinet,
    "host": Platform._read_host, "router": Platform._read_host, "link": Platform._read_link,
    "backbone": Platform._read_link, "route": Platform._read_route, "host_link": Platform._read_host_link,
}  # fmt: skip
_ROUTINGS: dict[str, Callable[[Platform, _Zone, str, str], _Steps | None]] = {
    "full": Platform._given, "none": Platform._given, "cluster": Platform._star,
    "floyd": Platform._fewest_links, "dijkstra": Platform._fewest_links,
    "dijkstracache": Platform._fewest_links, "vivaldi": Platform._no_cables, "wifi": Platform._no_cables,
}  # fmt: skip
