"""The result of a co-simulation in a folder or store: all keys and their valid values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netplace.checks import MOST
from netplace.checks.calls import checked
from netplace.checks.schema import (
    amount,
    anything,
    kind_of,
    listed,
    maybe,
    number,
    row,
    sentence,
    table,
    table_of,
    text,
)
from netplace.cosim.cosim_figures import CosimFigures, Costs, HalfWidth, Sharing, TimeError
from netplace.cosim.job_row import JobRow, job_row
from netplace.cosim.mixes import SOURCES
from netplace.scheduling.metrics import PER_JOB, Metrics, Spread

__all__ = ["OPTIONAL", "OUTCOME", "REQUIRED", "job_rows_of"]

_SPREAD = kind_of(Spread, undefined=True)
_LEVEL = kind_of(Metrics, undefined=True, given={"per_job": table(dict.fromkeys(PER_JOB, _SPREAD))})
_ERROR = kind_of(TimeError, undefined=True, given={"jobs": number()})
_GROUPS = ("application", "size", "contiguous")
_FIGURES = kind_of(
    CosimFigures,
    given={
        "schedule": _LEVEL,
        "sharing": maybe(kind_of(Sharing, undefined=True, given={"jobs": number()})),
        "table_error": maybe(table({"all": _ERROR, **dict.fromkeys(_GROUPS, table_of(_ERROR))})),
        "sources": table(dict.fromkeys(SOURCES, amount(0))),
        "mixes": table({"simulated": number(), "target_missed": number(), "target_half_width": amount(0)}),
        "simulated": amount(0),
        "marked": number(),
        "half_width": maybe(kind_of(HalfWidth, undefined=True)),
        "costs": maybe(kind_of(Costs, undefined=True, given={"jobs": number()})),
    },
)
_PAIR = (number(-MOST), number(-MOST), number())  # a job, the job charged, cycles
_LINK = dict.fromkeys(("router", "port", "own", "others"), number()) | {"over_time": listed(number())}
_WAITING = table(
    {
        **dict.fromkeys(("window", "waited", "charged"), number()),
        "jobs": listed(row(*_PAIR)),
        "over_time": listed(row(number(), *_PAIR)),
        "links": listed(table(_LINK)),
    },
    {"watched": listed(table({"job": number(-MOST), "links": listed(row(number(), number(), *_PAIR[1:]))}))},
)
REQUIRED = {
    "jobs": listed(kind_of(JobRow), least=1),
    "figures": _FIGURES,
    "notes": listed(sentence),
    "rejected": listed(table({"job": number(-MOST), "nodes": number(), "why": text})),
    "cpu_seconds": amount(0),
    "versions": table_of(anything),
}
OPTIONAL = {
    "failures": listed(table({"job": number(-MOST), "why": text})),
    "site": table(dict.fromkeys(("refused", "node_failures", "before_unknown"), number())),
    "waiting": _WAITING,
}

OUTCOME = table(REQUIRED, OPTIONAL)


@checked
def job_rows_of(outcome: Mapping[str, Any]) -> list[JobRow]:
    """Return the job rows of the result of a co-simulation.

    Raises
    ------
    ValueError
        If `outcome` has no jobs, or a row is not that of a co-simulation.
    """
    jobs = outcome.get("jobs")
    REQUIRED["jobs"](jobs, "outcome: jobs")
    return [job_row(plain) for plain in jobs or ()]
