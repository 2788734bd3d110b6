from functools import partial

import pytest
from traces import listing, read_text

from netplace.apps import Op, Program, TaskWriter, application
from netplace.apps.formats import convert, open_trace, read, read_repeated, rewrite, write
from netplace.apps.recorded import recorded


@pytest.fixture
def parse(tmp_path):
    return partial(read_text, tmp_path / "example.trc")


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
    ("nanoseconds", "cycle_ns", "cycles"),
    [
        (32, 3.2, 10),
        (31, 3.2, 9),
        (16, 3.2, 5),
        (0, 3.2, 0),
        (7, 0.7, 10),
        (10**17, 3.2, 3125 * 10**13),
        (5, 8.0, 0),
    ],
)
def test_computation_in_nanoseconds_is_the_whole_cycles_in_them(parse, nanoseconds, cycle_ns, cycles):
    sizes = parse(f"c 0 {nanoseconds}\nc 0 320\n", trc_ns=cycle_ns).size.tolist()
    assert sizes == [size for size in (cycles, int(320 / cycle_ns)) if size]


OTHER_ORDERS = {
    "swapped": "s 0 1 0 640\ns 0 1 0 64\nr 0 1 0 64\ns 1 0 0 64\nr 0 1 0 640\nr 1 0 0 64\n",
    "rotated": "s 0 1 3 1\ns 0 1 3 130\ns 0 1 3 70\nr 0 1 3 130\nr 0 1 3 70\nr 0 1 3 1\n",
    "tags apart": "s 0 1 1 64\ns 0 1 2 128\ns 0 1 1 128\nr 0 1 1 128\nr 0 1 2 128\nr 0 1 1 64\n",
}


@pytest.mark.parametrize("text", OTHER_ORDERS.values(), ids=OTHER_ORDERS)
def test_receives_keep_the_order_of_their_lengths(parse, tmp_path, text):
    program = parse(text)
    program.check()
    receives = [line for line in text.splitlines() if line.startswith("r")]
    assert [int(size) for kind, size in zip(program.kind, program.size, strict=True) if kind == Op.RECV] == [
        int(line.split()[-1]) for source in (0, 1) for line in receives if int(line.split()[2]) == source
    ]
    for ending in ("trace", "trc"):  # whatever they are written in, as a program or as calls
        write(program, tmp_path / f"again.{ending}")
        convert(recorded(open_trace(tmp_path / "example.trc")), tmp_path / f"calls.{ending}")
        rewrite(lambda: open_trace(tmp_path / "example.trc"), tmp_path / f"streamed.{ending}")
        for name in ("again", "calls", "streamed"):
            assert listing(read(tmp_path / f"{name}.{ending}"), 1) == listing(program, 1)
    with pytest.raises(ValueError, match="are in a different order from those of their sends"):
        convert(recorded(open_trace(tmp_path / "example.trc")), tmp_path / "calls.goal")


def test_receives_of_a_long_trace_keep_their_lengths(tmp_path):
    path = tmp_path / "long.trc"
    path.write_text("s 0 1 0 640\ns 0 1 0 64\nr 0 1 0 64\nr 0 1 0 640\n" * 200)
    kept = read_repeated(path, fold_from=100)
    assert kept.times > 100
    assert listing(kept.written_out(), 1) == listing(read(path), 1)
    assert kept.written_out().size.tolist()[-4:] == [64, 640, 64, 640]


def test_lengths_that_nobody_sends_are_named(parse):
    with pytest.raises(ValueError, match="operation 0 there has 63 bytes"):
        parse("s 0 1 0 64\nr 0 1 0 63\n").check()


def test_nanoseconds_of_other_formats_are_refused(tmp_path):
    (tmp_path / "example.trace").write_text("0 compute -1 8 0 0 -1 0.0\n")
    with pytest.raises(ValueError, match="trc_ns"):
        read(tmp_path / "example.trace", trc_ns=3.2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s 0 1 0\n", "has 4 words, expected 5 because it begins with s"),
        ("s 0 1 0 8\nq 0 1 0 8\n", "begins with 'q', expected s, r or c"),
        ("s 0 1 0 -8\n", "bytes must be a whole number of at least 0, not '-8'"),
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
