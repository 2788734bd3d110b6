"""Networks by their text forms, kept for as long as the files that they are read from stay the same."""

from __future__ import annotations

from netplace.runs.digests import Digest, digests_of_wiring
from netplace.topologies import Topology, parse

__all__ = ["network_of"]


def network_of(text: str) -> Topology:
    """Return the network of a text form, kept for as long as the files that it is read from stay the same.

    Raises
    ------
    ValueError
        As `netplace.topologies.parse`.
    """
    key = text, digests_of_wiring(text)
    if key not in _NETWORKS:
        topology = parse(text)
        while len(_NETWORKS) >= _MOST_NETWORKS:
            del _NETWORKS[next(iter(_NETWORKS))]
        _NETWORKS[key] = topology
    return _NETWORKS[key]


# The oldest first.
_NETWORKS: dict[tuple[str, tuple[Digest, ...]], Topology] = {}
_MOST_NETWORKS = 64
