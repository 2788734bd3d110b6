"""Networks of given routes along links, each of which has a rate that its messages share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.graph import Graph, check_connected
from netplace.topologies.graph_arrays import ranks
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_DELAY, check_memory, check_size
from netplace.topologies.rates import paces_of

Int = NDArray[np.int64]
_MOST_PHIT = 64  # bytes, where latencies are too long for shorter ones


@dataclass(frozen=True, eq=False)
class Link:
    """A link whose messages share its rate, whatever their direction."""

    name: str
    speed: float  # bytes per second
    latency: float  # seconds


Step: TypeAlias = "Link | str"  # a link, or the name of a host or a switch
_Point: TypeAlias = "str | tuple[Link, bool]"  # a host or switch, or the begin or end (True) of a link
_Join: TypeAlias = "tuple[_Point, _Point]"


def given_routes(
    text: str, phit: int, hosts: Sequence[str], parts: Iterable[tuple[int, Sequence[Step]]],
    source: str, notes: Iterable[str],
) -> Graph:  # fmt: skip
    """Return the network in which every message takes the given route, which is the routing ``given``.

    A link leads from a switch where its messages meet to one where they part. Further links, of a cycle per
    phit and no latency, lead from there to others.

    Parameters
    ----------
    parts : iterable of (int, sequence)
        Parts of the routes between all hosts: a bit for the number of each host to which messages take it,
        and links and names of hosts and switches, from one to the next.

    Raises
    ------
    ValueError
        If routes to a host meet at a switch and part there, or speeds or latencies are too different.
    """
    joins: dict[_Join, int] = {}
    for targets, part in parts:
        for join in _joins(part):
            joins[join] = joins.get(join, 0) | targets
    points = list(dict.fromkeys([*hosts, *(point for join in joins for point in join[:2])]))
    router = dict(zip(points, _routers(joins, points), strict=True))
    links = list(dict.fromkeys(point[0] for point in points if isinstance(point, tuple)))
    rows = {link: n for n, link in enumerate(links)}
    ends = [(router[link, False], router[link, True]) for link in links]
    delays = [link.latency for link in links]
    ways = np.full((len(joins), 2), -1)  # the links of each join
    for n, (a, b) in enumerate(joins):
        if router[a] != router[b]:
            ways[n, 0] = len(ends)
            ends.append((router[a], router[b]))
            delays.append(0)
        if isinstance(b, tuple):
            ways[n, 1] = rows[b[0]]
    paces = paces_of(text, speeds := [link.speed for link in links], phit)
    while max(delays) > MOST_DELAY * paces.cycle and phit < _MOST_PHIT:
        phit *= 2
        paces = paces_of(text, speeds, phit)
    here, there = np.array(ends, np.int64).T
    names = [""] * (1 + max(router.values()))
    for point in sorted(points, key=lambda point: isinstance(point, str)):
        names[router[point]] = point if isinstance(point, str) else point[0].name
    port, into = ranks(here), ranks(there)
    check_size(text, *(shape := (len(names), 1 + int(max(port.max(), into.max())))))
    cycles = [*paces.cycles, *[1] * (len(ends) - len(links))]
    tables = [np.full(shape, usual, np.int32) for usual in (-1, -1, 1, 0)]
    for table, values in zip(tables, (there, into, cycles, list(map(paces.delay, delays))), strict=True):
        table[here, port] = values
    made = Graph(
        text, len(hosts), len(names), tables[0], tables[1],
        first_switch=0, home=np.arange(len(hosts)), cycles=tables[2], delay=tables[3], names=tuple(names),
        default_routing="given", rates=paces.rates(source, *notes),
        ways=_table(text, len(hosts), joins.values(), ways, here, port, names),
    )  # fmt: skip
    check_connected(made)
    return with_hosts(made, hosts)


def _joins(part: Sequence[Step]) -> Iterator[_Join]:
    """Yield the points between which a message passes from link to link."""
    points: list[tuple[_Point, _Point]] = [
        (step, step) if isinstance(step, str) else ((step, False), (step, True)) for step in part
    ]
    yield from ((at, to) for (_, at), (to, _) in pairwise(points) if at != to)


def _routers(joins: Iterable[_Join], points: Sequence[_Point]) -> list[int]:
    """Return the router of each point: that of the only point before the begin or after the end of a link."""
    from networkx.utils import UnionFind  # imports much: only for networks that need it

    out, into = Counter(a for a, _ in joins), Counter(b for _, b in joins)
    one = UnionFind(points)
    for a, b in joins:
        if (isinstance(a, tuple) and out[a] == 1) or (isinstance(b, tuple) and into[b] == 1):
            one.union(a, b)
    number: dict[_Point, int] = {}
    return [number.setdefault(one[point], len(number)) for point in points]


def _table(
    text: str, hosts: int, uses: Collection[int], ways: Int, here: Int, port: Int, names: Sequence[str]
) -> NDArray[np.int16]:  # fmt: skip
    """Return the port of each router to each host; `uses` are bits for the hosts of each join."""
    check_memory(text, 16 * len(names) ** 2, "its table of routes")
    table = np.full((len(names), len(names)), -1, np.int16)
    size = -(-hosts // 8)
    bits = np.frombuffer(b"".join(targets.to_bytes(size, "little") for targets in uses), np.uint8)
    join, goal = np.nonzero(np.unpackbits(bits.reshape(-1, size), axis=1, bitorder="little"))
    link, goal = ways[join].ravel(), np.repeat(goal, 2)
    link, goal = link[link >= 0], goal[link >= 0]
    table[here[link], goal] = port[link]
    wrong = np.flatnonzero(table[here[link], goal] != port[link])
    if wrong.size:
        at, to = here[link[wrong[0]]], goal[wrong[0]]
        raise ValueError(
            f"{text}: routes to {names[to]} meet at {names[at]} and part there, which netplace does not "
            f"support: packets are routed by their destination"
        )
    return table
