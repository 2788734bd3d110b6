"""Your own rules: in a file or module, or in an installed package.

A `Registry` selects a rule by name. The name has one of three forms: a key of the dict of built-in rules,
such as `MAPPINGS`; an entry point that a package offers in the group of the dict, such as
``netplace.mappings``; or a place, ``file.py:function`` or ``module:function``. An option can follow,
separated by a colon.

Only the user can give a place: on the command line, in a sweep or study file, or in Python. Names from data
must be keys of the dict of built-in rules (`netplace.checks.check_choice`).
"""

from __future__ import annotations

from netplace.extensions.offers import Offer
from netplace.extensions.on_demand import OnDemand
from netplace.extensions.place import Place, describe_rule_error
from netplace.extensions.registry import Registry, current_digest, file_digest

__all__ = ["Offer", "OnDemand", "Place", "Registry", "current_digest", "describe_rule_error", "file_digest"]
