"""Whether a stronger constraint places jobs better, among rules of one kind: best effort, or forced.

F. Mendonca, thesis, Université Grenoble Alpes, 2017, figures 5.13 to 5.16: the rules of a constraint stand
best in its figure. A forced rule refuses places that a best-effort one takes, so that the two kinds cannot be
set beside each other: each rule is compared with the other two of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.shared.claims import verdict

__all__ = ["KINDS", "READINGS", "Figures", "orders_within_kinds"]

Figures = Mapping[str, Mapping[str, NDArray[np.float64]]]  # by name and rule, a value an instance

KINDS = {"best effort": ("becont", "beloc", "beplat"), "forced": ("cont", "loc", "plat")}
# Rules that stand for those of the thesis, by reading.
READINGS: dict[str, dict[str, str]] = {
    "as told": {},
    "longest pieces first": {"becont": "becont-largest"},
    "tightest fit": {name: f"{name}-tightest" for name in ("beloc", "beplat", "loc", "plat")},
}
# Figure of the thesis: what it shows, which rule of each kind is best in it, and whether least is best.
_FIGURES = {
    "5.13": ("contiguity", ("becont", "cont"), "lowest of"),
    "5.14": ("locality", ("beloc", "loc"), "lowest of"),
    "5.15": ("level", ("beplat", "plat"), "lowest of"),
    "5.16": ("success", ("beplat", "plat"), "highest of"),
}


def orders_within_kinds(logs: Mapping[str, Figures], reading: str) -> pd.DataFrame:
    """Return a row for each log, figure and kind of rules: whether the rule of the constraint stands best.

    Parameters
    ----------
    logs : mapping of str to Figures
        What was measured on each log, ``basic`` included.
    reading : str
        A key of `READINGS`.
    """
    standing = READINGS[reading]
    lines = []
    for log, figures in logs.items():
        for number, (metric, best, relation) in _FIGURES.items():
            for (kind, rules), name in zip(KINDS.items(), best, strict=True):
                rule = standing.get(name, name)
                others = [standing.get(other, other) for other in rules if other != name]
                order = _order(figures[metric], rule, others, relation)
                lines.append({"on": log, "figure": number, "metric": metric, "kind": kind, **order})
    return pd.DataFrame(lines)


def _order(
    values: Mapping[str, NDArray[np.float64]], rule: str, others: list[str], relation: str
) -> dict[str, Any]:
    """Return how a rule stands to the best of others, over ``basic``, and if it is before them all."""
    held, favour, against = verdict(relation, [rule], others, values)
    means = {name: float(values[name].mean() / values["basic"].mean()) for name in (rule, *others)}
    nearest = (min if relation == "lowest of" else max)(others, key=means.__getitem__)
    return {
        "rule": rule,
        "over basic": means[rule],
        "next": nearest,
        "next over basic": means[nearest],
        "verdict": held,
        "for": favour,
        "against": against,
    }
