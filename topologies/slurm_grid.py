"""Rings and 3-D tori of Slurm's ``topology.yaml`` as networks, and the placements that a site lists.

Source: topology.yaml(5) and the Topology Guide (slurm.schedmd.com/topology.html) of Slurm 26.11.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from netplace.inputs import abbreviate, check_int, check_size
from netplace.topologies.compute_nodes import marked
from netplace.topologies.grid import Grid
from netplace.topologies.grid_kinds import torus
from netplace.topologies.host_lists import count_hosts, expand, with_hosts
from netplace.topologies.text_files import read_text
from netplace.topologies.text_form import read_path_and

_KINDS = ("tree", "block", "flat", "ring", "torus3d")


def chosen_topology(path: str, text: str, name: str = "") -> tuple[str, str, dict[str, Any]]:
    """Return the location of a topology in a file, its kind, and the entries below the kind.

    `text` is the name in messages. By default, the topology is the first one with ``cluster_default: true``,
    or the first one; if that is ``flat``, which describes no network, it is the only other one.
    """
    from netplace.topologies.yaml_files import read_yaml

    chosen = _chosen(read_yaml(read_text(path, text), text), text, name)
    where = f"{text}, topology {chosen.get('topology')}"
    kinds = [kind for kind in _KINDS if kind in chosen]
    if len(kinds) > 1:
        raise ValueError(f"{where}: {' and '.join(kinds)}, expected one kind of topology")
    kind = kinds[0] if kinds else ""
    if kind in ("", "flat"):
        known = ", ".join(candidate for candidate in _KINDS if candidate != "flat")
        raise ValueError(f"{where}: {kind or 'no kind'} is not a network, expected one of {known}")
    inside = chosen[kind] or {}
    if not isinstance(inside, dict):
        raise ValueError(f"{where}: {kind} is {inside!r}, expected keys below it")
    return where, kind, inside


def tree_entries(where: str, kind: str, inside: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Return the entries of a tree or of blocks, with the keys of ``topology.conf`` in lower case."""
    if kind == "tree":
        names = {"switch": "switchname", "nodes": "nodes", "children": "switches"}
        return [(where, entry) for entry in _entries(inside.get("switches"), names, where)]
    sizes = inside.get("block_sizes")
    block_sizes = [(where, {"blocksizes": _joined(sizes)})] if sizes else []
    names = {"block": "blockname", "nodes": "nodes"}
    return block_sizes + [(where, entry) for entry in _entries(inside.get("blocks"), names, where)]


def _chosen(content: Any, text: str, name: str) -> dict[str, Any]:
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise ValueError(f"{text}: expected a list of topologies, each beginning with - topology: NAME")
    if name:
        content = [entry for entry in content if entry.get("topology") == name]
        if not content:
            raise ValueError(f"{text}: no topology {name} in the file")
    of_cluster = [entry for entry in content if str(entry.get("cluster_default")).lower() == "true"]
    chosen: dict[str, Any] = [*of_cluster, *content][0]
    networks = [entry for entry in content if not {"tree", "block", "ring", "torus3d"}.isdisjoint(entry)]
    if name or chosen in networks or not networks:
        return chosen
    if len(networks) > 1:
        names = ", ".join(str(entry.get("topology")) for entry in networks)
        raise ValueError(f"{text}: the cluster's topology is flat, expected topology= one of {names}")
    only: dict[str, Any] = networks[0]
    return only


