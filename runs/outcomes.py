"""The outcomes of runs and schedules in a store: their keys and kinds.

Rows of older versions can lack other keys, or have more.
"""

from __future__ import annotations

from netplace.inputs import MOST
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.scheduling.metrics import PER_JOB, Metrics
from netplace.schema import (
    Validator,
    amount,
    fields_of,
    kind_of,
    listed,
    maybe,
    number,
    sentence,
    table,
    table_of,
)

_MEAN = table({"mean": maybe(amount(0, MOST))}, others=True)
_COUNTS = ("cycles", "drained_cycles", "packets", "packet_hops", "injection_blocked")

SIMULATION = table(
    {
        **dict.fromkeys(_COUNTS, number()),
        "packet_delay": _MEAN,
        "message_delay": _MEAN,
        "most_link_load": amount(0, MOST),
        "jobs": listed(table({"tasks": number(), "cycles": number()}, others=True)),
    },
    others=True,
)

_SPREAD = table(
    dict.fromkeys(("mean", "std", "p50", "p90", "p95", "p99", "most"), maybe(amount())), others=True
)
METRICS: Validator = kind_of(
    Metrics,
    undefined=True,
    given={"per_job": table(dict.fromkeys(PER_JOB, _SPREAD), others=True)},
)
SCHEDULE_KEYS, SCHEDULE_OPTIONS = fields_of(
    ScheduleFigures,
    undefined=True,
    given={
        "metrics": METRICS,
        "notes": listed(sentence),
        "cpu_seconds": amount(0),
        "versions": table_of(sentence),
    },
)
SCHEDULE = table(SCHEDULE_KEYS, SCHEDULE_OPTIONS, others=True)
