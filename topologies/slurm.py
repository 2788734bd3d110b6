"""Networks from Slurm's ``topology.conf`` and ``topology.yaml``: trees, blocks, rings and 3-D tori."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from netplace.files import noting_inputs
from netplace.inputs import check_float, check_int, check_size
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid
from netplace.topologies.hierarchy import levels_of
from netplace.topologies.host_lists import count_hosts, expand, with_hosts
from netplace.topologies.limits import MOST_WIDTH, check_cables
from netplace.topologies.slurm_grid import chosen_topology, slurm_grid, tree_entries
from netplace.topologies.text_files import read_lines, read_text

_PAIR = re.compile(r'(\w+)\s*=\s*("[^"]*"|\S+)')
_YAML = re.compile(r"^\s*-\s*topology\s*:", re.MULTILINE)
_BYTES_PER_HOST = 300  # of a name, in lists and in a dict
_Link = tuple[int, int, int]  # cables, cycles a phit, delay


def slurm(
    path: str, taper: str | float = "", links: str = "", topology: str = "", part: str = "", top: str = ""
) -> Graph | Grid:
    """Return the network that a ``topology.conf`` or ``topology.yaml`` describes.

    In the tree plug-in, ``SwitchName=s0 Nodes=n[0-3]`` is a switch with nodes, and ``SwitchName=s4
    Switches=s[0-3]`` is a switch above others. In the block plug-in, every ``BlockName=b0 Nodes=n[0-17]`` is
    a switch. With ``BlockSizes=18,36``, each group of blocks of a larger size has a switch above it, and one
    more switch is above all of these. In YAML, switches are the ``switches`` of a ``tree`` and the ``blocks``
    of a ``block``; a ``ring`` and a ``torus3d`` are grids (see `netplace.topologies.slurm_grid`).

    Parameters
    ----------
    path : str
        The file. It is read as YAML if its name ends in ``.yaml`` or ``.yml``, or if a line begins a YAML
        topology. Lines with other keys are ignored; ``include FILE`` stands for the lines of another file.
    taper : float, optional
        Ratio of downlinks to uplinks of a switch, rounded up to whole cables: 1 is a full tree, 2 is 2:1. By
        default, every switch has one cable to each switch above it.
    links : str, optional
        A file with a line ``SWITCH ABOVE [width=4] [cycles=2] [delay=5]`` for each pair of switches that are
        connected by several, slower or longer cables.
    topology : str, optional
        Name of one of the topologies in a YAML file; by default, the cluster's default topology.
    part : str, optional
        Name of one of several rings or tori in a topology, or of the highest switch of one of several trees.
    top : str, optional
        Name of a switch to add above several trees. It has one cable to the highest switch of each tree, or
        as many as `taper` determines.

    Raises
    ------
    ValueError
        If the file cannot be read, describes no such network, defines a switch or node twice, names a missing
        switch, or contains a loop.
    """
    text = f"slurm:{path}"
    given = {"taper": taper, "links": links, "topology": topology, "part": part, "top": top}
    text += "".join(f",{key}={value}" for key, value in given.items() if value)
    if Path(path).suffix in (".yaml", ".yml") or _YAML.search(read_text(path, text)):
        where, kind, inside = chosen_topology(path, text, topology)
        if kind in ("ring", "torus3d"):
            for key in ("taper", "links", "top"):
                if given[key]:
                    raise ValueError(f"{text}: {key}= applies to trees and blocks, not to a {kind}")
            return slurm_grid(kind, inside, where, text, part)
        rows = tree_entries(where, kind, inside)
    else:
        rows = _rows(path, text, topology)
        rings = [{**values, "ring": values["ringname"]} for _, values in rows if "ringname" in values]
        if rings:
            return slurm_grid("ring", {"rings": rings}, text, text, part)
    _check_names(rows)
    switches: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    sizes: list[int] = []
    holder: dict[str, str] = {}
    blocks = False
    for where, values in rows:
        if "blocksizes" in values:
            sizes = [
                check_int(size, f"{where}: block size")
                for size in values["blocksizes"].split(",")
                if size != "-1"
            ]
        if "blocksize" in values:  # scontrol writes the size of each block, and of blocks of blocks
            sizes = sorted({*sizes, check_int(values["blocksize"], f"{where}: block size")})
        name = values.get("switchname") or values.get("blockname")
        if not name:
            continue
        blocks |= "blockname" in values
        if name in switches:
            raise ValueError(f"{where}: switch {name} appears twice")
        of_children = values.get("level", "0") != "0"  # scontrol repeats the nodes of the switches below
        switches[name] = [] if of_children else list(expand(values.get("nodes", ""), where))
        above[name] = list(expand(values.get("switches", ""), where))
        for node in switches[name]:
            if node in holder:
                raise ValueError(f"{where}: node {node} is already at {holder[node]}")
            holder[node] = name
    if not switches:
        raise ValueError(f"{text}: neither SwitchName= nor BlockName= in the file")
    for name, children in above.items():
        for child in children:
            if child not in switches:
                raise ValueError(f"{text}: switch {name} is above {child}, which is not in the file")
    if not blocks:
        _one_tree(switches, above, part, top, text)
    elif part or top:
        raise ValueError(f"{text}: part= and top= apply to separate trees, not to blocks")
    number = {name: place for place, name in enumerate(switches)}
    pairs = [(number[child], number[name]) for name, children in above.items() for child in children]
    nodes_at = [len(nodes) for nodes in switches.values()]
    names = list(switches)
    if blocks:
        pairs, names = _blocks_above(nodes_at, sizes, names)
        nodes_at += [0] * (len(names) - len(nodes_at))
    places = levels_of(len(names), pairs, names, text)
    cables = _cables(pairs, _widths(pairs, places[:, 0].tolist(), nodes_at, taper, text), links, names, text)
    made = graph(text, cables, np.array(nodes_at), names=names, places=places, default_routing="d-mod-k")
    return with_hosts(made, [node for nodes in switches.values() for node in nodes])


def _one_tree(
    switches: dict[str, list[str]], above: dict[str, list[str]], part: str, top: str, text: str
) -> None:
    """Keep one of several unconnected trees, or put a switch above them; modifies the dicts."""
    near: dict[str, list[str]] = {name: [*children] for name, children in above.items()}
    for name, children in above.items():
        for child in children:
            near[child].append(name)
    tree: dict[str, int] = {}
    for number, first in enumerate(switches):
        reached = [] if first in tree else [first]
        while reached:
            name = reached.pop()
            if name not in tree:
                tree[name] = number
                reached += near[name]
    branched = len({*tree.values()}) > 1
    lower = {child for children in above.values() for child in children}
    highest = [name for name in switches if name not in lower]
    named = ", ".join(highest[:8]) + (", .." if len(highest) > 8 else "")
    if branched and not (part or top):
        raise ValueError(
            f"{text}: {len({*tree.values()})} separate trees below {named}; expected part= one of these, or "
            f"top=NAME for a switch above all"
        )
    if (part or top) and not branched:
        raise ValueError(f"{text}: part= and top= apply to several trees or tori, but the file has one tree")
    if part and top:
        raise ValueError(f"{text}: part={part} and top={top}, expected one of the two")
    if top in switches:
        raise ValueError(f"{text}: top={top} is a switch of the file, expected a new name")
    if part and part not in highest:
        raise ValueError(f"{text}: part={part}, expected one of {named}")
    if top:
        switches[top], above[top] = [], highest
    for name in [name for name in switches if part and tree[name] != tree[part]]:
        del switches[name], above[name]


def _check_names(rows: list[tuple[str, dict[str, str]]]) -> None:
    """Refuse a list of more names than fit into memory, before creating any."""
    counted = 0
    for where, values in rows:
        counted += sum(count_hosts(values.get(key, ""), where) for key in ("nodes", "switches"))
        check_size(counted, _BYTES_PER_HOST, "names of nodes and switches", where)


def _rows(path: str, text: str, topology: str) -> list[tuple[str, dict[str, str]]]:
    """Return the location and the values of each entry of a ``topology.conf``, with keys in lower case."""
    if topology:
        raise ValueError(f"{text}: topology={topology} applies only to a .yaml file")
    entries = []
    for where, words in _included(path, text, ()):
        values = {key.lower(): value.strip('"') for key, value in _PAIR.findall(" ".join(words))}
        names = {"switchname", "blockname", "aggregatedblock", "ringname"}
        if values.keys() & {"nodes", "switches"} and not values.keys() & names:
            raise ValueError(f"{where}: {' '.join(words)}, expected SwitchName= or BlockName= in this line")
        entries.append((where, values))
    return entries


def included_files(path: str) -> list[str]:
    """Return the files that a ``topology.conf`` includes; none of a file of another kind."""
    try:
        with noting_inputs() as noted:
            for _ in _included(path, f"slurm:{path}", ()):
                pass
    except ValueError:
        return []  # which is told when it is read
    return [name for name in noted if name != path]


def _included(path: str, text: str, within: tuple[Path, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the location and the words of each line, those of included files in place of ``include FILE``."""
    for line, words in read_lines(path, text):
        where = f"{text} line {line}"
        if words[0].lower() != "include":
            yield where, words
            continue
        file = Path(path).parent / " ".join(words[1:])
        if not file.is_file() or file.resolve() in (*within, Path(path).resolve()):
            wrong = "which includes this one" if file.is_file() else "which does not exist"
            raise ValueError(f"{where}: include {file}, {wrong}")
        yield from _included(str(file), f"slurm:{file}", (*within, Path(path).resolve()))


