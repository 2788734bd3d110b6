"""Sets of blocks as partitions, their metrics, and how these go with run times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.experiments.shared.statistics import constant
from netplace.placement import partition
from netplace.placement.mapping import cost_matrix
from netplace.placement.metrics import PUBLISHED, metrics
from netplace.topologies import Grid, Topology, parse


def block_sets(
    grid: Grid, sides: str, sharers: int, rng: np.random.Generator, *, anywhere: bool = False
) -> NDArray[np.int64]:
    """Return the nodes of each job when sets of blocks are shared by as many jobs, one job's size a block.

    In a set of k blocks each job in turn draws as many of the remaining nodes as a block has. Blocks must
    tile the grid. Unless they lie `anywhere`, a set is a box of blocks, as near to a cube as goes, its sides
    in random order. That sets are compact is a reading of EHU-KAT-IK-05-12: it alone gives the printed
    metrics of the two scattered examples (NA 256, AD 10.69, DFC 507).
    """
    lengths = tuple(int(side) for side in sides.split("x"))
    size = math.prod(lengths)
    if anywhere:
        tiles = _tiles(grid, lengths)
        sets = rng.permutation(len(tiles)).reshape(-1, sharers)
        areas = tiles[sets].reshape(len(sets), -1)
    else:
        areas = _tiles(grid, _turned(grid, lengths, sharers, rng))
    return np.concatenate([np.sort(rng.permutation(area).reshape(sharers, size), axis=1) for area in areas])


def pieces(grid: Grid, jobs: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the nodes of each job when each has pieces of its own, dealt out at random.

    Pieces are boxes, as near to cubes as goes, and tile the grid; a job has them one after another.
    """
    size = grid.nodes // jobs // count
    fitting = [
        box
        for box in _boxes(size, grid.sizes)
        if all(n % a == 0 for n, a in zip(grid.sizes, box, strict=True))
    ]
    box = min(fitting, key=lambda box: (sum(box), [-side for side in box]))
    tiles = _tiles(grid, box)
    return tiles[np.sort(rng.permutation(len(tiles)).reshape(jobs, -1), axis=1)].reshape(jobs, -1)


