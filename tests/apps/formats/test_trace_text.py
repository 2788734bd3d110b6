from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces import listing, read_text

from netplace.apps import Program, TaskWriter
from netplace.apps.formats import read, write


@pytest.fixture
def parse(tmp_path):
    return partial(read_text, tmp_path / "example.trace")


def test_messages_requests_and_marks(parse):
    program = parse(
        """# a comment
        0 mark 0 0 timed_begin 0 -1 0.3
        0 mark 1 0 iter 0 -1 0.1
        0 send 1 64 7 0 -1 1.0
        0 irecv 1 8 9 2 40 0.0

        1 recv 0 64 7 0 -1 2.5
        # in between
        1 isend 0 8 9 2 11 0.0
        0 wait 1 8 9 2 40 0.5
        0 mark 0 0 timed_end 0 -1 0.3
        1 wait 0 8 9 2 11 0.0
        1 mark 0 0 timed_begin 0 -1 0.3
        1 mark 0 0 timed_end 0 -1 0.3
        1 mark 3 0 warm_iter 0 -1 0.3
        """
    )
    tag = 2**32 + 9  # of the first communicator
    assert listing(program, 0) == [
        "send 64 bytes to task 1, tag 7",
        f"irecv 8 bytes from task 1, tag {tag}",
        "wait for request 0",
    ]
    assert listing(program, 1) == [
        "recv 64 bytes from task 0, tag 7",
        f"isend 8 bytes to task 0, tag {tag}",
        "wait for request 0",
    ]
    assert program.marks.tolist() == [[0, 0, 1]]
    assert program.sections["timed"].tolist() == [[0, 3], [6, 6]]
    program.check()


def test_gaps_become_computation_before_the_line(parse):
    text = "0 mark 1 0 iter 0 -1 1.26\n0 send 1 64 0 0 -1 2.0\n1 recv 0 64 0 0 -1 0.01\n"
    program = parse(text, cycles_per_us=10)
    assert listing(program, 0) == ["compute 13 cycles", "compute 20 cycles", "send 64 bytes to task 1, tag 0"]
    assert listing(program, 1) == ["recv 64 bytes from task 0, tag 0"]
    assert program.marks.tolist() == [[0, 1, 1]]
    assert len(parse(text)) == 2


def test_collectives_are_written_out_among_the_other_operations(parse):
    program = parse(
        "".join(
            f"{rank} send {1 - rank} 5 0 0 -1 0.0\n"
            f"{rank} coll 1 40 bcast 0 -1 0.0\n"
            f"{rank} coll -1 0 barrier 0 -1 0.0\n"
            f"{rank} recv {1 - rank} 5 0 0 -1 0.0\n"
            for rank in (0, 1)
        )
    )
    program.check()
    assert [text.split(",")[0] for text in listing(program, 0)] == [
        "send 5 bytes to task 1",
        "recv 40 bytes from task 1",
        "irecv 0 bytes from task 1",
        "send 0 bytes to task 1",
        "wait for request 0",
        "recv 5 bytes from task 1",
    ]
    tags = set(program.tag[program.peer >= 0].tolist())
    assert len(tags) == 3  # messages, broadcasts and barriers cannot be taken for each other
    assert min(tags - {0}) >= 1 << 31


def test_alltoallv_takes_each_members_sizes(parse):
    program = parse(
        "0 coll -1 0 alltoallv 0 9,1,2 0.0\n1 coll -1 0 alltoallv 0 3,9,5 0.0\n"
        "2 coll -1 0 alltoallv 0 6,7,9 0.0\n"
        "0 coll -1 0 alltoallv 0 0,10,20 0.0\n1 coll -1 0 alltoallv 0 30,0,50 0.0\n"
        "2 coll -1 0 alltoallv 0 60,70,0 0.0\n"
    )
    program.check()
    assert program.traffic().W.tolist() == [[0, 11, 22], [33, 0, 55], [66, 77, 0]]


