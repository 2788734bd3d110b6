"""Revisions of rules, so that results from older code are not confused with current ones.

A rule whose outcome has changed has a number in `REVISIONS`, which must be increased at every further change.
The number is part of the keys of everything that uses the rule; results with older keys stay in stores and
remain distinct.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from netplace.netsim import Config

__all__ = ["REVISIONS", "Revisions", "key_of", "revisions_of"]

Revisions = tuple[tuple[str, int], ...]

# By kind and name; what is not listed gives what it always gave.
REVISIONS: dict[str, dict[str, int]] = {
    "arbiter": {},
    "machine": {"nodes": 2},  # 2: the nodes of jobs are hosts, no longer their slots
    # best: link-load is a candidate; hosts: all nodes of a chassis are at its first switch, of four and more
    "mapping": {"best": 2, "hosts": 2},
    "partition": {},
    "partitioner": {"slurm": 2},  # 2: switches of three and more levels as Slurm 22.05 compares them
    "routing": {},
}


def key_of(revision: int, values: Mapping[str, Any]) -> str:
    """Return the key of a plan: SHA-256 of the revision of its kind and of all values, defaults too."""
    text = json.dumps([revision, values], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def revisions_of(
    mappings: Iterable[str] = (),
    partition: str = "",
    config: Config | None = None,
    partitioner: str = "",
    machine: str = "",
) -> Revisions:
    """Return those of the named rules that have a revision, as (``"kind name"``, number), in order.

    Examples
    --------
    >>> revisions_of(["random", "td:grasp"], "bands")
    ()
    """
    named = {("mapping", text) for text in mappings}
    named |= {("partition", partition), ("partitioner", partitioner), ("machine", machine)}
    if config is not None:
        named |= {("routing", config.routing), ("arbiter", config.arbiter)}
    rules = ((kind, text.partition(":")[0]) for kind, text in named)
    return tuple(
        sorted((f"{kind} {name}", REVISIONS[kind][name]) for kind, name in rules if name in REVISIONS[kind])
    )
