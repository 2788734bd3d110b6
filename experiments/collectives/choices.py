"""What the tables of libraries choose, beside the best algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from netplace.apps.collectives import TABLES, schedule
from netplace.experiments.collectives.cells import BLOCKS, SETTINGS, Cell
from netplace.experiments.collectives.winners import samples_of
from netplace.studies.report import ReportTable

__all__ = ["choice_table"]


def choice_table(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> ReportTable:
    """Return the time of what each table chooses over the best, by operation and setting: geometric logs.

    The algorithm counts, not the table's segments: all are simulated with the study's. One that was given up
    counts with the time that it was given.
    """
    rows = []
    for cell, outcome in outcomes:
        for table in TABLES:
            block = cell.bytes // cell.ranks if cell.operation in BLOCKS else cell.bytes
            chosen = schedule(cell.operation, cell.ranks, block, collectives=table).algorithm
            chosen = outcome["same"].get(chosen, chosen)
            for setting in SETTINGS:
                logs = {
                    name: float(np.log(sample).mean())
                    for name, sample in samples_of(outcome["cycles"][setting]).items()
                }
                ratio = logs[chosen] - min(logs.values())
                for operation in (cell.operation, "all"):
                    rows.append({"operation": operation, "table": table, "setting": setting, "ratio": ratio})
    frame = pd.DataFrame(rows).groupby(["operation", "table", "setting"], sort=False)["ratio"].mean()
    cells = np.exp(frame).unstack("setting", sort=False)[list(SETTINGS)].reset_index()
    cells.columns.name = None
    cells = cells.sort_values("operation", key=lambda names: names != "all", kind="stable")
    title = "Time of the algorithm that a table chooses over that of the best one, geometric mean over cells"
    return ReportTable("choices", title, cells, dict.fromkeys(SETTINGS, 2))
