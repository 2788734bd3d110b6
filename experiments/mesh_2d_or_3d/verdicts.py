"""What was published, in words, of mappings on the 8x8 and the 4x4x4 mesh, and whether times bear it out.

J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Strategies to map parallel applications onto meshes", DCAI
2010: no numbers are printed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

__all__ = ["verdicts"]

Means = dict[tuple[str, str, str], float]
_ALIKE = 0.03  # share by which means may differ and still be called no better


def verdicts(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each published verdict and application: whether the means agree.

    Parameters
    ----------
    cells : DataFrame
        A row for each ``app``, ``mesh`` (8x8, 4x4x4) and ``mapping``, with its ``mean``.
    """
    means: Means = {
        (str(row["app"]), str(row["mesh"]), str(row["mapping"])): float(row["mean"])
        for row in cells.to_dict("records")
    }
    rows = [
        {"verdict": verdict, "app": app, "met": "yes" if met else "no"}
        for app in dict.fromkeys(cells["app"])
        for verdict, met in _of(str(app), means)
    ]
    return pd.DataFrame(rows)


def _of(app: str, means: Means) -> Iterator[tuple[str, bool]]:
    flat = {name: means[app, "8x8", name] for name in ("consecutive", "random", "classic", "td")}
    solid = {name: means[app, "4x4x4", name] for name in flat}
    optimised, trivial = (min(flat[a], flat[b]) for a, b in (("classic", "td"), ("consecutive", "random")))
    if app in ("BT", "LU", "SP"):
        yield "8x8: consecutive is best", _least(flat, "consecutive")
        yield "4x4x4: td is best", _least(solid, "td")
        yield "consecutive on 8x8 beats all on 4x4x4", flat["consecutive"] < min(solid.values())
    elif app in ("FT", "IS"):
        yield "8x8: optimised ones are no better than trivial ones", optimised >= (1 - _ALIKE) * trivial
        yield "4x4x4: random is best, slightly", _least(solid, "random")
        yield (
            "of all, random on 4x4x4 is best",
            solid["random"] <= (1 + _ALIKE) * min(*flat.values(), *solid.values()),
        )
    else:
        yield (
            "8x8: optimised ones are clearly better, td first",
            optimised < (1 - _ALIKE) * trivial and _least(flat, "td"),
        )
        best = "consecutive" if app == "MG" else "td"
        yield f"4x4x4: {best} is best", _least(solid, best)
        yield (
            f"of all, {best} on 4x4x4 is best",
            solid[best] <= (1 + _ALIKE) * min(*flat.values(), *solid.values()),
        )
    yield "8x8: td beats classic", flat["td"] < flat["classic"]
    yield "4x4x4: td beats classic", solid["td"] < solid["classic"]


def _least(times: dict[str, float], name: str) -> bool:
    """Return whether a mapping is the fastest, or as fast as it."""
    return times[name] <= (1 + _ALIKE) * min(times.values())
