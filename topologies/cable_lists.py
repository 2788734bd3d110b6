"""Networks written as text: lists of cables, BookSim's anynet, Graphviz DOT."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.inputs import abbreviate, check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.graph import Graph
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_DELAY

if TYPE_CHECKING:
    import networkx as nx

_OF_SWITCH = ("nodes", "group")
_OF_CABLE = ("width", "cycles", "delay", "bandwidth", "capacity", "speed", "latency", "weight")
_ENDS = (  # what the first two columns of a table of cables may be called
    ("source", "src", "from", "node1", "switch1", "endpoint1", "device_a"),
    ("target", "dst", "to", "node2", "switch2", "endpoint2", "device_b"),
)
_DATA = re.compile(
    r"(?<=\s)\{((?:['\"][^{}]*)?)\}$"
)  # attributes of an edge as networkx writes them: {'weight': 1}
_ITEM = re.compile(r"\s*['\"](\w+)['\"]:\s*['\"]?([^,'\"]*)['\"]?,?")
_NO_NAME = re.compile(r'[<>{}"\x00-\x1f\x7f]')
_TOKEN = re.compile(
    r'\s+|//[^\n]*|#[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|--|->|[\w.\u0080-\U0010ffff]+|-?\.?\d[\d.]*|[{}\[\];,=:]',
    re.S,
)


def cable_list(content: str, text: str, phit: int) -> Graph:
    """Return the network of a list of cables; see `netplace.topologies.graph_file`.

    Blanks separate words, or commas or semicolons if the first line has one. The first line may name columns,
    such as ``source,target,width``.
    """
    import networkx as nx

    network: nx.MultiGraph[Any] = nx.MultiGraph()
    columns: list[str] = []
    for place, (line, given) in enumerate(_rows(content, text)):
        where = f"{text} line {line}"
        lower = [word.lower() for word in given]
        if not place and len(given) > 1 and lower[0] in _ENDS[0] and lower[1] in _ENDS[1]:
            columns = lower[2:]
            _check_keys(columns, _OF_CABLE, f"{where}: column")
            continue
        if columns and len(given) != 2 + len(columns):
            raise ValueError(f"{where}: {len(given)} words, expected two names, {', '.join(columns)}")
        of_column = zip(columns, given[2:], strict=False)
        words = given[:2] + [f"{key}={word}" for key, word in of_column if word] if columns else given
        names = [word for word in words if word and "=" not in word]
        values = dict(word.split("=", 1) for word in words if "=" in word)
        _check_keys(values, _OF_SWITCH if len(names) == 1 else _OF_CABLE, where)
        if wrong := next((name for name in names if _NO_NAME.search(name)), ""):
            raise ValueError(f"{where}: {abbreviate(wrong)} is not the name of a switch")
        if len(names) == 1 and values:
            network.add_node(names[0], **values)
        elif len(names) == 2:
            network.add_edge(names[0], names[1], **values)
        else:
            raise ValueError(
                f"{where}: {len(names)} names, expected the two ends of a cable, then settings such as "
                f"width=2, or one name with nodes=4"
            )
    if len(network) > 1 and not network.edges:
        raise ValueError(f"{text}: no cable, expected lines with two names")
    return from_networkx(network, text, phit)


def _rows(content: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of every line that is not empty, without comments."""
    lines = [(line, row.split("#", 1)[0].strip()) for line, row in enumerate(content.splitlines(), 1)]
    lines = [(line, _DATA.sub(lambda data: _ITEM.sub(r" \1=\2", data[1]), row)) for line, row in lines if row]
    comma = next((mark for mark in ",;" if lines and mark in lines[0][1]), "")
    for line, row in lines:
        try:
            words = next(csv.reader([row], delimiter=comma)) if comma else row.split()
        except csv.Error as error:
            raise ValueError(f"{text} line {line}: {error}") from None
        yield line, [word.strip() for word in words]


def _check_keys(keys: Any, known: tuple[str, ...], where: str) -> None:
    for key in keys:
        if key not in known:
            raise ValueError(f"{where}: unknown {key!r}, expected {', '.join(sorted(known))}")


