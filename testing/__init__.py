"""What is demanded of every rule, as one call that its author runs on theirs.

Each call takes a rule of one's own (the function or class itself), or what a user would write to ask for it
(a name, or ``file.py:function``), tries it on small cases, and raises an `AssertionError` with one sentence
that says what was demanded, and of which case. Those that come with netplace pass through the same calls.

Examples
--------
>>> from netplace.testing import check_mapping
>>> def backwards(problem):
...     return problem.nodes[: problem.tasks][::-1]
>>> check_mapping(backwards)
"""

from __future__ import annotations

from netplace.testing.application import check_application
from netplace.testing.collective import check_collective
from netplace.testing.mapping import check_mapping
from netplace.testing.partition import check_partition
from netplace.testing.partitioner import check_partitioner
from netplace.testing.policy import check_policy
from netplace.testing.run_times import check_run_times
from netplace.testing.topology import check_topology
from netplace.testing.traffic import check_traffic

__all__ = [
    "check_application",
    "check_collective",
    "check_mapping",
    "check_partition",
    "check_partitioner",
    "check_policy",
    "check_run_times",
    "check_topology",
    "check_traffic",
]
