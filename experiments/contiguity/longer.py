"""Check of the short jobs: ten times as long, sampled with intervals and live, beside those of the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.contiguity.cases import Cell
from netplace.studies.report import ReportTable

__all__ = ["LONGER", "longer_cells", "longer_table"]

LONGER = 10.0  # times the run time
_CONTESTANTS = ("boxes", "random")
_COMMUNICATION, _POLICY = "0.3", "easy"

Named = tuple[str, str, Cell]


def longer_cells(made: Sequence[Named]) -> list[Named]:
    """Return the cells that the check needs: those of one machine as they are, longer live, longer sampled.

    Of each log one week is taken.
    """
    named, logs = [], set[tuple[str, str]]()
    for _, name, cell in made:
        rules = cell.communication, cell.policy
        place = cell.log.digest, name
        if rules != (_COMMUNICATION, _POLICY) or name not in _CONTESTANTS or place in logs:
            continue
        logs.add(place)
        longer = replace(cell, mean_run=LONGER * cell.mean_run)
        named += [("study", name, cell), ("live", name, longer)]
        named += [("sampled", name, replace(longer, sampled=True))]
    return named


def longer_table(made: Sequence[tuple[str, str, Cell, dict[str, Any]]]) -> ReportTable:
    """Return the slowdown by sharing of each log and contestant, and how often sampled intervals hold.

    A sampled job and a live one have the same nodes only until their schedules part, so intervals are
    compared of those jobs that have the same time alone within 2 %.
    """
    outcomes = {(cell.log.name, name, what): outcome for what, name, cell, outcome in made}
    rows = []
    for log, name in dict.fromkeys((log, name) for log, name, _ in outcomes):
        jobs = {
            what: {key: np.array(values) for key, values in outcomes[log, name, what]["jobs"].items()}
            for what in ("study", "live", "sampled")
        }
        sharing = {what: float((own["live"] / own["alone"]).mean()) for what, own in jobs.items()}
        live, sampled = jobs["live"], jobs["sampled"]
        same = np.abs(sampled["alone"] / live["alone"] - 1) < 0.02
        off = np.abs(live["live"] / sampled["live"] - 1)
        rows.append(
            {
                "log": log,
                "contestant": name,
                "jobs": len(live["live"]),
                "of the study": sharing["study"],
                "longer, live": sharing["live"],
                "longer, sampled": sharing["sampled"],
                "compared": int(same.sum()),
                "inside %": 100 * float((off <= sampled["half_width"] + 1e-12)[same].mean()),
                "half width %": 100 * float(sampled["half_width"].mean()),
            }
        )
    digits = {"jobs": 0, "compared": 0, "inside %": 0, "half width %": 1}
    digits |= dict.fromkeys(("of the study", "longer, live", "longer, sampled"), 3)
    title = f"Mean slowdown by sharing, jobs {LONGER:g} times as long: EASY, communication {_COMMUNICATION}"
    return ReportTable("longer", title, pd.DataFrame(rows), digits)
