"""Published orders, and whether they are reproduced: by the mean, and by most instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["number_verdict", "verdict"]

_LIKE = 0.05  # means within this share are alike
_ABOVE = ("above", "highest of")


def verdict(
    relation: str, variants: Sequence[str], others: Sequence[str], figures: Mapping[str, NDArray[np.float64]]
) -> tuple[str, int, int]:
    """Return whether a published order holds, and the number of instances for and against it.

    It holds if the mean has the sign and most instances do; "like" if the means are within 5 %. Instances in
    which both are equal count for neither.

    `relation`: such as ``"below"``, ``"at or below"``, ``"well below"``, ``"like"``, ``"lowest of"``.
    `variants`, `others`: which are said to stand so to which. `figures`: a value an instance, by variant.
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


def number_verdict(
    metric: str,
    relation: str,
    against: str,
    variants: Sequence[str],
    figures: Mapping[str, NDArray[np.float64]],
) -> tuple[str, int, int] | None:
    """Return whether a published number comes out, and the instances for and against it; None: it is none.

    ``within X%`` is of means, against another variant; ``over`` a share of instances, each within 2 % of
    ``basic``; ``about`` a mean, met within 5 %.

    `metric`, `relation`, `against`: as published. `variants`: of which it is said. `figures`: a value an
    instance, by variant.
    """
    own = np.concatenate([figures[name] for name in variants])
    if relation.startswith("within"):
        share = float(relation.split()[1].rstrip("%")) / 100
        base = figures[against]
        near = np.abs(own / base - 1) <= share
        held = abs(float(own.mean() / base.mean()) - 1) <= share
    elif relation == "over" and metric.endswith("within 2% of basic"):
        near = np.abs(own / np.tile(figures["basic"], len(variants)) - 1) <= 0.02
        held = float(near.mean()) > float(against)
    elif relation == "about":
        near = np.abs(own / float(against) - 1) <= _LIKE
        held = abs(float(own.mean()) / float(against) - 1) <= _LIKE
    else:
        return None
    return ("held" if held else "not held"), int(near.sum()), int((~near).sum())
