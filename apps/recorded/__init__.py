"""What ranks did, call by call: the form in which every format of traces is read."""

from __future__ import annotations

from netplace.apps.recorded.calls import CALL, Batch, Call, CallWriter
from netplace.apps.recorded.program import program_of
from netplace.apps.recorded.summary import Summary, summary_of
from netplace.apps.recorded.trace import IGNORABLE, Reading, Trace

__all__ = [
    "CALL",
    "IGNORABLE",
    "Batch",
    "Call",
    "CallWriter",
    "Reading",
    "Summary",
    "Trace",
    "program_of",
    "summary_of",
]
