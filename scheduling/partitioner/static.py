"""Static partitioning: the machine is divided once, and each set of nodes serves one job at a time."""

from __future__ import annotations

from pathlib import Path

from netplace.placement.partition import PARTITIONS, partition
from netplace.placement.rule import Nodes, read_lines
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, PartitionerKind
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.topologies import Topology

# Partitions whose sets are known before the jobs are; of some only with an option.
STATIC = ("bands", "boxes", "columns", "nodes", "planes", "quadrants", "sub-cubes", "whole")
_EXAMPLES = {"bands": "bands:2", "boxes": "boxes:4x4", "columns": "columns:2", "planes": "planes:2"}


class StaticSets(PlainPartitioner):
    """Gives a job the smallest free set that holds it; the other nodes of the set stay idle meanwhile."""

    by_count = False

    def __init__(self, topology: Topology, sets: list[Nodes]) -> None:
        super().__init__(topology)
        self.sets = sorted(sets, key=len)

    def choose(self, job: Job) -> Allocation | None:
        """Return all nodes of a set."""
        for nodes in self.sets:
            if len(nodes) >= job.nodes and self.is_free[nodes].all():
                return Allocation(nodes)
        return None


def static_sets(name: str) -> PartitionerKind:
    """Return the allocator that divides a machine by the partition of this name."""

    def make(topology: Topology, option: str, seed: int) -> StaticSets:
        text = f"{name}:{option}" if option else name
        if name in _EXAMPLES and not option:
            raise ValueError(
                f"partition {name}: divides the network by the sizes of all jobs, which a scheduler does not "
                f"know; expected a size of its parts, such as {_EXAMPLES[name]}"
            )
        return StaticSets(topology, sets_of(text, topology))

    rule = PARTITIONS[name]
    example = _EXAMPLES.get(name, rule.example)
    return PartitionerKind(make, example, f"{rule.description}, each for one job at a time", rule.option)


def sets_of(text: str, topology: Topology) -> list[Nodes]:
    """Return the sets of nodes into which a partition divides a network."""
    name, _, option = text.partition(":")
    if name == "whole":
        return [topology.computing]
    if name == "nodes" or "@" in option:
        lists = len(read_lines(Path(option))) if Path(option).is_file() else option.count("/") + 1
        return partition(text, topology, [1] * lists)
    if name in ("quadrants", "sub-cubes"):
        return partition(text, topology, [1] * (1 << len(getattr(topology, "sizes", (0, 0)))))
    sets: list[Nodes] = []
    while True:  # as many as there are
        try:
            sets = partition(text, topology, [1] * (len(sets) + 1))
        except ValueError:
            if not sets:
                raise
            return sets
