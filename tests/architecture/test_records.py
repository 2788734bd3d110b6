"""Frozen records hold arrays of their own, and scalars of the annotated types."""

from dataclasses import dataclass, fields

import numpy as np
import pytest

from netplace.apps import Program, application
from netplace.netsim import Config, Traffic, simulate
from netplace.records import check_fields, freeze_arrays
from netplace.runs.spec import Job as RunJob
from netplace.scheduling import Allocation, Job, schedule
from netplace.topologies import parse
from netplace.topologies.cables import Cables
from netplace.topologies.routing import make_routes


def records():
    torus, program = parse("torus:4x4"), application("2d-torus", 16)
    result = simulate(torus, program, record_messages=True)
    jobs = schedule(torus, [Job(1, 0, 4, 10.0), Job(2, 1, 16, 5.0)], "easy", "contiguous")
    return [torus, parse("tree:4,2"), parse("dragonfly:a=2,p=1,h=1"), program, result.jobs[0], jobs,
            Allocation(np.arange(3)), Cables(np.array([[0, 1]])), Traffic(0.1, np.zeros(16, np.int32)),
            *make_routes(parse("torus:4x4,c=1"), "dor")[:1]]  # fmt: skip


@pytest.mark.parametrize("record", records(), ids=lambda record: type(record).__name__)
def test_arrays_of_records_cannot_be_written(record):
    arrays = [
        value
        for one in fields(record)
        if isinstance(value := getattr(record, one.name), np.ndarray) and value.size
    ]
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@dataclass(frozen=True)
class Record:
    array: np.ndarray
    arrays: tuple
    table: dict
    name: str = ""


def test_a_record_keeps_its_own_arrays():
    one, two, three = (np.arange(3) for _ in range(3))
    record = Record(one, (two,), {"three": three, "four": 4})
    freeze_arrays(record)
    for array in (one, two, three):
        array[:] = 7
    for kept in (record.array, record.arrays[0], record.table["three"]):
        np.testing.assert_array_equal(kept, np.arange(3))
    assert record.table["four"] == 4


def test_a_program_does_not_follow_the_callers_arrays():
    given = application("2d-torus", 16)
    columns = {
        one.name: np.array(value)
        for one in fields(Program)
        if isinstance(value := getattr(given, one.name), np.ndarray)
    }
    program = Program(**columns)
    columns["size"][:] = 7
    np.testing.assert_array_equal(program.size, given.size)


@pytest.mark.parametrize("nodes", [np.array([0.5, 1.7]), [[0], [1]]])
def test_nodes_of_an_allocation_are_whole_numbers(nodes):
    with pytest.raises(ValueError, match="allocation: nodes"):
        Allocation(nodes)


@pytest.mark.parametrize(("field", "value"), [("number", "x"), ("nodes", 4.5)])
def test_a_job_of_other_types_is_not_scheduled(field, value):
    given = {"number": 1, "submit": 0.0, "nodes": 4, "run_time": 10.0, "estimate": 20.0, field: value}
    with pytest.raises(ValueError, match=rf"Job: {field}: .* is not"):
        schedule(parse("torus:4x4"), [Job(**given)], "fcfs", "non-contiguous")


@pytest.mark.parametrize("kind", [np.int8, np.float16])
def test_numbers_of_numpy_become_those_of_python(kind):
    """Such as 100 of eight bits, of which ten are no 1,000."""
    job = RunJob("lu", cpu_scale=kind(100))
    assert job.cpu_scale * 1000 == 100_000
    assert type(job.cpu_scale) in (int, float)


def test_a_setting_of_another_type_is_refused():
    with pytest.raises(ValueError, match="Config: routing: 3 is not text"):
        Config(routing=3)


def test_a_class_of_fields_that_are_no_scalars_is_not_checked():
    check_fields(Record(np.arange(2), (), {}))


@pytest.mark.parametrize("options", ["2d-mesh,grid=4", "collective,algorithm=2", "training,times=5"])
def test_a_number_where_an_application_expects_text_is_told_in_one_sentence(netplace, options):
    result = netplace("run", "--network", "torus:4x4", "--app", options, "--tasks", 16)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