def test_communicators_of_one_number_may_have_other_members(parse):
    program = parse(
        "".join(
            f"{rank} comm 0 2 split 1 {pair} 0.0\n{rank} coll {root} 40 bcast 1 -1 0.0\n"
            for rank, pair, root in ((0, "0,2", 2), (1, "3,1", 1), (2, "0,2", 2), (3, "3,1", 1))
        )
    )
    program.check()
    assert program.traffic().N.tolist() == [[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_the_number_of_tasks(parse):
    text = "0 send 1 8 0 0 -1 0\n1 recv 0 8 0 0 -1 0\n"
    assert parse(text).tasks == 2
    assert parse(text, tasks=5).tasks == 5
    assert parse("# some tasks 4; more\n" + text).tasks == 4
    assert parse("# no more than tasks 3\n").tasks == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 send 1 8 0 0 -1", "line 1: has 7 words, expected 8: rank op peer bytes tag comm req gap_us"),
        ("\n# x\n0 send x 8 0 0 -1 0", "line 3: peer must be a whole number of at least -1, not 'x'"),
        ("0 sendx 1 8 0 0 -1 0", "op must be one of compute, send, .* not 'sendx'"),
        ("0 send 1 8 0 0 -1 0", "line 1: peer must be a rank from 0 to 0"),
        ("0 recv 0 8 0 0 -1 0\n0 wait 0 8 0 0 3 0", "line 2: waits for a request that the task never opens"),
        ("9999999999 send 0 8 0 0 -1 0", "line 1: ranks must be less than 4194304, not '9999999999'"),
        ("0 coll 0 8 bcst 0 -1 0", "line 1: collective: unknown name 'bcst'; did you mean bcast"),
        ("0 coll 0 8 bcast 3 -1 0", "line 1: rank 0 does not know communicator 3"),
        ("0 coll -1 8 alltoallv 0 1,2 0\n1 mark 1 0 iter 0 -1 0", "rank 1 does not call alltoallv"),
        ("0 mark 0 0 timed_begin 0 -1 0", "section 'timed': rank 0 does not begin and end it"),
    ],
)
def test_what_is_refused(parse, text, message):
    with pytest.raises(ValueError, match=rf"example\.trace[,:] .*{message}"):
        parse(text)


@st.composite
def programs(draw):
    tasks = draw(st.integers(1, 4))
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    timed = draw(st.booleans())
    odd = draw(st.integers(0, 10**6))

    def bytes_of(tag):
        return (tag + odd) * 2654435761 % 10**12  # a receive is as long as its send

    for writer in writers:
        open_requests = []
        for number in range(draw(st.integers(0, 8))):
            if timed and number == 1:
                writer.begin("part")
            other, tag = draw(st.integers(0, tasks - 1)), draw(st.integers(0, 2**60))
            match draw(st.integers(0, 6)):
                case 0:
                    writer.compute(1 + tag % 2**50)
                case 1:
                    writer.send(other, bytes_of(tag), tag)
                case 2:
                    writer.recv(other, bytes_of(tag % 4), tag % 4)
                case 3:
                    open_requests.append(writer.isend(other, bytes_of(0)))
                case 4:
                    open_requests.append(writer.irecv(other, bytes_of(2**40), 2**40))
                case 5:
                    writer.mark(draw(st.integers(-1, 5)))
                case 6 if open_requests:
                    writer.wait(open_requests.pop(draw(st.integers(0, len(open_requests) - 1))))
        if timed:
            if "part" not in writer._sections:
                writer.begin("part")
            writer.end("part")
        writer.waitall(open_requests)
    return Program.of(writers, "drawn")


@given(program=programs(), suffix=st.sampled_from([".trace", ".trace.gz"]))
def test_what_is_written_reads_back_equal(tmp_path_factory, program, suffix):
    path = tmp_path_factory.mktemp("trace") / f"drawn{suffix}"
    write(program, path)
    back = read(path)
    assert back.equals(program)
    assert back.name == "drawn"
    assert read(path, cycles_per_us=1000.0).equals(program)


def test_written_lines(tmp_path):
    writers = [TaskWriter(0, 2), TaskWriter(1, 2)]
    writers[0].begin()
    writers[0].mark(1)
    writers[0].compute(30)
    request = writers[0].irecv(1, 8, tag=3)
    writers[0].wait(request)
    writers[0].mark(-1)
    writers[0].end()
    writers[1].begin()
    writers[1].end()
    writers[1].send(0, 8, tag=3)
    path = tmp_path / "small.trace"
    write(Program.of(writers, "small"), path)
    assert path.read_text().splitlines() == [
        "# small; tasks 2; columns: rank op peer bytes tag comm req gap_us",
        "0 mark 0 0 timed_begin 0 -1 0.0",
        "0 mark 1 0 iter 0 -1 0.0",
        "0 compute -1 30 0 0 -1 0.0",
        "0 irecv 1 8 3 0 0 0.0",
        "0 wait 1 8 3 0 0 0.0",
        "0 mark -1 0 iter 0 -1 0.0",
        "0 mark 0 0 timed_end 0 -1 0.0",
        "1 mark 0 0 timed_begin 0 -1 0.0",
        "1 mark 0 0 timed_end 0 -1 0.0",
        "1 send 0 8 3 0 -1 0.0",
    ]


def test_a_long_trace_reads_back_equal(tmp_path):
    writer = TaskWriter(0, 2)
    writer.wait(writer.irecv(1, 8))
    writer.repeat(0, 40_000)
    other = TaskWriter(1, 2)
    other.send(0, 8)
    other.repeat(0, 40_000)
    program = Program.of([writer, other])
    write(program, tmp_path / "long.trace")
    assert np.array_equal(read(tmp_path / "long.trace").request, program.request)
