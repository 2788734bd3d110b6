"""Tables of the published stream of suites, and of what foretells completion times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.published import published

__all__ = ["Made", "hops_table", "stream_table"]

Made = tuple[pd.DataFrame, dict[str, int], list[str]]
_BASE, _CURVE, _BEST = "curve:row,free-list", "curve:hilbert,free-list", "curve:hilbert,best-fit"
_CLAIMS = {  # name: what is compared with what, and by how much it is printed to be shorter
    "the curve alone": (_CURVE, _BASE, 0.14),
    "best fit along it": (_BEST, _CURVE, 0.11),
    "both": (_BEST, _BASE, 0.23),
}
_CLOSE = 0.03  # share within which policies cannot be told apart
_NAMES = {  # of machines, for people
    "service:nodes=32-63+96-127+160-191+224-255/torus:8x8,c=4": "torus:8x8,c=4, every other row",
    "service:nodes=128-255/torus:8x8,c=4": "torus:8x8,c=4, first four rows",
}


def stream_table(frame: pd.DataFrame) -> Made:
    """Return makespans and waits over those of the free list along rows, beside the printed."""
    theirs = {f"curve:{row['order']},{row['policy']}": row["makespan_s"] for row in _printed()}
    frame = frame.replace({"machine": _NAMES})
    rows: list[dict[str, Any]] = []
    for machine, group in frame.groupby("machine", sort=False):
        base = group[group["partition"] == _BASE].set_index("seed")
        for partition, part in group.groupby("partition", sort=False):
            own = part.set_index("seed")
            values = own["makespan"] / base["makespan"]
            rows.append(
                {
                    "machine": machine,
                    "partition": partition,
                    "makespan": float(own["makespan"].mean()),
                    "ratio": float(values.mean()),
                    "deviation": float(values.std()) if len(values) > 1 else np.nan,
                    "printed ratio": theirs.get(str(partition), np.nan) / theirs[_BASE],
                    "wait of largest": float((own["wait of largest"] / base["wait of largest"]).mean()),
                    "wait of others": float((own["wait of others"] / base["wait of others"]).mean()),
                    "spread of runs": float(own["spread of runs"].mean()),
                }
            )
    cells = pd.DataFrame(rows)
    sentences = [
        "ratios are to the free list along rows, seed by seed; on torus:8x8,c=4 every switch of the rows "
        "named has four processors, the other rows have none."
    ]
    for machine, own in cells.groupby("machine", sort=False):
        sentences += [f"{machine}: {sentence}" for sentence in _sentences(own.set_index("partition"))]
    counts = dict.fromkeys(("ratio", "deviation", "printed ratio"), 3)
    digits = {"makespan": 0, **counts, "wait of largest": 3, "wait of others": 3, "spread of runs": 3}
    return cells, digits, sentences


def _printed() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = published("cpa_makespan.csv").to_dict("records")
    return rows


def _sentences(own: pd.DataFrame) -> list[str]:
    """Return sentences on one machine."""
    ratio = own["ratio"]
    gains = {name: 1 - ratio[first] / ratio[other] for name, (first, other, _) in _CLAIMS.items()}
    near = sum(_CLAIMS[name][2] / 2 <= gain <= 2 * _CLAIMS[name][2] for name, gain in gains.items())
    sentences = [
        "makespans are shorter by "
        + ", ".join(
            f"{gain:.1%} with {name} (printed {_CLAIMS[name][2]:.0%})" for name, gain in gains.items()
        )
        + f"; {near} of {len(gains)} within a factor of two."
    ]
    policies = [name for name in own.index if name.startswith("curve:hilbert") and name != _CURVE]
    apart = ratio[policies].max() / ratio[policies].min() - 1
    worst = ratio.idxmax()
    sentences.append(
        f"the interval policies along Hilbert's curve are {apart:.1%} apart "
        f"({'not ' if apart > _CLOSE else ''}within {_CLOSE:.0%}); the longest makespan has {worst}."
    )
    ranks = own[["ratio", "wait of largest", "wait of others"]].corr("spearman")["ratio"]
    sentences.append(
        f"rank correlation of makespans with waits of the largest jobs {ranks['wait of largest']:.2f} "
        f"(printed: the same order), of the others {ranks['wait of others']:.2f}; run times of the largest "
        f"vary by {own['spread of runs'].min():.0%} to {own['spread of runs'].max():.0%} within a run "
        "(printed noise of a kind of job: 4 to 16%)."
    )
    return sentences


def hops_table(frame: pd.DataFrame) -> Made:
    """Return Pearson's r of completion time with hops and spans, network by network."""
    rows = []
    for machine, group in frame.replace({"machine": _NAMES}).groupby("machine", sort=False):
        jobs = pd.DataFrame([job for rows_of in group["rows"] for job in rows_of])
        r = jobs.corr()["cycles"]
        rows.append(
            {"machine": machine, "size": int(group["size"].iloc[0]), "jobs": len(jobs)}
            | {f"r, {name}": float(r[name]) for name in ("hops", "ring span", "linear span")}
            | {"least cycles": float(jobs["cycles"].min()), "most cycles": float(jobs["cycles"].max())}
        )
    cells = pd.DataFrame(rows)
    more = cells.loc[cells["r, hops"] > cells["r, ring span"], "machine"].tolist()
    positive = cells.loc[cells["r, hops"] > 0, "machine"].tolist()
    sentences = [
        f"positive on {'; '.join(positive) or 'none'}; hops more strongly than the ring span on "
        f"{'; '.join(more) or 'none'} (printed: both positive and weak, hops more strongly)."
    ]
    digits = {name: 2 for name in cells if name.startswith("r,")} | {"least cycles": 0, "most cycles": 0}
    return cells, digits, sentences
