"""Partitions of runs: rules that divide a network among jobs, or an allocator for one job after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netplace.inputs import check_choice
from netplace.placement.partition import PARTITIONS, partition
from netplace.placement.rule import Nodes, find_rule
from netplace.registry import Registry
from netplace.topologies import Topology


def partitions_with(text: str) -> Registry[Any]:
    """Return the registry in which a rule is: partitions, or, for names that only these have, allocators."""
    name = text.partition(":")[0]
    if name in PARTITIONS:  # most runs need no scheduler
        return PARTITIONS
    from netplace.scheduling.partitioner import PARTITIONERS

    allocator = name in PARTITIONERS.names() and name not in PARTITIONS.names()
    return PARTITIONERS if allocator else PARTITIONS


def machine_of_hosts(text: str, network: str) -> str:
    """Return ``"nodes"`` if a rule chooses hosts of several slots, as allocators do; else an empty text."""
    return "nodes" if "nodes:" in network and partitions_with(text) is not PARTITIONS else ""


def check_partition(text: str) -> None:
    """Check that there is a rule of this name, and that it takes the option."""
    name = text.partition(":")[0]
    if name not in PARTITIONS and not name.endswith(".py"):
        from netplace.placement.mapping import MAPPINGS
        from netplace.scheduling import PARTITIONERS, POLICIES

        others: dict[str, Registry[Any]] = {"mapping": MAPPINGS, "policy of netplace schedule": POLICIES}
        for kind, known in others.items():
            if name in known:
                raise ValueError(f"partition {text}: is a {kind}, expected as --{kind.partition(' ')[0]}")
        check_choice(name, sorted({*PARTITIONS.names(), *PARTITIONERS.names()}), "partition")
    if text.startswith("contiguous:bps"):
        raise ValueError(f"partition {text}: chooses by run times of a table, as in netplace schedule")
    find_rule(text, partitions_with(text))


def nodes_of_jobs(text: str, topology: Topology, sizes: Sequence[int], seed: int = 0) -> list[Nodes]:
    """Return the nodes of each job, which has so many tasks; ValueError if one has no place.

    An allocator chooses hosts, with all their slots, for one job after the other on the empty machine.
    """
    if partitions_with(text) is PARTITIONS:
        return partition(text, topology, sizes, seed=seed)
    from netplace.scheduling import Job, make_partitioner
    from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host, slots_of

    allocator, places = make_partitioner(text, network_of_hosts(topology), seed), []
    for job, size in enumerate(sizes):
        found = allocator.find(Job(job, 0.0, -(-size // slots_a_host(topology)), 1.0))
        if found is None:
            raise ValueError(f"partition {text}: no place for the {size} tasks of job {job} on {topology}")
        allocator.take(found)
        places.append(slots_of(topology, found.nodes))
    return places
