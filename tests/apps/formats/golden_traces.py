"""Traces that others made, and what independent readers counted in them, if they lie beside the checkout."""

import csv
import os
from functools import cache
from pathlib import Path

import pytest

from netplace.apps.formats import open_trace
from netplace.apps.recorded import Reading, summary_of

_BESIDE = Path(__file__).resolve().parents[4] / "shared" / "traces"
_PLACES = {
    "dumpi/sst-macro-testbgp-7": "dumpi/sst-macro-test_traces/testbgp.meta",
    "tit/simgrid-replay-split": "tit/simgrid-replay/split_traces",
    "tit/simgrid-ti_traces_32": "tit/simgrid-ti_traces_32/smpi_replay.txt",
}


def folder():
    """Return the folder of the traces; skip the test where there is none."""
    given = os.environ.get("NETPLACE_TRACES")
    places = [Path(given)] if given else [_BESIDE, *(p / "shared" / "traces" for p in _BESIDE.parents)]
    for place in places:
        if (place / "golden" / "expected.csv").is_file():
            return place
    pytest.skip("traces that others made are not part of the checkout; NETPLACE_TRACES names their folder")


def expected():
    """Return the rows of what was counted, but for the formats of machine learning."""
    with (folder() / "golden" / "expected.csv").open() as file:
        return [row for row in csv.DictReader(file) if not row["trace"].startswith("chakra")]


def place_of(trace):
    """Return where a trace lies."""
    root = folder()
    if trace in _PLACES:
        return root / _PLACES[trace]
    kind, _, name = trace.partition("/")
    if name.startswith("simgrid-replay-"):
        return root / kind / "simgrid-replay" / f"actions_{name.removeprefix('simgrid-replay-')}.txt"
    if name.startswith("batsim-"):
        return root / kind / "batsim-smpi" / name.removeprefix("batsim-") / "traces.txt"
    found = [root / kind / name, *(root / kind / (name + ending) for ending in (".goal", ".prv.gz"))]
    return next(place for place in found if place.exists())


@cache
def counted(trace):
    """Return what `netplace trace info --json` says."""
    return summary_of(open_trace(place_of(trace), Reading(in_order=False))).as_data()


def table(kind, trace):
    """Return the rows of a golden table, or None if there is none for the trace."""
    path = folder() / "golden" / kind / f"{trace.replace('/', '__')}.csv"
    if not path.is_file():
        return None
    with path.open() as file:
        return list(csv.DictReader(file))
