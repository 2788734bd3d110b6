import re
import sys
from pathlib import Path

import numpy as np
import pytest

from netplace.apps import APPLICATIONS, Application, Op, application
from netplace.apps.bundled import bundled_trace, bundled_traces
from netplace.apps.formats import read
from netplace.apps.replay import openers
from netplace.apps.synthetic import SYNTHETIC


def ring(task, bytes=1024):
    """Pass a message round a ring."""
    request = task.irecv((task.task - 1) % task.tasks, bytes)
    task.send((task.task + 1) % task.tasks, bytes)
    task.wait(request)
    task.compute(500)


def anything(task, **options):
    task.compute(len(options))


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_application_is_described(name):
    item = APPLICATIONS[name]
    assert item.name == name
    assert item.description
    assert "tasks" not in item.parameters


def _has_a_picture(make):
    """Whether a docstring draws the exchange, or names the function of its module that does."""
    if "::" in make.__doc__:
        return True
    alike = re.search("as in `([a-z0-9_]+)`", make.__doc__)
    return alike is not None and _has_a_picture(getattr(sys.modules[make.__module__], alike[1]))


@pytest.mark.parametrize("name", SYNTHETIC)
def test_every_synthetic_application_runs_to_its_end(name):
    program = application(name, 64, bytes=100, rounds=2)
    program.check()
    assert program.name == name
    assert program.tasks == 64
    assert set(program.kind.tolist()) == {Op.SEND, Op.RECV}
    assert set(program.size.tolist()) == {100}
    assert _has_a_picture(SYNTHETIC[name].make)


@pytest.mark.parametrize("name", sorted(set(SYNTHETIC) - {"gups"}))
def test_rounds_are_iterations_with_tags_of_their_own(name):
    program = application(name, 8, rounds=3)
    assert set(program.tag.tolist()) == {0, 1, 2}
    assert program.iterations()[:3, 3].tolist() == [1, 2, 3]
    for number in (1, 2, 3):
        part = program.cut(number, number)
        assert set(part.tag.tolist()) == {number - 1}
        assert len(part) * 3 == len(program)


def test_sizes_in_packets():
    assert set(application("2d-mesh", 4, packets=3).size.tolist()) == {192}
    assert set(application("2d-mesh", 4, packets=3, packet_bytes=10).size.tolist()) == {30}


def test_an_own_application_is_a_function_of_a_task():
    program = application(ring, 3, bytes=8)
    program.check()
    assert [str(o) for o in program.operations(0)] == [
        "irecv 8 bytes from task 2, tag 0",
        "send 8 bytes to task 1, tag 0",
        "wait for request 0",
        "compute 500 cycles",
    ]
    assert application(ring, 3, packets=2).size.max() == 500
    assert program.name == "ring"


def test_an_own_application_by_name(add):
    add(APPLICATIONS, "star", lambda task: task.compute(task.task + 1))
    program = application("star", 3)
    assert program.size.tolist() == [1, 2, 3]
    assert program.name == "star"


def test_options_that_a_function_collects():
    assert application(anything, 1, colour="blue", size=3).size.tolist() == [2]


def test_an_application_can_be_called():
    made = Application("one", "a line", lambda tasks, bytes=1: application(ring, tasks, bytes=bytes))
    assert made.parameters == {"bytes": 1}
    assert made(2, bytes=9).size.max() == 500


@pytest.mark.parametrize(
    ("name", "tasks", "options", "message"),
    [
        ("2d-mseh", 4, {}, "application: unknown name '2d-mseh'; did you mean 2d-mesh"),
        ("gups", 4, {"updates": 10**12}, "gups: 2000000000004 operations are too many"),
        ("2d-mesh", 1, {}, "tasks of 2d-mesh: 1 is too small, expected at least 2"),
        (
            "2d-mesh",
            4,
            {"byte": 3},
            "option of application '2d-mesh': unknown name 'byte'; did you mean bytes",
        ),
        ("2d-mesh", 6, {"grid": "2x2"}, "grid: '2x2' must be 2 sizes whose product is 6"),
        ("butterfly", 6, {}, "tasks of butterfly: 6 is not a power of two"),
    ],
)
def test_what_is_refused(name, tasks, options, message):
    with pytest.raises(ValueError, match=message):
        application(name, tasks, **options)


GOLDEN = Path(__file__).parents[1] / "golden" / "traces"
APPS = ["BT", "CG", "FT", "IS", "LU", "MG", "SP"]


def test_fourteen_traces_are_carried():
    assert bundled_traces() == sorted(f"{app}.{size}" for app in APPS for size in ("A.64", "W.16"))


@pytest.mark.parametrize("name", ["lu.A.64", "LU.a.64.trace", "LU.A.64.trace.gz", "LU.A.64"])
def test_lookup_by_any_spelling(name):
    path = bundled_trace(name)
    assert path is not None
    assert path.name == "LU.A.64.trace.gz"
    assert path.exists()


@pytest.mark.parametrize("name", ["LU.A.32", "", "LU", "../traces/LU.A.64", "LU.A.64.trc"])
def test_there_are_no_others(name):
    assert bundled_trace(name) is None


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
    assert np.array_equal(messages(read(bundled_trace(f"{app}.W.16"))), messages(golden))


def test_computation_is_scaled():
    none, some = read(bundled_trace("FT.W.16")), read(bundled_trace("FT.W.16"), cycles_per_us=312.5)
    assert not (none.kind == Op.COMPUTE).any()
    computing = some.kind == Op.COMPUTE
    assert len(some) == len(none) + computing.sum()
    # The first gap of rank 1 is 11.6 us.
    assert some.size[some.first[1]] == round(11.6 * 312.5)
    some.check()
