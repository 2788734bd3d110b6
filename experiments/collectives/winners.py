"""Which algorithm is best in each cell and setting, and what keeping the one that is best alone costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.experiments.collectives.cells import HOPELESS, SETTINGS, Cell
from netplace.experiments.shared.statistics import LEVEL
from netplace.studies.report import ReportTable

__all__ = ["TIE", "by_ranks", "findings", "samples_of", "winner_table", "winners_of"]

TIE = 0.02  # share by which a time may be longer and still be called as good
_ALONE = "in order"
_SAME = 1e-9  # by which logarithms of one ratio may differ


def samples_of(times: Mapping[str, Sequence[int | None]]) -> dict[str, list[float]]:
    """Return the cycles of every algorithm of a setting; of runs given up, as many as they were given."""
    draws = zip(*times.values(), strict=True)
    given = [HOPELESS * min(cycles for cycles in draw if cycles is not None) for draw in draws]
    return {
        name: [float(limit if cycles is None else cycles) for cycles, limit in zip(own, given, strict=True)]
        for name, own in times.items()
    }


def best(samples: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the algorithm of the least time, a geometric mean over draws, then those that do as well.

    All run on the same nodes in a draw: an algorithm does as well if its time is longer by less than `TIE`,
    or if the ratio of the two, draw by draw, is not distinguished from 1 by the t-test.
    """
    logs = {name: np.log(sample) for name, sample in samples.items()}
    first = min(logs, key=lambda name: float(logs[name].mean()))
    return [first, *(name for name in logs if name != first and _equal(logs[name] - logs[first]))]


def _equal(ratios: NDArray[np.float64]) -> bool:
    if ratios.mean() <= math.log(1 + TIE):
        return True
    varies = len(ratios) > 1 and np.ptp(ratios) > _SAME
    return bool(varies and stats.ttest_1samp(ratios, 0).pvalue > LEVEL)


def winners_of(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each cell and setting.

    Returns
    -------
    DataFrame
        ``winner``, ``as good`` (others that do as well: within `TIE`, or not distinguished by the draws),
        ``cycles`` (geometric mean), ``kept`` (time of the algorithm that is best in order and alone over that
        of the best one) and ``another`` (whether none that is best there is among the best here).
    """
    rows = []
    for cell, outcome in outcomes:
        alone = best(samples_of(outcome["cycles"][_ALONE]))
        for setting in SETTINGS:
            samples = samples_of(outcome["cycles"][setting])
            first, *equal = best(samples)
            means = {name: float(stats.gmean(sample)) for name, sample in samples.items()}
            rows.append(
                {
                    "operation": cell.operation,
                    "network": cell.network,
                    "ranks": cell.ranks,
                    "bytes": cell.bytes,
                    "setting": setting,
                    "winner": first,
                    "as good": equal,
                    "cycles": means[first],
                    "kept": means[alone[0]] / means[first],
                    "another": not set(alone) & {first, *equal},
                }
            )
    return pd.DataFrame(rows)


def findings(winners: pd.DataFrame) -> ReportTable:
    """Return how often another algorithm wins than in order and alone, and what keeping that one costs."""
    rows = []
    for setting, own in winners.groupby("setting", sort=False):
        logs = np.log(own["kept"])
        rows.append(
            {
                "setting": setting,
                "cells": len(own),
                "another wins %": 100 * own["another"].mean(),
                "kept, mean": math.exp(logs.mean()),
                "kept, 90 %": own["kept"].quantile(0.9),
                "kept, most": own["kept"].max(),
            }
        )
    digits = {"cells": 0, "another wins %": 0} | dict.fromkeys(("kept, mean", "kept, 90 %", "kept, most"), 2)
    title = (
        "The algorithm that is best in order and alone, kept in other settings: its time over the best one's"
    )
    return ReportTable("kept", title, pd.DataFrame(rows), digits)


def by_ranks(winners: pd.DataFrame) -> ReportTable:
    """Return for each number of ranks how often another algorithm wins, and what keeping one costs."""
    rows = []
    for ranks, own in winners.groupby("ranks"):
        row: dict[str, float] = {"ranks": ranks, "cells": len(own) // len(SETTINGS)}
        for setting in list(SETTINGS)[1:]:
            there = own[own["setting"] == setting]
            row[f"{setting}: another wins %"] = 100 * there["another"].mean()
            row[f"{setting}: kept"] = math.exp(np.log(there["kept"]).mean())
        rows.append(row)
    frame = pd.DataFrame(rows)
    digits = {name: 2 if name.endswith("kept") else 0 for name in frame}
    title = (
        "By ranks: in how many cells another algorithm wins than in order and alone, and that one kept, mean"
    )
    return ReportTable("ranks", title, frame, digits)


def winner_table(operation: str, winners: pd.DataFrame) -> ReportTable:
    """Return the winner of each cell of an operation by setting; ``+n``: n others do as well."""
    rows = []
    for (network, ranks, bytes), own in winners.groupby(["network", "ranks", "bytes"], sort=False):
        by_setting = own.set_index("setting")
        rows.append(
            {"network": network, "ranks": ranks, "bytes": bytes}
            | {
                setting: by_setting["winner"][setting]
                + (f" +{len(equal)}" if (equal := by_setting["as good"][setting]) else "")
                for setting in SETTINGS
            }
        )
    title = f"{operation}: the algorithm of least time; +n: n others do as well"
    return ReportTable(operation, title, pd.DataFrame(rows), {"ranks": 0, "bytes": 0})
