"""Text files, read with one-sentence errors: lists of parents, and words by line."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from netplace.files import decoded, input_file, read_content
from netplace.inputs import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import levels_of
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_WIDTH, check_cables


def tree_file(path: str) -> Graph:
    """Read a tree of any shape from a file with a line ``child parent [width]`` for each cable.

    A name that is not a parent is a node and its host; any other name is a switch. A node has one parent and
    a width of 1. A switch can have several parents. A ValueError is raised if the file cannot be read or does
    not describe such a tree.
    """
    text = f"tree-file:{path}"
    lines = []
    for line, words in read_lines(path, text):
        if len(words) not in (2, 3):
            raise ValueError(f"{text} line {line}: {len(words)} words, expected child parent [width]")
        width = check_int(words[2], f"{text} line {line}: width", 1, MOST_WIDTH) if len(words) == 3 else 1
        lines.append((line, words[0], words[1], width))
    parents = dict.fromkeys(parent for _, _, parent, _ in lines)
    number = {name: place for place, name in enumerate(parents)}
    seen: dict[str, int] = {}
    cables: list[tuple[int, int]] = []
    pairs: list[tuple[int, int]] = []
    nodes_at: list[list[str]] = [[] for _ in number]
    for line, child, parent, width in lines:
        if child in number:
            check_cables(f"{text} line {line}", len(cables) + width)
            cables += [(number[child], number[parent])] * width
            pairs.append((number[child], number[parent]))
        elif child in seen:
            raise ValueError(f"{text} line {line}: node {child} already has a parent, in line {seen[child]}")
        elif width != 1:
            raise ValueError(f"{text} line {line}: node {child} has a width of {width}, expected 1")
        else:
            seen[child] = line
            nodes_at[number[parent]].append(child)
    if not seen:
        raise ValueError(f"{text}: no nodes, expected a child that is not a parent")
    places = levels_of(len(number), pairs, list(number), text)
    counts = [len(own) for own in nodes_at]
    made = graph(
        text, Cables.of(cables), counts, names=list(number), places=places, default_routing="d-mod-k"
    )
    return with_hosts(made, chain.from_iterable(nodes_at))


def read_lines(path: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the words of every line that is not empty, without comments.

    A line that ends with a backslash continues in the next one, and has the number of the last.
    """
    rows, begun = [], ""
    for line, row in enumerate([*read_text(path, text).splitlines(), ""], 1):
        begun += row.split("#", 1)[0].rstrip()
        if begun.endswith("\\"):
            begun = begun[:-1]
        else:
            rows.append((line, begun.split()))
            begun = ""
    return [(line, words) for line, words in rows if words]


def read_text(path: str, text: str) -> str:
    """Return the text of a file, which may be compressed; `text` names the network in errors."""
    try:
        return decoded(read_content(existing(path, text)))
    except UnicodeDecodeError:
        raise ValueError(f"{text}: not a text file") from None


def existing(path: str, text: str) -> Path:
    """Return a path; raise ValueError if there is no such file."""
    if not path:
        raise ValueError(f"{text}: does not name a file, expected a path after the colon")
    if Path(path).is_dir():
        raise ValueError(f"{text}: is a folder, expected a file")
    if not input_file(path).is_file():
        raise ValueError(f"{text}: no such file")
    return Path(path)
