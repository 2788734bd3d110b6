"""Rules of one's own: found by the place of their code, or because an installed package offers them.

Wherever a rule is asked for by name (`Choice`) there are three ways to say which: a name of the visible
dict; the name of an entry point that a package offers in the dict's group, such as ``netplace.mappings``; and
a place, ``file.py:function`` or ``module:function``. An option may follow after a colon.

Only what a user writes, on the command line, in a sweep or study file or in Python, may name a place. Names
that come from data are checked against the visible dict (`netplace.checks.one_of`).
"""

from __future__ import annotations

from netplace.extensions.blame import blamed
from netplace.extensions.choice import Choice
from netplace.extensions.offers import Offer
from netplace.extensions.on_demand import OnDemand
from netplace.extensions.place import Place
from netplace.extensions.sources import current_digest, file_digest

__all__ = ["Choice", "Offer", "OnDemand", "Place", "blamed", "current_digest", "file_digest"]
