"""Networks by their text forms, cached while their files stay the same."""

from __future__ import annotations

from functools import lru_cache

from netplace.runs.digests import Digest, digests_of_wiring
from netplace.topologies import Topology, parse
from netplace.topologies.compute_nodes import network_of_hosts


def network_of(text: str) -> Topology:
    """Return the network of a text form, cached while its files stay the same."""
    return _network(text, digests_of_wiring(text))


def hosts_of(text: str) -> Topology:
    """Return the network of the hosts of a machine, which a scheduler gives to jobs."""
    return network_of_hosts(network_of(text))


@lru_cache(maxsize=64)
def _network(text: str, contents: tuple[Digest, ...]) -> Topology:
    return parse(text)
