import doctest

import numpy as np
import pytest
from traces import listing

from netplace.apps import Op, Program, TaskWriter, task


def pair(write, tasks=2):
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for writer in writers:
        write(writer)
    return Program.of(writers, "pair")


def test_operations_stand_as_they_were_called():
    writer, other = TaskWriter(0, 2), TaskWriter(1, 2)
    writer.compute(7)
    writer.send(1, 512, tag=3)
    first = writer.irecv(1, 64)
    second = writer.isend(1, 0)
    writer.waitall([second, first])
    other.recv(0, 512, 3)
    program = Program.of([writer, other])
    assert listing(program, 0) == [
        "compute 7 cycles",
        "send 512 bytes to task 1, tag 3",
        "irecv 64 bytes from task 1, tag 0",
        "isend 0 bytes to task 1, tag 0",
        "wait for request 1",
        "wait for request 0",
    ]
    assert listing(program, 1) == ["recv 512 bytes from task 0, tag 3"]
    assert program.first.tolist() == [0, 6, 7]
    assert program.peer.tolist() == [-1, 1, 1, 1, -1, -1, 0]
    assert [program.kind.dtype, program.peer.dtype, program.request.dtype] == [np.int8, np.int32, np.int32]
    assert [program.first.dtype, program.size.dtype, program.tag.dtype] == [np.int64] * 3


def test_repeat_copies_with_fresh_requests_tags_and_marks():
    writer = TaskWriter(0, 2)
    writer.send(1, 1)
    begin = len(writer)
    writer.mark(1)
    request = writer.irecv(1, 10, tag=5)
    writer.mark(2)
    writer.wait(request)
    writer.compute(3)
    writer.repeat(begin, 3, tag_step=2)
    writer.mark(-1)
    columns = writer.columns()
    assert len(writer) == 10
    assert columns["request"].tolist() == [-1, 0, 0, -1, 1, 1, -1, 2, 2, -1]
    assert columns["tag"].tolist() == [0, 5, 0, 0, 7, 0, 0, 9, 0, 0]
    assert writer.marks() == [(1, 1), (2, 2), (4, 3), (5, 4), (7, 5), (8, 6), (10, -1)]
    assert writer.isend(1, 1) == 3


def test_repeat_equals_writing_it_all():
    long, short = TaskWriter(0, 4), TaskWriter(0, 4)
    for turn in range(5):
        long.mark(turn)
        long.waitall([long.isend(2, 9, tag=turn), long.irecv(3, 8, tag=turn)])
    short.mark(0)
    short.waitall([short.isend(2, 9), short.irecv(3, 8)])
    short.repeat(0, 5, tag_step=1)
    assert long.marks() == short.marks()
    for name, column in long.columns().items():
        assert np.array_equal(column, short.columns()[name])


def test_a_million_operations_are_cheap():
    writer = TaskWriter(0, 2)
    writer.wait(writer.irecv(1, 8))
    writer.repeat(0, 500_000)
    assert len(writer) == 1_000_000
    assert writer.columns()["request"][-1] == 499_999


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: w.send(2, 5), "refers to task 2, expected less than 2"),
        (lambda w: w.wait(0), "has no request 0, it has opened 0"),
        (lambda w: (w.begin(), w.begin()), "begins 'timed' twice"),
        (lambda w: (w.isend(1, 1), w.repeat(0, 2)), "opens and waits for different requests"),
        (lambda w: (w.isend(1, 1), w.wait(0), w.repeat(1, 2)), "from operation 1 onward, task 0 opens"),
    ],
)
def test_what_is_refused(call, message):
    writer = TaskWriter(0, 2)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call(writer)


def test_what_is_refused_leaves_no_half_operation():
    writer = TaskWriter(0, 2)
    with pytest.raises(ValueError, match="tag"):
        writer.isend(1, 5, tag=-1)
    assert {len(column) for column in writer.columns().values()} == {0}
    assert writer.isend(1, 5) == 0


def test_numpy_numbers_are_numbers():
    writer = TaskWriter(np.int64(0), np.int64(2))
    writer.send(np.int32(1), np.int64(5))
    assert writer.columns()["size"].tolist() == [5]


def test_a_program_needs_all_writers_in_order():
    writers = [TaskWriter(0, 2), TaskWriter(1, 2)]
    with pytest.raises(ValueError, match="number 0 belongs to task 1 of 2, expected task 0"):
        Program.of(writers[::-1])
    with pytest.raises(ValueError, match="expected task 0 of 1"):
        Program.of(writers[:1])


def test_sections_become_indices_of_the_program():
    def write(writer):
        writer.send(1 - writer.task, 8)
        writer.begin()
        writer.recv(1 - writer.task, 8)
        writer.end()

    program = pair(write)
    assert program.sections["timed"].tolist() == [[1, 2], [3, 4]]


def test_sections_must_be_in_every_task():
    with pytest.raises(ValueError, match=r"task 1 has \[\], task 0 has \['timed'\]"):
        pair(lambda w: (w.begin(), w.end()) if w.task == 0 else None)


def test_examples_in_the_documentation():
    assert doctest.testmod(task).failed == 0


def test_every_kind_has_its_number():
    names = ("COMPUTE", "SEND", "ISEND", "RECV", "IRECV", "WAIT")
    assert {op.name: int(op) for op in Op} == {name: number for number, name in enumerate(names)}


def test_a_closing_mark_moves_to_the_last_copy():
    writer = TaskWriter(0, 2)
    writer.mark(7)
    writer.compute(1)
    writer.mark(-1)
    writer.mark(1)
    writer.compute(2)
    writer.mark(-1)
    writer.repeat(1, 3)
    assert writer.marks() == [(0, 7), (1, -1), (1, 1), (2, 2), (3, 3), (4, -1)]
