"""Studies: questions carried out over many runs and answered by a report. None is part of the product.

A study is a `Study` that a package offers in the group ``netplace.studies`` of its entry points;
`STUDIES` has those of all installed packages, ours (`netplace.experiments`) among them.
"""

from __future__ import annotations

from netplace.extensions.offered import Offered
from netplace.studies.report import Report, ReportTable
from netplace.studies.study import Asked, Bench, Row, Study, ask, measured, of_runs

__all__ = [
    "STUDIES",
    "Asked",
    "Bench",
    "Report",
    "ReportTable",
    "Row",
    "Study",
    "ask",
    "measured",
    "of_runs",
]

STUDIES: Offered[Study] = Offered("netplace.studies", "study", Study)
