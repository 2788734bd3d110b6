"""Who sits where: partitions give nodes to jobs, mappings give a job's nodes to its tasks.

Both are asked for by name, with an option after a colon where a rule takes one.

Examples
--------
>>> from netplace.topologies import parse
>>> first, second = partition("boxes:2x2", parse("torus:4x4"), [4, 4])
>>> first.tolist(), second.tolist()
([0, 1, 4, 5], [2, 3, 6, 7])
>>> map_tasks("column", parse("torus:4x4"), 4, nodes=first).tolist()
[0, 4, 1, 5]
"""

from __future__ import annotations

from netplace.placement.mapping import MAPPINGS, MappingProblem, map_tasks
from netplace.placement.partition import PARTITIONS, PartitionRequest, partition
from netplace.placement.rule import Rule

__all__ = [
    "MAPPINGS",
    "PARTITIONS",
    "MappingProblem",
    "PartitionRequest",
    "Rule",
    "map_tasks",
    "partition",
]
