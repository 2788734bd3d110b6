import hashlib

import numpy as np
import pytest

from netplace import bundled_trace, read
from netplace.apps import application
from netplace.apps.collectives import Message, algorithms_of, allreduce, alltoallv, selection
from netplace.runs import resolve

# Of the operations that these programs had when collectives had one algorithm each; since then IS has an
# isend for each of the sends of an all-to-all that go at once.
UNCHANGED = {"ft": "d85b9166181f", "is": "9570289e070e", "mg": "d12a8fe220c0", "lu": "0e5d557862d0"}


def digest(program):
    columns = (program.first, program.kind, program.peer, program.size, program.tag, program.request)
    return hashlib.sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).hexdigest()[
        :12
    ]


@pytest.mark.parametrize("name", UNCHANGED)
def test_programs_are_those_of_before_operation_by_operation(name):
    program = application(name, 16, problem_class="S", iterations=2)
    assert digest(program) == UNCHANGED[name]
    assert program.equals(application(name, 16, problem_class="S", iterations=2, collectives="builtin"))


def test_a_program_without_collectives_does_not_mind():
    assert application("cg", 16, problem_class="S", collectives="openmpi").equals(
        application("cg", 16, problem_class="S")
    )


def sums(task, bytes=100):
    """Sum vectors over all tasks."""
    allreduce(task, range(task.tasks), bytes)


def test_an_application_of_ones_own_takes_them_too():
    plain, ring = application(sums, 8), application(sums, 8, bytes=800, collectives="builtin+allreduce=ring")
    assert plain.traffic().N[0, 4] > 0
    assert ring.traffic().N[0, 4] == 0


def test_a_trace_takes_them_too():
    path = bundled_trace("IS.W.16")
    changed = read(path, collectives=selection("openmpi"))
    changed.check()
    assert not changed.equals(read(path))
    assert read(path, collectives=selection("builtin")).equals(read(path))


@pytest.mark.parametrize("what", [{"app": "ft", "class": "S"}, {"trace": "is.W.16"}])
def test_runs_are_told_apart_by_their_collectives(what):
    plain = resolve("torus:4x4", what)
    assert resolve("torus:4x4", what | {"collectives": "builtin"}).key == plain.key
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


def exchanges(task):
    """Send blocks of different sizes, some of them empty, to all tasks."""
    sizes = [[(3 * i + j) % 4 for j in range(task.tasks)] for i in range(task.tasks)]
    alltoallv(task, range(task.tasks), sizes[task.task], [row[task.task] for row in sizes])


@pytest.mark.parametrize(
    ("name", "silent"), [("scattered", True), ("basic_linear", False), ("pairwise", False)]
)
def test_an_alltoallv_goes_by_its_table(name, silent):
    program = application(exchanges, 5, collectives=f"builtin+alltoallv={name}")
    program.check(eager_limit=0)
    sent = program.traffic()
    expected = [[(3 * i + j) % 4 if i != j else 0 for j in range(5)] for i in range(5)]
    assert sent.W.tolist() == expected
    assert sent.N.sum() == (np.count_nonzero(expected) if silent else 20)
    assert application(exchanges, 5).equals(
        application(exchanges, 5, collectives="builtin+alltoallv=scattered")
    )


def mine(call):
    """Send every block straight."""
    yield [Message.of(0, 1, call.block(0, 1))]


def test_an_alltoallv_of_ones_own_needs_to_know_all_blocks(add):
    add(algorithms_of("alltoallv"), "mine", mine)
    with pytest.raises(ValueError, match="needs the sizes of all blocks, but programs know only their own"):
        application(exchanges, 2, collectives="builtin+alltoallv=mine")
