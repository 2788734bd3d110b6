"""Checks for your own rules: each function tests one kind of rule.

Pass the function or class itself, or the name by which a user selects it.
The check tries the rule on small cases, such as the given `networks`; the rule can reject some cases with a
ValueError. If a case fails, the check raises an `AssertionError` that names the requirement and the case. The
rules that come with netplace pass the same checks.

Examples
--------
>>> from netplace.testing import check_mapping
>>> def backwards(problem):
...     return problem.nodes[: problem.tasks][::-1]
>>> check_mapping(backwards)
"""

from netplace.testing.application import check_application, check_traffic
from netplace.testing.mapping import check_mapping, check_partition
from netplace.testing.scheduling import check_partitioner, check_policy, check_run_times
from netplace.testing.topology import check_topology

__all__ = [
    "check_application", "check_mapping", "check_partition", "check_partitioner", "check_policy",
    "check_run_times", "check_topology", "check_traffic",
]  # fmt: skip
