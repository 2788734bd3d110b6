import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.apps import Op, OperationError, Program, TaskWriter, application


def program_of(*scripts):
    """A program from lists of (method, arguments..) by task."""
    writers = [TaskWriter(task, len(scripts)) for task in range(len(scripts))]
    for writer, script in zip(writers, scripts, strict=True):
        for method, *arguments in script:
            getattr(writer, method)(*arguments)
    return Program.of(writers, "example")


def refuses(program, message, **options):
    with pytest.raises(ValueError, match=re.escape(message)):
        program.check(**options)


def test_a_send_without_receive():
    refuses(
        program_of([("send", 1, 8), ("send", 1, 8)], [("recv", 0, 8)]),
        "task 0, operation 1 (send 8 bytes to task 1, tag 0): no receive in task 1 matches it",
    )


def test_a_receive_without_send():
    refuses(
        program_of([("compute", 1)], [("recv", 0, 8, 3)]),
        "task 1, operation 0 (recv 8 bytes from task 0, tag 3): no send in task 0 matches it",
    )


def test_sizes_that_differ_name_the_other_side():
    refuses(
        program_of([("compute", 1), ("send", 1, 8)], [("recv", 0, 16)]),
        "task 0, operation 1 (send 8 bytes to task 1, tag 0): no receive in task 1 matches it; "
        "operation 0 there has 16 bytes",
    )


@pytest.mark.parametrize(
    ("kinds", "requests", "message"),
    [
        ([Op.WAIT, Op.ISEND, Op.WAIT], [1, 0, 0], "waits for a request that the task never opens"),
        ([Op.WAIT, Op.ISEND, Op.COMPUTE], [0, 0, -1], "waits for a request before it is opened"),
        ([Op.ISEND, Op.ISEND, Op.WAIT], [0, 1, 1], "opens a request that is never waited for"),
    ],
)
def test_requests_must_pair_up(kinds, requests, message):
    sends = kinds.count(Op.ISEND)
    program = Program(
        first=np.array([0, 3, 3 + sends]),
        kind=np.array([*kinds, *[Op.RECV] * sends], np.int8),
        peer=np.array([1 if kind == Op.ISEND else -1 for kind in kinds] + [0] * sends, np.int32),
        size=np.zeros(3 + sends, np.int64),
        tag=np.zeros(3 + sends, np.int64),
        request=np.array(requests + [-1] * sends, np.int32),
    )
    refuses(program, message)


def test_requests_of_another_task_are_not_known():
    program = program_of([("irecv", 1, 8), ("wait", 0)], [("isend", 0, 8), ("wait", 0)])
    request = program.request.copy()
    request[2:] = 7
    replace(program, request=request).check()
    request[3] = 0
    refuses(replace(program, request=request), "task 1, operation 1 (wait for request 0)")


def test_an_eager_deadlock_names_the_circle():
    refuses(
        program_of(
            [("recv", 2, 8), ("send", 1, 8)],
            [("recv", 0, 8), ("send", 2, 8)],
            [("compute", 5), ("recv", 1, 8), ("send", 0, 8)],
            [("compute", 1)],
        ),
        "example: deadlock, 3 tasks never end: "
        "task 0 at operation 0 (recv 8 bytes from task 2, tag 0) waits for task 2; "
        "task 2 at operation 1 (recv 8 bytes from task 1, tag 0) waits for task 1; "
        "task 1 at operation 0 (recv 8 bytes from task 0, tag 0) waits for task 0",
    )


def test_only_the_circle_is_named():
    program = program_of(
        [("recv", 1, 8), ("send", 1, 8)], [("recv", 0, 8), ("send", 0, 8), ("send", 2, 8)], [("recv", 1, 8)]
    )
    with pytest.raises(ValueError, match="3 tasks never end") as error:
        program.check()
    assert "task 2 at" not in str(error.value)


def test_sends_that_face_each_other_stop_only_with_rendezvous():
    program = program_of([("send", 1, 8), ("recv", 1, 8)], [("send", 0, 8), ("recv", 0, 8)])
    program.check()
    program.check(eager_limit=8)
    refuses(program, "deadlock if messages of more than 7 bytes wait for their receive", eager_limit=7)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("kind", 9, "expected one of Op"),
        ("peer", 2, "the task does not exist, expected 0 to 1"),
        ("size", -1, "its size is negative"),
        ("tag", -1, "its tag is negative"),
    ],
)
def test_numbers_out_of_range(column, value, message):
    program = program_of([("send", 1, 8)], [("recv", 0, 8)])
    wrong = getattr(program, column).copy()
    wrong[0] = value
    refuses(replace(program, **{column: wrong}), message)


