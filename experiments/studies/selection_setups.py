"""What the applications of the study of partition selection send: a set-up is one reading of the sources.

J. A. Pascual, thesis, UPV/EHU 2013, names seventeen applications and does not say how many messages they
send. The generators of traces of INSEE, the simulator behind the study, do for some of them: a torus is as
many rounds as a ring has tasks, up one way (`netplace.apps.synthetic.shifts`); GUPS makes a number of updates
over all tasks, 100 unless told otherwise. A waterfall has 286 fronts in J. Navaridas, J. A. Pascual and J.
Miguel-Alonso, PDP 2009, as many as LU; their generator has 10 unless told otherwise. Variants "T-" are in
none of them: here those of the transposed grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from netplace.experiments.studies.box_times import BEST

__all__ = ["SETUPS", "Setup", "short"]

_PLAIN = {"CM": "consecutive", "RM": "random", "TDM": "td:iterations=1000", "BM": BEST}
# Where all mappings cost the same (all-to-all), a construction leaves a random one, a local search the first.
_GRASP = _PLAIN | {"TDM": "td:grasp,iterations=2"}
_SHIFTS = {
    "2d-torus": {"app": "2d-shift"},
    "2d-t-torus": {"app": "2d-t-shift"},
    "3d-torus": {"app": "3d-shift"},
    "3d-t-torus": {"app": "3d-t-shift"},
}


@dataclass(frozen=True)
class Setup:
    """A reading of what the published applications are.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    mappings : mapping of str to str
        Mapping rule of each published abbreviation.
    programs : mapping
        Program of an application, where it is not the one of the same name: ``app`` and options.
    """

    title: str
    mappings: Mapping[str, str] = field(default_factory=lambda: _PLAIN)
    programs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


SETUPS: dict[str, Setup] = {
    "plain": Setup("each application once"),
    "insee": Setup(
        "messages as INSEE's generators have them, waterfalls of 286 fronts",
        _GRASP,
        _SHIFTS | {"gups": {"updates": 100}, "waterfall": {"rounds": 286}},
    ),
    "updates": Setup(
        "as insee, GUPS of 10,000 updates",
        _GRASP,
        _SHIFTS | {"gups": {"updates": 10_000}, "waterfall": {"rounds": 286}},
    ),
}


def short(rule: str) -> str:
    """Return the published abbreviation of a mapping rule."""
    names = {rule: name for one in SETUPS.values() for name, rule in one.mappings.items()}
    return names[rule]
