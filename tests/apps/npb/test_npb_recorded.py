"""The generators against runs of the real benchmarks, operation by operation."""

from pathlib import Path

import numpy as np
import pytest

from netplace.apps import Program, npb
from netplace.apps.bundled import bundled_trace, bundled_traces
from netplace.apps.formats import read
from netplace.apps.npb import classes

GENERATORS = {
    "BT": npb.bt,
    "CG": npb.cg,
    "FT": npb.ft,
    "IS": npb.is_,
    "LU": npb.lu,
    "MG": npb.mg,
    "SP": npb.sp,
}
RECORDED = Path(__file__).parent / "recorded"
CLASS_A = {"BT": 20, "CG": 10, "FT": 6, "IS": 10, "LU": 20, "MG": 10, "SP": 20}  # iterations
COLLECTIVE = 1 << 31  # set in the tags that the reader gives to messages of collectives
COMMUNICATOR = 1 << 32  # the reader adds the communicator's number times this


def assert_same(generated: Program, recorded: Program) -> None:
    assert np.array_equal(generated.first, recorded.first)
    for column in ("kind", "peer", "size", "request"):
        assert np.array_equal(getattr(generated, column), getattr(recorded, column)), column
    own = recorded.tag % COMMUNICATOR
    assert np.array_equal(generated.tag, np.where(own & COLLECTIVE, 0, own))
    begins = [program.marks[program.marks[:, 2] > 0] for program in (generated, recorded)]
    assert np.array_equal(*begins)


def iterations(program: Program) -> int:
    return int(program.marks[:, 2].max())


@pytest.mark.parametrize("name", GENERATORS)
def test_class_s_on_sixteen_tasks(name):
    recorded = read(RECORDED / f"{name.lower()}.S.16.trace.gz").section("timed")
    assert_same(GENERATORS[name]("S", 16, iterations(recorded)), recorded)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if ".W." in name else pytest.mark.nightly) for name in bundled_traces()
    ],
)
def run(request):
    """Return name, class, tasks and program of a trace of the studies, which takes long to read."""
    name, problem_class, tasks = request.param.split(".")
    return name, problem_class, int(tasks), read(bundled_trace(request.param))


def test_runs_of_the_studies(run, monkeypatch):
    name, problem_class, tasks, program = run
    if (name, problem_class) == ("MG", "W"):  # in this run of the size that NPB 2 gives to the class
        monkeypatch.setitem(classes.MG_CLASSES, "W", classes.Cube(64, 4))
    recorded = program.section("timed")
    assert_same(GENERATORS[name](problem_class, tasks, iterations(recorded)), recorded)


def test_runs_of_the_studies_are_whole(run):
    name, problem_class, tasks, program = run
    program.check(eager_limit=0)  # what ends by rendezvous ends where all is sent at once
    assert (program.tasks, program.name) == (tasks, f"{name}.{problem_class}.{tasks}")
    timed = program.section("timed")
    timed.check()
    rows = timed.iterations()[:, 3].reshape(tasks, -1)
    assert (rows == np.arange(1, rows.shape[1] + 1)).all()
    assert problem_class == "W" or rows.shape[1] == CLASS_A[name]
    assert timed.cut(2, 3).traffic().N.sum() > 0


def test_there_are_runs_of_every_benchmark_to_compare_with():
    assert {name.split(".")[0] for name in bundled_traces()} == set(GENERATORS)
    assert {path.name.split(".")[0].upper() for path in RECORDED.glob("*.gz")} == set(GENERATORS)
