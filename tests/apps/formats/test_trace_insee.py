import pytest

from netplace.apps import Program, TaskWriter, application
from netplace.apps.formats import read, write


@pytest.fixture
def parse(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "example.trc"
        path.write_text(text)
        return read(path, **options)

    return from_text


def listing(program, task):
    return [str(operation) for operation in program.operations(task)]


def test_lines_belong_to_the_sender_and_the_receiver(parse):
    program = parse("# comment\ns 0 2 5 512\nr 0 2 5 512\n\nc 2 77\ns 2 0 6 64\nr 2 0 6 64\n")
    assert program.tasks == 3
    assert listing(program, 0) == ["send 512 bytes to task 2, tag 5", "recv 64 bytes from task 2, tag 6"]
    assert listing(program, 1) == []
    assert listing(program, 2) == [
        "recv 512 bytes from task 0, tag 5",
        "compute 77 cycles",
        "send 64 bytes to task 0, tag 6",
    ]
    program.check()


def test_computation_is_in_cycles_whatever_the_speed(parse):
    assert parse("c 0 77\n", cycles_per_us=3.0).size.tolist() == [77]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s 0 1 0\n", "has 4 words, expected 5 as it begins with s"),
        ("c 0\n", "has 2 words, expected 3 as it begins with c"),
        ("s 0 1 0 8\nq 0 1 0 8\n", "begins with 'q', expected s, r or c"),
        ("s 0 1 0 -8\n", "bytes must be a whole number of at least 0, not '-8'"),
        ("r 0 b 0 8\n", "task must be a whole number of at least 0, not 'b'"),
        ("s 0 1 x 8\n", "tag must be a whole number"),
        ("c 0 1.5\n", "cycles must be a whole number of at least 0, not '1.5'"),
    ],
)
def test_what_is_refused(parse, text, message):
    with pytest.raises(ValueError, match=rf"example\.trc, line \d: {message}"):
        parse(text)


def test_more_tasks_than_said(parse):
    with pytest.raises(ValueError, match=r"example\.trc: task 5 is too large, expected less than 3"):
        parse("s 0 5 0 8\n", tasks=3)


def test_what_is_written_reads_back_equal(tmp_path):
    program = application("2d-sweep", 12, bytes=100)
    bare = Program(program.first, program.kind, program.peer, program.size, program.tag, program.request)
    write(program, tmp_path / "x.trc.gz")
    assert read(tmp_path / "x.trc.gz").equals(bare)


def test_silent_tasks_are_not_lost(tmp_path):
    writers = [TaskWriter(task, 4) for task in range(4)]
    writers[0].send(1, 8)
    writers[1].recv(0, 8)
    write(Program.of(writers), tmp_path / "x.trc")
    assert read(tmp_path / "x.trc").tasks == 4


def test_requests_are_written_as_users_of_the_format_do(tmp_path):
    writers = [TaskWriter(0, 2), TaskWriter(1, 2)]
    for writer in writers:
        other = 1 - writer.task
        receive = writer.irecv(other, 64, 1)
        send = writer.isend(other, 64, 1)
        writer.compute(9)
        writer.waitall([send, receive])
    write(Program.of(writers), tmp_path / "x.trc")
    assert (tmp_path / "x.trc").read_text() == (
        "# tasks 2\ns 0 1 1 64\nc 0 9\nr 1 0 1 64\ns 1 0 1 64\nc 1 9\nr 0 1 1 64\n"
    )
