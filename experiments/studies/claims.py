"""Published orders, and whether they come out: by the mean, and by most instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["verdict"]

_LIKE = 0.05  # means within this share are alike
_ABOVE = ("above", "highest of")


def verdict(
    relation: str, variants: Sequence[str], others: Sequence[str], figures: Mapping[str, NDArray[np.float64]]
) -> tuple[str, int, int]:
    """Return whether a published order holds, and the number of instances for and against it.

    It holds if the mean has the sign and most instances do; "like" if the means are within 5 %. Instances in
    which both are equal count for neither.

    Parameters
    ----------
    relation : str
        Such as ``"below"``, ``"at or below"``, ``"well below"``, ``"like"``, ``"lowest of"``.
    variants, others : sequence of str
        Which are said to stand so to which.
    figures : mapping of str to ndarray
        A value an instance, by variant.
    """
    sign = -1 if relation in _ABOVE else 1
    gaps = [sign * (figures[other] - figures[own]) for own in variants for other in others if own != other]
    favour = int(sum(np.count_nonzero(gap > 0) for gap in gaps))
    against = int(sum(np.count_nonzero(gap < 0) for gap in gaps))
    means = [
        sign * (figures[other].mean() - figures[own].mean()) / abs(figures[other].mean())
        for own in variants
        for other in others
        if own != other
    ]
    if relation == "like":
        return ("held" if max(map(abs, means)) <= _LIKE else "not held"), favour, against
    if relation.startswith("at or"):
        held = min(means) >= -1e-9 and favour >= against
    else:
        held = min(means) > 0 and favour > against
    return ("held" if held else "not held"), favour, against
