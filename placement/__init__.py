"""Placement: partitions give nodes to jobs, and mappings give the nodes of a job to its tasks.

Rules for both are selected by name. If a rule takes an option, it follows the name after a colon.

Examples
--------
>>> from netplace.topologies import parse
>>> first, second = partition("boxes:2x2", parse("torus:4x4"), [4, 4])
>>> first.tolist(), second.tolist()
([0, 1, 4, 5], [2, 3, 6, 7])
>>> map_tasks("column", parse("torus:4x4"), 4, nodes=first).tolist()
[0, 4, 1, 5]
"""

from netplace.placement.mapping import MAPPINGS, MappingProblem, map_tasks
from netplace.placement.partition import PARTITIONS, PartitionRequest, partition
from netplace.placement.rule import Rule

__all__ = ["MAPPINGS", "PARTITIONS", "MappingProblem", "PartitionRequest", "Rule", "map_tasks", "partition"]
