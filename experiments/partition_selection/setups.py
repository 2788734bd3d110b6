"""The messages of the applications of the study of partition selection; a setup is one reading.

J. A. Pascual, thesis, UPV/EHU 2013, names seventeen applications and does not say how many messages they
send. The generators of traces of INSEE, the simulator behind the study, do for some of them: a torus is as
many rounds as a ring has tasks, up one way (`netplace.apps.synthetic`); GUPS makes a number of
updates over all tasks, 100 unless told otherwise. A waterfall has 286 fronts in J. Navaridas, J. A. Pascual
and J. Miguel-Alonso, PDP 2009, as many as LU; their generator has 10 unless told otherwise. Variants "T-" are
in none of them: here those of the transposed grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netplace.runs.file_times import BEST_KNOWN

_MAPPINGS = {"CM": "consecutive", "RM": "random", "TDM": "td:iterations=1000", "BM": BEST_KNOWN}
# The published construction, fewer times. Where all mappings cost the same (all-to-all) it leaves one by
# chance, our search the first.
_GRASP = _MAPPINGS | {"TDM": "td:grasp,iterations=2"}
_SHIFTS = {
    "2d-torus": "2d-shift",
    "2d-t-torus": "2d-t-shift",
    "3d-torus": "3d-shift",
    "3d-t-torus": "3d-t-shift",
}


@dataclass(frozen=True)
class Setup:
    title: str  # short description
    # Program of an application, if it is not the one of the same name.
    programs: Mapping[str, str] = field(default_factory=dict)
    # Keys of `netplace.scheduling.workload.INTENSITIES`, of which a job draws one. The sources do not say
    # which were drawn; times grow with the packets of a message, equally for all applications.
    intensities: tuple[str, ...] = ("low", "medium")
    # Mapping rule of each published abbreviation.
    mappings: Mapping[str, str] = field(default_factory=lambda: _MAPPINGS)
    repeats: int = 1  # number of repetitions of the messages of class IV jobs


_INSEE = _SHIFTS | {"gups": "gups,updates=100", "waterfall": "waterfall,rounds=286"}

SETUPS: dict[str, Setup] = {
    "plain": Setup("each application once"),
    # What a printed job of a mixed workload takes, in nodes times cycles, says that class IV runs far longer;
    # more repeats change little.
    "longer": Setup("class IV 100 times as long", repeats=100),
    "insee": Setup("messages as INSEE's generators have them, 286 fronts", _INSEE, ("low",), _GRASP),
    # So many that large mixed jobs run as much longer than those of class I as is printed, to one digit.
    "updates": Setup(
        "as insee, but 30,000 updates", _INSEE | {"gups": "gups,updates=30000"}, ("low",), _GRASP
    ),
}


def short(rule: str) -> str:
    names = {rule: name for setup in SETUPS.values() for name, rule in setup.mappings.items()}
    return names[rule]