def anynet(content: str, text: str) -> Graph:
    """Return the network of BookSim's anynet file, ``router 0 node 0 router 1 15``.

    A line connects its first router or node to those that follow. A number after a router is the latency of
    the link to it in cycles, 1 by default. It applies to this direction, as in BookSim 2. Nodes keep their
    numbers as names.
    """
    router: dict[int, int] = {}
    home: dict[int, int] = {}
    links: dict[tuple[int, int], int] = {}
    for line, row in enumerate(content.splitlines(), 1):
        where = f"{text} line {line}"
        things = _things(row.split("//")[0].split(), where)
        if not things:
            continue
        kind, head, _ = things[0]
        for other, end, latency in things[1:]:
            pair = (kind, other)
            if pair == ("node", "node"):
                raise ValueError(f"{where}: connects node {head} to node {end}, expected a router")
            for word, place in ((kind, head), (other, end)):
                if word == "router":
                    router.setdefault(place, len(router))
            if pair == ("router", "router"):
                if head == end:
                    raise ValueError(f"{where}: connects router {head} to itself")
                links[head, end] = latency or 1
                links.setdefault((end, head), 1)
                continue
            node, at = (head, end) if kind == "node" else (end, head)
            if latency:
                raise ValueError(
                    f"{where}: a latency of {latency} for the link of node {node}, expected a latency only "
                    f"between routers"
                )
            if home.setdefault(node, at) != at:
                raise ValueError(
                    f"{where}: node {node} is already at router {home[node]}, expected one router"
                )
    if not home:
        raise ValueError(f"{text}: no node in BookSim's anynet")
    nodes_at: dict[int, list[int]] = {}
    for node in sorted(home):
        nodes_at.setdefault(home[node], []).append(node)
    order = [*nodes_at, *(place for place in sorted(router) if place not in nodes_at)]
    number = {place: n for n, place in enumerate(order)}
    pairs = [(a, b) for a, b in links if a < b or (b, a) not in links]
    ends = np.array([(number[a], number[b]) for a, b in pairs], np.int64).reshape(-1, 2)
    there = np.array([links[a, b] - 1 for a, b in pairs], np.int64)
    back = np.array([links[b, a] - 1 for a, b in pairs], np.int64)
    made = graph(
        text, Cables(ends, delay=there), [len(nodes_at.get(place, ())) for place in order],
        names=list(map(str, order)),
    )  # fmt: skip
    if (there != back).any():
        delay = made.delay.copy()
        for (a, b), cycles in zip(pairs, back, strict=True):
            here, end = (made.first_switch + number[place] for place in (a, b))
            delay[end, made.neighbor[end] == here] = cycles
        made = replace(made, delay=delay)
    return with_hosts(made, [str(node) for nodes in nodes_at.values() for node in nodes])


def _things(words: list[str], where: str) -> list[tuple[str, int, int]]:
    """Return the routers and nodes of a line of anynet, their numbers, and latencies (0 if there is none)."""
    things: list[tuple[str, int, int]] = []
    place = 0
    while place < len(words):
        if words[place] not in ("router", "node") or place + 1 == len(words):
            raise ValueError(
                f"{where}: {abbreviate(' '.join(words[place : place + 2]))}, expected router N or node N"
            )
        number = check_int(words[place + 1], f"{where}: {words[place]}", 0)
        place += 2
        latency = 0
        if things and place < len(words) and words[place] not in ("router", "node"):
            latency = check_int(words[place], f"{where}: latency", 1, MOST_DELAY)
            place += 1
        things.append((words[place - (3 if latency else 2)], number, latency))
    return things


def dot(content: str, text: str, phit: int) -> Graph:
    import networkx as nx

    tokens = _tokens(content, text)
    begin = tokens.index("{") if "{" in tokens else len(tokens)
    directed = "digraph" in [token.lower() for token in tokens[:begin]]
    network: nx.MultiGraph[Any] = nx.MultiDiGraph() if directed else nx.MultiGraph()
    place = begin + 1
    while place < len(tokens):
        word = tokens[place]
        place += 1
        if word in ("{", "}", ";", ","):
            continue
        if word.lower() == "subgraph":  # its vertices and edges count as if they stood outside
            place += tokens[place : place + 1] not in (["{"], [])
            continue
        if tokens[place : place + 1] == ["="]:
            place += 2
            continue
        chain = [word]
        while tokens[place : place + 1] in (["--"], ["->"], [":"]):
            if place + 1 == len(tokens) or tokens[place + 1] in ("{", "subgraph"):
                raise ValueError(f"{text}: an edge of DOT leads to a subgraph, expected a vertex")
            if tokens[place] != ":":  # a colon begins a port, which is passed over
                chain.append(tokens[place + 1])
            place += 2
        values: dict[str, str] = {}
        while tokens[place : place + 1] == ["["]:
            close = next((n for n in range(place, len(tokens)) if tokens[n] == "]"), len(tokens))
            inside = [token for token in tokens[place + 1 : close] if token not in (",", ";")]
            values |= dict(zip(inside[::3], inside[2::3], strict=False))
            place = close + 1
        if len(chain) == 1 and word.lower() not in ("graph", "node", "edge"):
            network.add_node(word, **{key: value for key, value in values.items() if key in _OF_SWITCH})
        for a, b in itertools.pairwise(chain):
            network.add_edge(a, b, **{key: value for key, value in values.items() if key in _OF_CABLE})
    return from_networkx(network, text, phit)


def _tokens(content: str, text: str) -> list[str]:
    """Return the words and marks of a DOT file, with names without their quotes."""
    tokens, place = [], 0
    while place < len(content):
        match = _TOKEN.match(content, place)
        if not match:
            line = content.count("\n", 0, place) + 1
            raise ValueError(f"{text} line {line}: {abbreviate(content[place : place + 8])} is not valid DOT")
        word, place = match[0], match.end()
        if not word.isspace() and not word.startswith(("//", "#", "/*")):
            tokens.append(word[1:-1] if word[0] == '"' else word)
    return tokens
