import numpy as np
import pytest
from scipy import sparse

from netplace.apps import Program, TaskWriter, application, arrays


def ring(rounds, tasks=3, prologue=1, epilogue=1):
    """Start-up and end around marked rounds of an exchange on a ring."""
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for writer in writers:
        for _ in range(prologue):
            writer.compute(100)
        writer.begin()
        for number in range(rounds):
            writer.mark(number + 1)
            request = writer.irecv((writer.task - 1) % tasks, 8)
            writer.send((writer.task + 1) % tasks, 8)
            writer.wait(request)
        writer.mark(-1)
        writer.end()
        for _ in range(epilogue):
            writer.compute(200)
    return Program.of(writers, "ring")


def test_iterations_end_where_the_next_begins():
    assert ring(2, tasks=2).iterations().tolist() == [
        [0, 1, 4, 1],
        [0, 4, 7, 2],
        [1, 9, 12, 1],
        [1, 12, 15, 2],
    ]


def test_an_iteration_ends_with_its_section():
    writer = TaskWriter(0, 1)
    writer.begin()
    writer.mark(1)
    writer.compute(1)
    writer.end()
    writer.compute(2)
    assert Program.of([writer]).iterations().tolist() == [[0, 0, 1, 1]]


def test_cut_keeps_the_iterations_asked_for():
    part = ring(5).cut(2, 4)
    assert len(part) == 3 * 3 * 3
    assert part.marks[:4].tolist() == [[0, 0, 2], [0, 3, 3], [0, 6, 4], [0, 9, -1]]
    assert part.request[:9].tolist() == [0, -1, 0, 1, -1, 1, 2, -1, 2]
    part.check()
    assert part.name == "ring iterations 2-4"


def test_a_section_is_a_program():
    assert ring(4).section("timed").equals(ring(4, prologue=0, epilogue=0).cut(1, 4))
    assert ring(4).section().sections == {}


def test_repeat_is_the_longer_program():
    assert ring(2).repeat(3).equals(ring(6))
    assert ring(3).repeat(1).equals(ring(3))
    assert ring(6).cut(1, 2).repeat(3).equals(ring(6).cut(1, 6))


def test_a_program_without_marks_is_one_iteration():
    writers = [TaskWriter(0, 2), TaskWriter(1, 2)]
    writers[0].send(1, 8)
    writers[1].wait(writers[1].irecv(0, 8))
    longer = Program.of(writers).repeat(3)
    longer.check()
    assert longer.first.tolist() == [0, 3, 9]
    assert longer.request[3:].tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ring(3).cut(2, 4), "task 0 of ring has 0 marks of iteration 4, expected one"),
        (lambda: ring(3).section("warm"), "section: unknown name 'warm'"),
        (lambda: ring(3).section().section(), "has no sections, expected 'timed'"),
        (lambda: list(ring(3).operations(3)), "3 is not a task of ring, which has 3"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def across(repeat=False):
    writer = TaskWriter(0, 1)
    writer.mark(1)
    request = writer.isend(0, 8)
    writer.recv(0, 8)
    writer.mark(2 if not repeat else -1)
    writer.wait(request)
    return Program.of([writer])


def test_a_request_across_the_cut_is_refused():
    across().check()
    with pytest.raises(ValueError, match=r"cannot be extracted, .*never waited for"):
        across().cut(1, 1)
    with pytest.raises(ValueError, match="its request is open at an end of the repeated part"):
        across(repeat=True).repeat(2)


def test_a_section_inside_the_iterations_cannot_be_repeated():
    writer = TaskWriter(0, 1)
    writer.mark(1)
    writer.compute(1)
    writer.begin("inner")
    writer.compute(1)
    writer.end("inner")
    writer.compute(1)
    with pytest.raises(ValueError, match="section 'inner' of task 0 begins or ends in an iteration"):
        Program.of([writer]).repeat(2)


def test_equality_is_of_everything_but_the_name():
    first, second = ring(2), ring(2)
    assert first.equals(second)
    assert not first.equals(ring(3))
    assert not first.equals(first.section())
    assert not first.equals(ring(2, prologue=2))


def test_traffic_counts_bytes_and_messages():
    writers = [TaskWriter(task, 3) for task in range(3)]
    writers[0].send(1, 100)
    writers[0].send(1, 28)
    writers[0].send(0, 999)  # to itself: none of the network's business
    writers[0].recv(0, 999)
    request = writers[2].isend(0, 0)
    writers[2].wait(request)
    found = Program.of(writers).traffic()
    assert found.W.tolist() == [[0, 128, 0], [0, 0, 0], [0, 0, 0]]
    assert found.N.tolist() == [[0, 2, 0], [0, 0, 0], [1, 0, 0]]
    assert found.B.tolist() == [[False, True, False], [False] * 3, [True, False, False]]
    assert (found.W.dtype, found.N.dtype, found.B.dtype) == (np.int64, np.int64, bool)


def test_traffic_of_many_tasks_is_sparse(monkeypatch):
    program = application("2d-torus", 36, bytes=10, rounds=3)
    dense = program.traffic()
    monkeypatch.setattr(arrays, "DENSE_TASKS", 35)
    thin = program.traffic()
    for name in "WNB":
        assert isinstance(getattr(thin, name), sparse.csr_array)
        assert np.array_equal(getattr(thin, name).toarray(), getattr(dense, name))
        assert getattr(thin, name).dtype == getattr(dense, name).dtype