def _entries(rows: Any, names: dict[str, str], where: str) -> list[dict[str, str]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{where}: no switches or blocks, expected a list of them")
    return [{names[key]: _joined(value) for key, value in row.items() if key in names} for row in rows]


def _joined(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value or "")


_AXES = ("x", "y", "z")
_MOST = 1 << 16  # of a side
_BYTES_PER_HOST = 300


def slurm_grid(kind: str, inside: dict[str, Any], where: str, text: str, part: str = "") -> Grid:
    """Return the network of one ring or torus of a topology.

    Nodes are in x-major order, X fastest. Places of a torus without a node still have a router, whose node
    does not compute.
    """
    chosen, where = _part(kind, inside, where, part)
    if kind == "ring":
        names: list[str | None] = [*_names(chosen.get("nodes"), where, 1 << 20)]
        if not names:
            raise ValueError(f"{where}: nodes: not given, expected a list such as n[0-7]")
        sizes: tuple[int, ...] = (len(names),)
    else:
        sizes = _sides(chosen, "dims", where)
        names = _places(chosen, sizes, where)
    used = [name for name in names if name is not None]
    for name in used if len({*used}) < len(used) else ():
        if used.count(name) > 1:
            raise ValueError(f"{where}: node {name} appears twice")
    made = torus(sizes)
    empty = [node for node, name in enumerate(names) if name is None]
    made = marked(made, text, empty)
    return with_hosts(made, [f"none-{node}" if name is None else name for node, name in enumerate(names)])


def listed_placements(text: str) -> str:
    """Return the placements of a torus ``slurm:FILE,..``, in the form of the partitioner ``slurm``."""
    if not text.startswith("slurm:"):
        return ""
    path, _, _, topology, part, _ = read_path_and("taper", "links", "topology", "part", "top")(text)
    if not path.endswith((".yaml", ".yml")):
        return ""
    where, kind, inside = chosen_topology(path, text, topology)
    if kind != "torus3d":
        return ""
    chosen, where = _part(kind, inside, where, part)
    return "+".join(
        _placement(place, f"{where}: placement {number}")
        for number, place in enumerate(_list_of(chosen.get("placements") or [], f"{where}: placements"), 1)
    )


def _part(kind: str, inside: dict[str, Any], where: str, part: str) -> tuple[dict[str, Any], str]:
    """Return the requested ring or torus, and its location in the file."""
    plural, name = ("rings", "ring") if kind == "ring" else ("toruses", "name")
    every = _list_of(inside.get(plural), f"{where}: {plural}")
    names = [str(entry.get(name)) for entry in every]
    if part and part not in names:
        raise ValueError(f"{where}: no {kind} {part}, expected part= one of {', '.join(names)}")
    if not part and len(every) > 1:
        raise ValueError(
            f"{where}: {len(every)} separate networks ({', '.join(names)}), expected part= one of them"
        )
    place = names.index(part) if part else 0
    return every[place], f"{where}, {names[place]}"


def _list_of(rows: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{where}: expected a list of entries with keys")
    return rows


def _sides(entry: dict[str, Any], key: str, where: str, minimum: int = 1) -> tuple[int, ...]:
    given = entry.get(key)
    if not isinstance(given, dict) or set(given) != set(_AXES):
        raise ValueError(f"{where}: {key}: {abbreviate(given)} found, expected x, y and z")
    return tuple(check_int(given[axis], f"{where}: {key}: {axis}", minimum, _MOST) for axis in _AXES)


def _names(listed: Any, where: str, maximum: int) -> list[str]:
    text = ",".join(map(str, listed)) if isinstance(listed, list) else str(listed or "")
    count = count_hosts(text, where)
    if count > maximum:
        raise ValueError(f"{where}: nodes: {count} named, expected {maximum} at most")
    return list(expand(text, where))


def _places(entry: dict[str, Any], sizes: tuple[int, ...], where: str) -> list[str | None]:
    """Return the name of the node at each place, or None."""
    count = sizes[0] * sizes[1] * sizes[2]
    check_size(count, _BYTES_PER_HOST, "names of nodes", where)
    if ("nodes" in entry) == ("regions" in entry):
        raise ValueError(f"{where}: expected one of nodes and regions")
    if "nodes" in entry:
        names = _names(entry["nodes"], where, count)
        if len(names) != count:
            raise ValueError(f"{where}: nodes: {len(names)} named, expected {count}, one for each place")
        return [*names]
    names_at: list[str | None] = [None] * count
    for number, region in enumerate(_list_of(entry["regions"], f"{where}: regions"), 1):
        here = f"{where}: region {number}"
        anchor, sides = _sides(region, "anchor", here, 0), _sides(region, "dims", here)
        if any(
            begin + side > whole_side for begin, side, whole_side in zip(anchor, sides, sizes, strict=True)
        ):
            raise ValueError(f"{here}: is not within the torus of {'x'.join(map(str, sizes))}")
        names = _names(region.get("nodes"), here, sides[0] * sides[1] * sides[2])
        if len(names) != sides[0] * sides[1] * sides[2]:
            raise ValueError(f"{here}: {len(names)} nodes, expected {'x'.join(map(str, sides))}")
        ranges = [range(begin, begin + side) for begin, side in zip(anchor, sides, strict=True)]
        for name, (z, y, x) in zip(names, product(*ranges[::-1]), strict=True):
            place = x + sizes[0] * (y + sizes[1] * z)
            if names_at[place] is not None:
                raise ValueError(f"{here}: place {x},{y},{z} already has node {names_at[place]}")
            names_at[place] = name
    return names_at


def _placement(entry: dict[str, Any], where: str) -> str:
    dims = _sides(entry, "dims", where)
    text = "x".join(map(str, dims))
    spacing = _sides(entry, "anchor_spacing", where, 0) if "anchor_spacing" in entry else dims
    seed = _sides(entry, "anchor_seed", where, 0) if "anchor_seed" in entry else (0, 0, 0)
    if any(spacing) and spacing != dims:
        text += "/" + "x".join(map(str, spacing))
    return text + ("@" + "x".join(map(str, seed)) if any(seed) else "")