def _tiles(grid: Grid, sides: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the nodes of the boxes that tile the grid."""
    size = math.prod(sides)
    rule = "boxes:" + "x".join(map(str, sides))
    return np.array(partition(rule, grid, [size] * (grid.nodes // size)))


def _turned(grid: Grid, lengths: tuple[int, ...], count: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the sides of a box of `count` blocks that tiles the grid, drawn of those nearest to a cube."""
    boxes = [
        tuple(side * times for side, times in zip(lengths, box, strict=True))
        for box in _boxes(count, [size // side for size, side in zip(grid.sizes, lengths, strict=True)])
    ]
    fitting = [box for box in boxes if all(n % a == 0 for n, a in zip(grid.sizes, box, strict=True))]
    minimum = min(sum(box) for box in fitting)
    nearest = sorted(box for box in fitting if sum(box) == minimum)
    return nearest[int(rng.integers(len(nearest)))]


def _boxes(count: int, maximum: tuple[int, ...] | list[int]) -> list[tuple[int, ...]]:
    return [
        box
        for box in itertools.product(*(range(1, min(count, side) + 1) for side in maximum))
        if math.prod(box) == count
    ]


METRICS = PUBLISHED
_OF_NODES = METRICS[:5]  # those that need no traffic
_Floats = NDArray[np.float64]


def mean_metrics(
    topology: Topology, parts: Sequence[NDArray[np.int64]], W: NDArray[np.float64]
) -> dict[str, float]:
    """Return the mean over jobs of each of the `METRICS`, tasks being on the nodes of a part in order.

    Values that depend on nodes alone are kept for the next application; TAD and its kin are linear in the
    costs, and so are taken once, of the mean costs.
    """
    of_nodes, hops, level = _of_nodes(topology.text, tuple(tuple(part.tolist()) for part in parts))
    source, target = np.nonzero(W * (1 - np.eye(len(W))))
    pairs = len(W) * (len(W) - 1)
    mean_of = dict(zip(_OF_NODES, of_nodes, strict=True))
    for ending, cost in (("", hops), ("_AL", level)):
        mean_of[f"TAD{ending}"] = float(cost[source, target].sum() / pairs)
        mean_of[f"WTAD{ending}"] = float(cost[source, target] @ W[source, target] / pairs)
    return mean_of


@lru_cache(maxsize=128)
def _of_nodes(network: str, parts: tuple[tuple[int, ...], ...]) -> tuple[list[float], _Floats, _Floats]:
    """Return mean metrics of nodes, mean distances, and mean costs of the TD criterion."""
    topology = parse(network)
    own = [metrics(topology, part) for part in parts]
    means = [float(np.mean([getattr(values, name) for values in own])) for name in _OF_NODES]
    hops, level = (
        np.mean([cost_matrix(topology, part, criterion) for part in parts], axis=0)
        for criterion in ("classic", "td")
    )
    return means, hops, level


LEVEL = 0.01
NEAR = 0.10  # difference of two correlations that is called small


def correlations(points: pd.DataFrame, printed: pd.Series) -> pd.DataFrame:
    """Return Pearson's r of each metric with run time for each application, beside the published."""
    rows = []
    for app, group in points.groupby("app", sort=False):
        for metric in METRICS:
            r = stats.pearsonr(group[metric], group["time"])
            theirs = float(printed.get((app, metric), np.nan))
            rows.append(
                {
                    "app": app,
                    "metric": metric,
                    "r": float(r.statistic),
                    "p": float(r.pvalue),
                    f"significant at {LEVEL}": "yes" if r.pvalue < LEVEL else "no",
                    "published": theirs,
                    "difference": float(r.statistic) - theirs,
                    "r, mean of jobs": float(stats.pearsonr(group[metric], group["mean time"]).statistic),
                }
            )
    return pd.DataFrame(rows)


def correlation_summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on the metrics that predict the run time, and the agreement with published values."""
    table = cells.pivot(index="app", columns="metric", values="r")
    means = table.mean().sort_values(ascending=False)
    weak = [f"{row['app']} {row['metric']}" for _, row in cells[cells["p"] >= LEVEL].iterrows()]
    return [
        "r on average over applications: "
        + ", ".join(f"{name} {value:.2f}" for name, value in means.items())
        + ".",
        "The strongest metric of each application: "
        + ", ".join(f"{app} {name}" for app, name in table.idxmax(axis=1).items())
        + ".",
        f"Significant at {LEVEL}: {len(cells) - len(weak)} of {len(cells)}"
        + (f"; not {', '.join(weak)}." if weak else "."),
        *_agreement(cells[cells["published"].notna()]),
    ]


def _agreement(pairs: pd.DataFrame) -> list[str]:
    """Return sentences on how far correlations agree with those published."""
    if pairs.empty:
        return ["Nothing that we know is published in numbers for this table."]
    off = pairs["difference"]
    far = pairs[off.abs() > NEAR]
    listed = ", ".join(
        f"{row['app']} {row['metric']} {row['r']:.2f} ({row['published']:.2f})" for _, row in far.iterrows()
    )
    value, met = constant(pairs["published"] - NEAR, pairs["published"] + NEAR)
    near = (
        f"{len(pairs) - len(far)} of {len(pairs)} correlations within {NEAR} of the published (every one "
        f"{value:.2f}: {met}), {off.abs().mean():.3f} away on average"
        + (f"; further: {listed}." if listed else ".")
    )
    aware = pairs["metric"].str.contains("TAD")
    gains = [
        values[aware].groupby(pairs["app"]).mean() - values[~aware].groupby(pairs["app"]).mean()
        for values in (pairs["r"], pairs["published"])
    ]
    same = int((np.sign(gains[0]) == np.sign(gains[1])).sum())
    verdict = (
        "Metrics that know the traffic correlate better than those of nodes alone (on average) for "
        f"{int((gains[0] > 0).sum())} of {len(gains[0])} applications, published "
        f"{int((gains[1] > 0).sum())}; the same verdict for {same}."
    )
    return [near, verdict]
