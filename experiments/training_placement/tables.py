"""Tables of steps: one by one, by partitioner, and how much of their spread each choice makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.experiments.training_placement.cells import Cell

__all__ = ["by_partitioner", "shares_of_spread", "steps_of"]

_NOTHING = 1e-12  # sum of squares of logarithms of times that do not differ


def steps_of(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each cell, with its `neighbours`, `distance`, and milliseconds `alone` and `live`."""
    return pd.DataFrame([vars(cell) | dict(outcome) for cell, outcome in outcomes])


def by_partitioner(steps: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each partitioner: means over orders and draws, and its best and worst order live."""
    rows = []
    for partitioner, own in steps.groupby("partitioner", sort=False):
        live = own.groupby("order", sort=False)["live"].mean()
        rows.append(
            {
                "partitioner": partitioner,
                "neighbours": own["neighbours"].mean(),
                "distance": own["distance"].mean(),
                "alone": own["alone"].mean(),
                "live": own["live"].mean(),
                "live / alone": float(stats.gmean(own["live"] / own["alone"])),
                "best order": live.idxmin(),
                "live, best": live.min(),
                "worst order": live.idxmax(),
                "live, worst": live.max(),
            }
        )
    return pd.DataFrame(rows)


def shares_of_spread(steps: pd.DataFrame) -> pd.DataFrame:
    """Return how much of the spread of times is the partitioner's, the order's, both together's, and chance.

    A row for steps alone and live, and for the ratio of the two: shares in percent of the sum of squares of
    logarithms (analysis of variance; each partitioner with each order in as many draws), and the largest mean
    of a partitioner, and of an order, over the least.
    """
    rows = []
    for name, times in (
        ("alone", steps["alone"]),
        ("live", steps["live"]),
        ("live / alone", steps["live"] / steps["alone"]),
    ):
        frame = steps[["partitioner", "order"]].assign(log=np.log(times))
        means = frame.pivot_table("log", "partitioner", "order", sort=False)
        logs = means.to_numpy()
        draws = len(frame) / logs.size
        middle = logs.mean()
        partitioners, orders = logs.mean(axis=1), logs.mean(axis=0)
        rest = logs - partitioners[:, None] - orders[None, :] + middle
        squares = {
            "partitioner %": draws * logs.shape[1] * _squares(partitioners - middle),
            "order %": draws * logs.shape[0] * _squares(orders - middle),
            "together %": draws * _squares(rest),
        }
        whole = _squares(frame["log"].to_numpy() - middle)
        squares["chance %"] = whole - sum(squares.values())
        rows.append(
            {"time": name}
            | {key: 100 * part / whole if whole > _NOTHING else 0.0 for key, part in squares.items()}
            | {
                "partitioners, most / least": float(np.exp(np.ptp(partitioners))),
                "orders, most / least": float(np.exp(np.ptp(orders))),
            }
        )
    return pd.DataFrame(rows)


def _squares(values: NDArray[np.float64]) -> float:
    return float((values**2).sum())
