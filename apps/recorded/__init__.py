"""The calls of ranks, one by one: the form in which every trace format is read."""

from netplace.apps.recorded.calls import CALL, Batch, Call, CallWriter
from netplace.apps.recorded.cutting import (
    Iterations,
    Window,
    cut,
    first_call,
    part_of,
    program_of,
    recorded,
)
from netplace.apps.recorded.folding import FOLD_FROM, folded, is_longer
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.settling import UnresolvedError, check_left_out, settled
from netplace.apps.recorded.summary import Summary, counted, summary_of
from netplace.apps.recorded.trace import IGNORABLE, Reading, Trace

__all__ = [
    "CALL",
    "FOLD_FROM",
    "IGNORABLE",
    "Batch",
    "Call",
    "CallWriter",
    "Iterations",
    "Reading",
    "Recorded",
    "Summary",
    "Trace",
    "UnresolvedError",
    "Window",
    "check_left_out",
    "counted",
    "cut",
    "first_call",
    "folded",
    "is_longer",
    "part_of",
    "program_of",
    "recorded",
    "settled",
    "summary_of",
]
