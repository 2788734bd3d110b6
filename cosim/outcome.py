"""The result of a co-simulation in a folder or store: all keys and their valid values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netplace.cosim.figures import CosimFigures
from netplace.cosim.job_row import JobRow, job_row
from netplace.cosim.waiting import Waiting
from netplace.inputs import MOST
from netplace.runs.outcomes import METRICS
from netplace.schema import amount, anything, kind_of, listed, number, sentence, table, table_of, text

_FIGURES = kind_of(CosimFigures, undefined=True, given={"schedule": METRICS})
REQUIRED = {
    "jobs": listed(kind_of(JobRow), least=1),
    "figures": _FIGURES,
    "notes": listed(sentence),
    "rejected": listed(table({"job": number(-MOST), "nodes": number(), "why": text})),
    "cpu_seconds": amount(0),
    "versions": table_of(anything),
}
OPTIONAL = {
    "draws": number(1),
    "failures": listed(table({"job": number(-MOST), "why": text})),
    "site": table(dict.fromkeys(("refused", "node_failures", "before_unknown"), number())),
    "waiting": kind_of(Waiting),
}

OUTCOME = table(REQUIRED, OPTIONAL)


def job_rows_of(outcome: Mapping[str, Any]) -> list[JobRow]:
    """Return the job rows in the outcome of a co-simulation.

    Raises
    ------
    ValueError
        If `outcome` contains no jobs, or a row that does not come from a co-simulation.
    """
    jobs = outcome.get("jobs")
    REQUIRED["jobs"](jobs, "outcome: jobs")
    return [job_row(plain) for plain in jobs or ()]
