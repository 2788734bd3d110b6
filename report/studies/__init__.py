"""Studies: each is a set of simulations that answers one question in a report.

A package offers a `Study` in the group ``netplace.studies`` of its entry points. `STUDIES` contains the
studies of all installed packages, including `netplace.experiments`.
"""

from __future__ import annotations

from netplace.entry_points import Offers
from netplace.report.studies.report import Report, ReportTable
from netplace.report.studies.study import (
    Row,
    Study,
    StudyContext,
    StudyRequest,
    make_request,
    measured,
    of_runs,
)

__all__ = [
    "STUDIES", "Report", "ReportTable", "Row", "Study", "StudyContext", "StudyRequest", "make_request",
    "measured", "of_runs",
]  # fmt: skip

STUDIES: Offers[Study] = Offers("netplace.studies", "study", Study)
