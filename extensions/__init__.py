"""Rules by name, and the code of users that adds names.

A `Registry` is a table of one kind of rule, such as `netplace.placement.MAPPINGS`. Its names come from
netplace, from plug-ins, and from installed packages that offer entry points. A plug-in is one Python file
that adds names when it is loaded, with ``--plugin FILE.py`` or `load_plugin`::

    from netplace.placement import MAPPINGS, Rule

    def backwards(problem):
        return problem.nodes[::-1][: problem.tasks]

    MAPPINGS.add("backwards", Rule(backwards, "backwards", "the partition from its end"))

A name is looked up. Nothing else that a user, a file or a request says is ever imported or executed.
"""

from __future__ import annotations

from netplace.extensions.offers import Offers
from netplace.extensions.plugins import (
    Plugin,
    Portable,
    current_digest,
    describe_rule_error,
    file_digest,
    load_plugin,
    loaded_plugins,
    rules_without_file,
)
from netplace.extensions.registry import Registry

__all__ = [
    "Offers",
    "Plugin",
    "Portable",
    "Registry",
    "current_digest",
    "describe_rule_error",
    "file_digest",
    "load_plugin",
    "loaded_plugins",
    "rules_without_file",
]