def _widths(
    pairs: list[tuple[int, int]], level: list[int], nodes_at: list[int], taper: str | float, text: str
) -> list[int]:
    """Return the number of cables of each pair of switches, by the taper."""
    if not taper:
        return [1] * len(pairs)
    ratio = check_float(taper, f"{text}: taper", 1 / 64, 1 << 20)
    down = list(nodes_at)
    width = [0] * len(pairs)
    up: dict[int, list[int]] = {}
    for place, (child, _) in enumerate(pairs):
        up.setdefault(child, []).append(place)
    for child in sorted(up, key=lambda switch: level[switch]):
        each = max(1, int(np.ceil(down[child] / ratio / len(up[child]))))
        for place in up[child]:
            width[place] = each
            down[pairs[place][1]] += each
    return width


def _cables(
    pairs: list[tuple[int, int]], widths: list[int], links: str, names: list[str], text: str
) -> Cables:
    """Return the cables after the changes of a file of links."""
    links_of: dict[tuple[int, int], _Link] = {
        pair: (width, 1, 0) for pair, width in zip(pairs, widths, strict=True)
    }
    number = {name: place for place, name in enumerate(names)}
    for line, words in read_lines(links, text) if links else []:
        where = f"{links} line {line}"
        if len(words) < 2 or any("=" not in word for word in words[2:]):
            raise ValueError(f"{where}: expected SWITCH ABOVE width=.. cycles=.. delay=..")
        pair = tuple(number.get(name, -1) for name in words[:2])
        if pair not in links_of:
            raise ValueError(
                f"{where}: a cable from {words[0]} to {words[1]}, which are not connected in {text}"
            )
        width, cycles, delay = links_of[pair]
        for key, _, value in (word.partition("=") for word in words[2:]):
            if key == "width":
                width = check_int(value, f"{where}: width", 1, MOST_WIDTH)
            elif key == "cycles":
                cycles = check_int(value, f"{where}: cycles")
            elif key == "delay":
                delay = check_int(value, f"{where}: delay", 0)
            else:
                raise ValueError(f"{where}: unknown {key!r}, expected width, cycles or delay")
        links_of[pair] = width, cycles, delay
    widths_of = np.array([link[0] for link in links_of.values()], np.int64)
    check_cables(text, sum(widths_of.tolist()))
    ends = np.repeat(np.array(list(links_of), np.int64).reshape(-1, 2), widths_of, axis=0)
    cycles_of = np.repeat(np.array([link[1] for link in links_of.values()], np.int64), widths_of)
    delays_of = np.repeat(np.array([link[2] for link in links_of.values()], np.int64), widths_of)
    return Cables(ends, cycles_of, delays_of)


def _blocks_above(
    nodes_at: list[int], sizes: list[int], names: list[str]
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return pairs of switches, of which the second is above the first, and the names of all switches."""
    names = list(names)
    cables = []
    level = list(range(len(nodes_at)))
    base = sizes[0] if sizes else max(nodes_at)
    ratios = [size // before for before, size in zip([base, *sizes[1:]], sizes[1:], strict=False)]
    for ratio in [*ratios, len(level)]:
        if ratio < 2 or len(level) < 2:
            continue
        grouped = [level[i : i + ratio] for i in range(0, len(level), ratio)]
        level = []
        for members in grouped:
            names.append(f"above-{names[members[0]]}")
            level.append(len(names) - 1)
            cables += [(member, level[-1]) for member in members]
    return cables, names
