import hashlib

import numpy as np
import pytest

from netplace import carried, read
from netplace.apps import application
from netplace.apps.collectives import allreduce, selection
from netplace.runs import resolve

# Of the operations that these programs had when collectives had one algorithm each.
UNCHANGED = {
    "ft": "d85b9166181f",
    "is": "01bd709280a1",
    "mg": "d12a8fe220c0",
    "lu": "0e5d557862d0",
}


def digest(program):
    columns = (program.first, program.kind, program.peer, program.size, program.tag, program.request)
    return hashlib.sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).hexdigest()[
        :12
    ]


@pytest.mark.parametrize("name", UNCHANGED)
def test_programs_are_those_of_before_operation_by_operation(name):
    program = application(name, 16, problem_class="S", iterations=2)
    assert digest(program) == UNCHANGED[name]
    assert program.equals(application(name, 16, problem_class="S", iterations=2, collectives="ours"))


def test_a_benchmark_takes_other_algorithms():
    changed = application("ft", 16, problem_class="S", collectives="ours+alltoall=modified_bruck")
    assert not changed.equals(application("ft", 16, problem_class="S"))
    changed.check()


def test_a_program_without_collectives_does_not_mind():
    assert application("cg", 16, problem_class="S", collectives="openmpi").equals(
        application("cg", 16, problem_class="S")
    )


def sums(task, bytes=100):
    """Sum vectors over all tasks."""
    allreduce(task, range(task.tasks), bytes)


def test_an_application_of_ones_own_takes_them_too():
    plain, ring = application(sums, 8), application(sums, 8, bytes=800, collectives="ours+allreduce=ring")
    assert plain.traffic().N[0, 4] > 0
    assert ring.traffic().N[0, 4] == 0


def test_a_trace_takes_them_too():
    path = carried("IS.W.16")
    changed = read(path, collectives=selection("openmpi"))
    changed.check()
    assert not changed.equals(read(path))
    assert read(path, collectives=selection("ours")).equals(read(path))


@pytest.mark.parametrize("what", [{"app": "ft", "class": "S"}, {"trace": "is.W.16"}])
def test_runs_are_told_apart_by_their_collectives(what):
    plain = resolve("torus:4x4", what)
    assert resolve("torus:4x4", what | {"collectives": "ours"}).key == plain.key
    assert resolve("torus:4x4", what | {"collectives": "openmpi"}).key != plain.key


def test_runs_without_collectives_are_one():
    what = {"app": "cg", "class": "S"}
    assert resolve("torus:4x4", what | {"collectives": "mpich"}).key == resolve("torus:4x4", what).key


def test_a_table_that_changes_makes_another_run(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('alltoall = [{algorithm = "linear"}]')
    what = {"app": "ft", "class": "S", "collectives": str(path)}
    first = resolve("torus:4x4", what)
    path.write_text('alltoall = [{algorithm = "modified_bruck"}]')
    assert resolve("torus:4x4", what).key != first.key


def test_unknown_tables_are_told_early():
    with pytest.raises(ValueError, match="unknown name 'openmp'; did you mean openmpi"):
        resolve("torus:4x4", {"app": "cg", "class": "S", "collectives": "openmp"})
