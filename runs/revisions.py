"""Which rules no longer give what they gave, so that results of older code are not taken for theirs.

A rule whose outcome has changed gets a number in `REVISIONS`, to be raised at every further change. It is
part of the keys of all that uses the rule; what is kept under the older key stays, and is told apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from netplace.netsim import Config

__all__ = ["REVISIONS", "Revisions", "revisions_of"]

Revisions = tuple[tuple[str, int], ...]

# By kind and name; what is not listed gives what it always gave.
REVISIONS: dict[str, dict[str, int]] = {
    "arbiter": {
        "fifo": 2,  # time since a packet stood at the head, requested or not
    },
    "mapping": {
        "best": 2,  # has td and classic among its candidates
        "classic": 2,  # as td
        "td": 2,  # grasp one entry at a time; searches end at a bound; large ones on several levels
    },
    "partition": {},
    "partitioner": {
        "pss": 2,  # hypercubes have sub-cubes
    },
    "routing": {
        "par": 2,  # as ugal-g
        "ugal-g": 2,  # draws neither the packet's own group nor its destination's
        "ugal-l": 2,  # as ugal-g
    },
}


def revisions_of(
    mappings: Iterable[str] = (), partition: str = "", config: Config | None = None, partitioner: str = ""
) -> Revisions:
    """Return the rules among those named that have a revision, as (``"kind name"``, number), in order.

    Examples
    --------
    >>> revisions_of(["random", "td:grasp"], "bands")
    (('mapping td', 2),)
    """
    named = {("mapping", text) for text in mappings}
    named |= {("partition", partition), ("partitioner", partitioner)}
    if config is not None:
        named |= {("routing", config.routing), ("arbiter", config.arbiter)}
    found = ((kind, text.partition(":")[0]) for kind, text in named)
    return tuple(
        sorted((f"{kind} {name}", REVISIONS[kind][name]) for kind, name in found if name in REVISIONS[kind])
    )
