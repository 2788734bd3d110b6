from pathlib import Path

import numpy as np
import pytest

from netplace.apps import Op
from netplace.apps.carried import carried, carried_names
from netplace.apps.formats import read
from netplace.apps.replay import openers

GOLDEN = Path(__file__).parents[1] / "golden" / "traces"
APPS = ["BT", "CG", "FT", "IS", "LU", "MG", "SP"]


def test_fourteen_traces_are_carried():
    assert carried_names() == sorted(f"{app}.{size}" for app in APPS for size in ("A.64", "W.16"))


@pytest.mark.parametrize("name", ["lu.A.64", "LU.a.64.trace", "LU.A.64.trace.gz", "LU.A.64"])
def test_lookup_by_any_spelling(name):
    path = carried(name)
    assert path is not None
    assert path.name == "LU.A.64.trace.gz"
    assert path.exists()


@pytest.mark.parametrize("name", ["LU.A.32", "", "LU", "../traces/LU.A.64", "LU.A.64.trc"])
def test_there_are_no_others(name):
    assert carried(name) is None


def messages(program):
    """Columns (task, is a send, peer, bytes) of what the network sees, an irecv standing at its wait."""
    opener = openers(program)
    source = np.where(opener >= 0, opener, np.arange(len(program)))
    kind = program.kind[source]
    receives = (kind == Op.RECV) | ((kind == Op.IRECV) & (opener >= 0))
    sends = ((kind == Op.SEND) | (kind == Op.ISEND)) & (opener < 0)
    task = program.task_of()
    seen = (receives | sends) & (program.peer[source] != task)
    return np.column_stack([task, sends, program.peer[source], program.size[source]])[seen]


@pytest.mark.parametrize("app", APPS)
def test_class_w_says_what_the_golden_trace_says(app):
    """The golden traces are these runs, written out by other means."""
    golden = read(GOLDEN / f"npb_{app}_W_16.trc.gz")
    assert np.array_equal(messages(read(carried(f"{app}.W.16"))), messages(golden))


def test_computation_is_scaled():
    none, some = read(carried("FT.W.16")), read(carried("FT.W.16"), cycles_per_us=312.5)
    assert not (none.kind == Op.COMPUTE).any()
    computing = some.kind == Op.COMPUTE
    assert len(some) == len(none) + computing.sum()
    # The first gap of rank 1 is 11.6 us.
    assert some.size[some.first[1]] == round(11.6 * 312.5)
    some.check()
