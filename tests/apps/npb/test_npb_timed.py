import pytest

from netplace.apps import TaskWriter
from netplace.apps.npb import timed
from netplace.apps.npb.timed import Run, timed_program


def ring(writer: TaskWriter, bytes: int = 1) -> None:
    """Pass a message on."""
    request = writer.irecv((writer.task - 1) % writer.tasks, bytes)
    writer.send((writer.task + 1) % writer.tasks, bytes)
    writer.wait(request)


def test_marks_and_section():
    runs = [Run(ring, 3), Run(lambda writer: ring(writer, 2), 2)]
    program = timed_program("x", 2, lambda _: runs, before=ring, after=ring)
    program.check()
    assert program.name == "x"
    assert program.first.tolist() == [0, 21, 42]
    own = program.marks[program.marks[:, 0] == 1]
    assert own[:, 1].tolist() == [21 + 3 * n for n in range(1, 7)]
    assert own[:, 2].tolist() == [1, 2, 3, 4, 5, -1]
    assert program.size[21:42:3].tolist() == [1, 1, 1, 1, 2, 2, 1]
    assert program.sections["timed"].tolist() == [[0, 21], [21, 42]]


def test_an_iteration_may_be_empty():
    program = timed_program("x", 1, lambda _: [Run(lambda writer: None, 4)])
    assert len(program) == 0
    assert sorted(program.marks[:, 2].tolist()) == [-1, 1, 2, 3, 4]


def test_size_is_checked_before_anything_is_repeated(monkeypatch):
    monkeypatch.setattr(timed, "MOST_OPERATIONS", 100)
    assert len(timed_program("x", 4, lambda _: [Run(ring, 8)])) == 96
    with pytest.raises(
        ValueError, match=r"x with 9 iterations takes 108 operations, .* at most 8 iterations"
    ):
        timed_program("x", 4, lambda _: [Run(ring, 9)])
    with pytest.raises(ValueError, match=r"tasks: one iteration of x .* fewer tasks"):
        timed_program("x", 40, lambda _: [Run(ring, 1)])
