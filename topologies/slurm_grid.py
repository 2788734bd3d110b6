"""Rings and 3-D tori of Slurm's ``topology.yaml`` as networks, and the placements that a site lists.

Source: topology.yaml(5) and the Topology Guide (slurm.schedmd.com/topology.html) of Slurm 26.11.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from netplace.checks import abbreviate, check_int, check_size
from netplace.topologies.grid import Grid
from netplace.topologies.host_lists import count_hosts, expand
from netplace.topologies.hosts import with_hosts
from netplace.topologies.service import marked
from netplace.topologies.slurm_yaml import chosen_topology
from netplace.topologies.text_form import read_path_and
from netplace.topologies.torus import torus

__all__ = ["listed_placements", "slurm_grid"]

_AXES = ("x", "y", "z")
_MOST = 1 << 16  # of a side
_BYTES_PER_HOST = 300


def slurm_grid(kind: str, inside: dict[str, Any], where: str, text: str, part: str = "") -> Grid:
    """Return the network of one ring or torus of a topology.

    Nodes are in x-major order, X fastest. Places of a torus without a node still have a router, whose node
    does not compute.

    Parameters
    ----------
    kind : str
        ``"ring"`` or ``"torus3d"``.
    inside : dict
        The entries below it.
    where, text : str
        Location for messages, and the text form of the network.
    part : str
        Name of the ring or torus; can be empty if there is only one.
    """
    chosen, where = _part(kind, inside, where, part)
    if kind == "ring":
        names: list[str | None] = [*_names(chosen.get("nodes"), where, 1 << 20)]
        if not names:
            raise ValueError(f"{where}: nodes: not given, expected some such as n[0-7]")
        sizes: tuple[int, ...] = (len(names),)
    else:
        sizes = _sides(chosen, "dims", where)
        names = _places(chosen, sizes, where)
    used = [name for name in names if name is not None]
    for name in used if len({*used}) < len(used) else ():
        if used.count(name) > 1:
            raise ValueError(f"{where}: node {name} is there twice")
    made = torus(sizes)
    empty = [node for node, name in enumerate(names) if name is None]
    made = marked(made, text, empty)
    return with_hosts(made, [f"none-{node}" if name is None else name for node, name in enumerate(names)])


def listed_placements(text: str) -> str:
    """Return the placements of a torus ``slurm:FILE,..``, in the form of the partitioner ``slurm``.

    Returns
    -------
    str
        Text such as ``"2x2x1+4x2x1/2x2x1@1x0x0"``; empty if there is no torus, or one without placements.
    """
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
            f"{where}: {len(every)} networks of their own ({', '.join(names)}), expected part= one of them"
        )
    place = names.index(part) if part else 0
    return every[place], f"{where}, {names[place]}"


def _list_of(rows: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{where}: expected a list of entries with keys")
    return rows


def _sides(entry: dict[str, Any], key: str, where: str, least: int = 1) -> tuple[int, ...]:
    """Return the x, y and z below a key."""
    given = entry.get(key)
    if not isinstance(given, dict) or set(given) != set(_AXES):
        raise ValueError(f"{where}: {key}: {abbreviate(given)} found, expected x, y and z")
    return tuple(check_int(given[axis], f"{where}: {key}: {axis}", least, _MOST) for axis in _AXES)


def _names(listed: Any, where: str, most: int) -> list[str]:
    text = ",".join(map(str, listed)) if isinstance(listed, list) else str(listed or "")
    count = count_hosts(text, where)
    if count > most:
        raise ValueError(f"{where}: nodes: {count} named, expected {most} at most")
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
                raise ValueError(f"{here}: place {x},{y},{z} has node {names_at[place]} already")
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
