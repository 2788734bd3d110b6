"""Values of other types than a signature says are refused at the door, each in a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from netplace.apps import TaskWriter, application
from netplace.checks.border import at_border
from netplace.cosim.work import Work
from netplace.netsim import Config
from netplace.runs.spec import Job as RunJob
from netplace.scheduling import Job, schedule
from netplace.topologies import graph, kary_ntree, parse, with_faults
from netplace.topologies.cables import Cables
from netplace.topologies.routing import make_routes

LONG = "a" * 5000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", "torus:4x4"),
        ("submit", [1.0]),
        ("nodes", float("-inf")),
        ("run_time", (1,)),
        ("estimate", "nope"),
        ("repeats", None),
        ("intensity", [[0]]),
    ],
)
def test_a_job_of_other_types_is_not_scheduled(field, value):
    given = {"number": 1, "submit": 0.0, "nodes": 4, "run_time": 10.0, "estimate": 20.0, field: value}
    with pytest.raises((ValueError, TypeError), match=rf"Job: {field}: .* is not"):
        schedule(parse("torus:4x4"), [Job(**given)], "fcfs", "non-contiguous")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Cables.of(((1, 2), (3,))),
            r"Cables.of: pairs: \(\(1, 2\), \(3,\)\) is not a sequence, each a pair",
        ),
        (
            lambda: graph("graph:x", Cables.of([(0, 1)]), [1, 1], group=np.array(3)),
            "group of .*, expected one for each of 2",
        ),
        (lambda: Cables.of([("a", 1)]), "Cables.of: pairs: .*'a'"),
        (lambda: RunJob("lu", options=((1, 2), (3,))), r"Job: options: .* is not a sequence, each a pair"),
        (lambda: Work("lu", 4, compute=2**64), "work: compute: 18446744073709551616"),
        (lambda: kary_ntree(1j, LONG), "kary_ntree: k: 1j is not a whole number"),
        (lambda: TaskWriter(0, 1).end(LONG), "section: task 0 ends 'aaa"),
        (lambda: Config(fabric=np.zeros(3)), "fabric"),
        (
            lambda: with_faults(parse("torus:4x4"), slow=((0, 1), (3,))),
            r"with_faults: slow: .*\(3,\)\) is not a sequence, each a pair",
        ),
        (
            lambda: replace(parse("torus:4"), entry=np.full((4, 2), 2**63, np.uint64)),
            "entry must be whole numbers from -1 to",
        ),
        (
            lambda: replace(parse("slimfly:3"), cut=np.array([True])),
            "cut of shape .1,. needs a value for each node, 54",
        ),
        (
            lambda: make_routes(
                replace(parse("torus:4,c=1"), places=np.array([[0], [1], [2], [2**30]])), "dor"
            ),
            "form no grid",
        ),
        (
            lambda: replace(parse("slimfly:3"), delay=parse("slimfly:3").delay + 2**30),
            "delay of a link: 1073741824 is not in 0..1048576",
        ),
        (lambda: parse("os:getcwd"), "network 'os:getcwd': cannot be called with 1"),
    ],
)
def test_what_is_said_is_a_sentence(make, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as raised:
        make()
    assert len(str(raised.value)) < 600


def test_a_table_without_rows_is_compared_with_nothing(netplace, tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("machine,app,partition,nodes,seed,run_time\n")
    result = netplace("compare", table, table)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) <= 2


def test_the_number_of_tasks_may_be_one_of_numpy():
    assert application("binary-tree", np.int64(3)).equals(application("binary-tree", 3))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.float16, np.float64])
def test_numbers_of_numpy_are_those_of_python(kind):
    """Such as 100 of eight bits, of which ten are no 1,000."""
    job = RunJob("lu", cpu_scale=kind(100))
    assert job.cpu_scale * 1000 == 100_000
    assert type(job.cpu_scale) in (int, float)
    assert at_border(whole_or_real, "whole_or_real")(kind(100)) is (
        int if issubclass(kind, np.integer) else float
    )


def whole_or_real(value: float) -> type:
    return type(value)