def test_arrays_must_fit_each_other():
    program = program_of([("send", 1, 8)], [("recv", 0, 8)])
    refuses(replace(program, tag=program.tag[1:]), "tag has 1 rows, expected 2")
    refuses(replace(program, first=np.array([0, 1])), "first must increase from 0 to 2")
    refuses(replace(program, marks=np.array([[1, 0, 1]])), "mark of task 1 is at 0, outside that task")
    refuses(replace(program, marks=np.array([[5, 0, 1]])), "mark of task 5")
    refuses(replace(program, sections={"a": np.array([[0, 1]])}), "needs a first operation and an end")


def test_an_error_knows_its_operation():
    with pytest.raises(OperationError) as error:
        program_of([("compute", 1)], [("compute", 1), ("recv", 0, 8)]).check()
    assert error.value.index == 2


def test_long_programs_are_checked_quickly():
    program = application("2d-torus", 64, rounds=2000)
    assert len(program) == 1_024_000
    program.check()  # a loop per operation in Python would take minutes


def naive_end(program, synchronous):
    """Whether every task ends, by trying all of them in turn until nothing moves."""
    rows = [list(program.operations(task)) for task in range(program.tasks)]
    place = [0] * program.tasks
    sent, posted = set(), set()

    def ordinals(kinds):
        count, numbers = {}, {}
        for task, operations in enumerate(rows):
            for n, o in enumerate(operations):
                if o.kind in kinds:
                    ends = (task, o.peer) if o.kind in (Op.SEND, Op.ISEND) else (o.peer, task)
                    key = (*ends, o.tag, o.size)
                    numbers[task, n] = (*key, count.get(key, 0))
                    count[key] = count.get(key, 0) + 1
        return numbers

    sends, receives = ordinals({Op.SEND, Op.ISEND}), ordinals({Op.RECV, Op.IRECV})
    moved = True
    while moved:
        moved = False
        for task, operations in enumerate(rows):
            while place[task] < len(operations):
                n = place[task]
                o = operations[n]
                sent.add(sends.get((task, n)))
                posted.add(receives.get((task, n)))
                if o.kind == Op.WAIT:
                    n = next(m for m, x in enumerate(operations) if x.request == o.request)
                    o = replace(operations[n], kind=Op.RECV if operations[n].kind == Op.IRECV else Op.SEND)
                if o.peer != task and (
                    (o.kind == Op.RECV and receives[task, n] not in sent)
                    or (o.kind == Op.SEND and synchronous and sends[task, n] not in posted)
                ):
                    break
                place[task] += 1
                moved = True
    return all(place[task] == len(rows[task]) for task in range(program.tasks))


@st.composite
def matched_programs(draw):
    """Programs in which every send has its receive, in any order, so that some of them stop."""
    tasks = draw(st.integers(1, 4))
    scripts = [[] for _ in range(tasks)]
    for number in range(draw(st.integers(1, 8))):
        source, target = draw(st.integers(0, tasks - 1)), draw(st.integers(0, tasks - 1))
        size, tag = draw(st.integers(1, 2)), draw(st.integers(0, 1))
        scripts[source].append((draw(st.sampled_from(["send", "isend"])), target, size, tag, number))
        scripts[target].append((draw(st.sampled_from(["recv", "irecv"])), source, size, tag, number))
    writers = []
    for task in range(tasks):
        writer = TaskWriter(task, tasks)
        for method, *arguments, _ in draw(st.permutations(scripts[task])):
            request = getattr(writer, method)(*arguments)
            if request is not None:
                writer.wait(request)
        writers.append(writer)
    return Program.of(writers)


@given(matched_programs(), st.booleans())
def test_the_replay_agrees_with_trying_in_turn(program, synchronous):
    ends = naive_end(program, synchronous)
    eager_limit = 0 if synchronous else None
    if ends:
        program.check(eager_limit)
    else:
        refuses(program, "deadlock", eager_limit=eager_limit)
