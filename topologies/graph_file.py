"""Networks from files: GraphML, edge lists, trees as lists of parents."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from netplace.checks import whole
from netplace.checks.calls import checked
from netplace.checks.inputs import input_file
from netplace.topologies.cables import Cables, graph
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import levels_of
from netplace.topologies.limits import check_cables

__all__ = ["existing", "graph_file", "read_lines", "tree_file"]


@checked
def graph_file(path: str) -> Graph:
    """Return the network that a file describes, see `netplace.topologies.from_networkx.from_networkx`.

    Parameters
    ----------
    path : str
        ``.graphml``: GraphML. Anything else: an edge list, a line with two names for each cable, then, if it
        has any, ``width=2``, ``cycles=2`` or ``delay=5``; ``NAME nodes=4`` says how many nodes hang at a
        switch (1 if it is not said), and ``NAME group=3`` in which group it is. ``#`` begins a comment.

    Raises
    ------
    ValueError
        If the file cannot be read or is no network.
    """
    import networkx as nx

    text = f"graph:{path}"
    if path.endswith(".graphml"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what networkx only warns of, it has guessed
                read = nx.read_graphml(existing(path, text))
        except OSError:
            raise
        except Exception as error:  # the parser, the codecs and networkx raise errors of many kinds
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{text}: not GraphML: {reason}") from None
        return from_networkx(read, text)
    network: nx.MultiGraph[Any] = nx.MultiGraph()
    for line, words in read_lines(path, text):
        names = [word for word in words if "=" not in word]
        values = dict(word.split("=", 1) for word in words if "=" in word)
        known = {"nodes", "group"} if len(names) == 1 else {"width", "cycles", "delay"}
        for key in values:
            if key not in known:
                raise ValueError(f"{text} line {line}: unknown {key!r}, expected {', '.join(sorted(known))}")
        if len(names) == 1:
            network.add_node(names[0], **values)
        elif len(names) == 2:
            network.add_edge(names[0], names[1], **values)
        else:
            raise ValueError(f"{text} line {line}: {len(names)} names, expected the two that a cable joins")
    return from_networkx(network, text)


@checked
def tree_file(path: str) -> Graph:
    """Return the tree, of any shape, whose file has a line ``child parent [width]`` for each cable.

    What is nobody's parent is a node; what is, a switch. A node has one parent and a width of 1. A switch may
    have several parents.

    Raises
    ------
    ValueError
        If the file cannot be read, or is no such tree.
    """
    text = f"tree-file:{path}"
    lines = []
    for line, words in read_lines(path, text):
        if len(words) not in (2, 3):
            raise ValueError(f"{text} line {line}: {len(words)} words, expected child parent [width]")
        width = whole(words[2], f"{text} line {line}: width") if len(words) == 3 else 1
        lines.append((line, words[0], words[1], width))
    parents = dict.fromkeys(parent for _, _, parent, _ in lines)
    number = {name: place for place, name in enumerate(parents)}
    seen: dict[str, int] = {}
    cables: list[tuple[int, int]] = []
    pairs: list[tuple[int, int]] = []
    nodes_at = np.zeros(len(number), np.int64)
    for line, child, parent, width in lines:
        if child in number:
            check_cables(f"{text} line {line}", len(cables) + width)
            cables += [(number[child], number[parent])] * width
            pairs.append((number[child], number[parent]))
        elif child in seen:
            raise ValueError(f"{text} line {line}: node {child} has a parent already, in line {seen[child]}")
        elif width != 1:
            raise ValueError(f"{text} line {line}: node {child} has a width of {width}, expected 1")
        else:
            seen[child] = line
            nodes_at[number[parent]] += 1
    if not seen:
        raise ValueError(f"{text}: no node, expected a child that is nobody's parent")
    places = levels_of(len(number), pairs, list(number), text)
    return graph(text, Cables.of(cables), nodes_at, names=list(number), places=places, usual="d-mod-k")


def read_lines(path: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the words of every line that is not empty, without comments."""
    with open(existing(path, text), encoding="utf-8") as file:
        try:
            rows = [(line, row.split("#", 1)[0].split()) for line, row in enumerate(file, 1)]
        except UnicodeDecodeError:
            raise ValueError(f"{text}: not a text file") from None
    return [(line, words) for line, words in rows if words]


def existing(path: str, text: str) -> Path:
    """Return a path; raise ValueError if there is no such file."""
    if not path:
        raise ValueError(f"{text}: names no file, expected one behind the colon")
    if Path(path).is_dir():
        raise ValueError(f"{text}: is a folder, expected a file")
    if not input_file(path).is_file():
        raise ValueError(f"{text}: no such file")
    return Path(path)
