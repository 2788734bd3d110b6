"""Classes of applications in J. A. Pascual's thesis (UPV/EHU, 2013), and their sizes.

See also J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Locality-aware policies to improve job scheduling
on 3D tori", J. Supercomput. 71(3), 966-994, 2015. Two-dimensional applications run on squares,
three-dimensional ones on cubes.
"""

from __future__ import annotations

__all__ = ["PUBLISHED_CLASSES", "published_sizes"]

_POWERS = (8, 16, 32, 64, 128, 256, 512)
_SQUARES = (16, 64, 256)
_CUBES = (8, 64, 512)

_I = ("all-to-all", "all-to-one", "one-to-all")
_II = ("2d-mesh", "2d-torus", "2d-sweep", "2d-t-mesh", "2d-t-torus", "2d-t-sweep")
_III = ("3d-mesh", "3d-torus", "3d-t-mesh", "3d-t-torus")
_IV = ("binary-tree", "butterfly", "gups", "waterfall")

PUBLISHED_CLASSES: dict[str, tuple[str, ...]] = {
    "I": _I,
    "II": _II,
    "III": _III,
    "IV": _IV,
    "I-IV": (*_I, *_II, *_III, *_IV),
}


def published_sizes(application: str) -> tuple[int, ...]:
    """Return the sizes in which an application occurs in the thesis."""
    if application in _II:
        return _SQUARES
    return _CUBES if application in _III else _POWERS
