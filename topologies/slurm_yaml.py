"""Slurm's ``topology.yaml``: the choice of a topology, and its entries in the form of ``topology.conf``."""

from __future__ import annotations

from typing import Any

from netplace.topologies.indented import read_indented
from netplace.topologies.text_files import read_text

__all__ = ["chosen_topology", "tree_entries"]

_KINDS = ("tree", "block", "flat", "ring", "torus3d")


def chosen_topology(path: str, text: str, name: str = "") -> tuple[str, str, dict[str, Any]]:
    """Return the location of a topology in a file, its kind, and the entries below the kind.

    Parameters
    ----------
    path : str
        The file.
    text : str
        Name in messages.
    name : str
        Name of the topology. The default is the first one with ``cluster_default: true``, or the first one.
        If that is ``flat``, which describes no network, it is the only other one.
    """
    chosen = _chosen(read_indented(read_text(path, text), text), text, name)
    where = f"{text}, topology {chosen.get('topology')}"
    kind = next((kind for kind in _KINDS if kind in chosen), "")
    if kind in ("", "flat"):
        known = ", ".join(candidate for candidate in _KINDS if candidate != "flat")
        raise ValueError(f"{where}: {kind or 'no kind'}, which names no network, expected one of {known}")
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
    """Return the topology with that name, or the default one."""
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
