"""Your own rules: in a file or module, or in an installed package.

A `Choice` selects a rule by name. The name has one of three forms: a key of the visible dict; an entry point
that a package offers in the group of the dict, such as ``netplace.mappings``; or a place,
``file.py:function`` or ``module:function``. An option can follow after a colon.

Only users name places: on the command line, in a sweep or study file, or in Python. Names from data must be
keys of the visible dict (`netplace.checks.one_of`).
"""

from __future__ import annotations

from netplace.extensions.blame import blamed
from netplace.extensions.choice import Choice
from netplace.extensions.offers import Offer
from netplace.extensions.on_demand import OnDemand
from netplace.extensions.place import Place
from netplace.extensions.sources import current_digest, file_digest

__all__ = ["Choice", "Offer", "OnDemand", "Place", "blamed", "current_digest", "file_digest"]
