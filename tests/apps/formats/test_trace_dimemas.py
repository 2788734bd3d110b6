import re

import pytest
from traces import listing, read_text

from netplace.apps.formats.dimemas import NAMES

HEADER = '#DIMEMAS:"example.dim":1,00000000042:4(1,1,1,1),2\nd:1:1:4:0:1:2:3\nd:1:2:2:3:1\n'


@pytest.fixture
def parse(tmp_path):
    path = tmp_path / "example.dim"
    return lambda text, header=HEADER, **options: read_text(path, header + text, **options)


def everyone(operation, root=0, sent=(64,) * 4, received=(64,) * 4):
    return "".join(f"10:{t}:0:{operation}:1:{root}:0:{sent[t]}:{received[t]}\n" for t in range(4))


def test_bursts_messages_and_waits(parse):
    program = parse(
        "s:0:17\nd:2:1:file\n"
        "1:0:0:0.000100\n2:0:0:1:100:5:1:0\n2:0:0:1:-1:200:5:1:2\n"
        "3:1:0:0:100:5:1:1\n3:1:0:0:-1:200:5:1:1\n1:1:0:0.5\n20:1:0:5000:1\n0:1:0\n"
        "3:1:0:0:200:5:1:2\n3:1:0:0:100:5:1:2\n",
        cycles_per_us=10.0,
    )
    program.check()
    tag = (1 << 32) + 5
    assert listing(program, 0) == [
        "compute 1000 cycles",
        f"send 100 bytes to task 1, tag {tag}",
        f"send 200 bytes to task 1, tag {tag}",
    ]
    assert listing(program, 1) == [
        f"irecv 100 bytes from task 0, tag {tag}",
        f"irecv 200 bytes from task 0, tag {tag}",
        "compute 5000000 cycles",
        "wait for request 1",
        "wait for request 0",
    ]
    assert program.tasks == 4


def test_bursts_are_dropped_by_default(parse):
    assert len(parse("1:0:0:0.5\n")) == 0


def test_a_header_without_quotes_and_the_world_undefined(parse):
    header = "#DIMEMAS:halo_8:0:3(1,1,1),0\n"
    program = parse(
        "2:0:0:2:512:0:0:0\n3:2:0:0:512:0:0:0\n"
        + "10:0:0:0:0:0:0:0:0\n10:1:0:0:0:0:0:0:0\n10:2:0:0:0:0:0:0:0\n",
        header,
    )
    program.check()
    assert program.traffic().W[0, 2] == 512
    assert program.traffic().N.sum() == 1 + 6


@pytest.mark.parametrize("operation", range(len(NAMES)))
def test_every_global_operation_comes_to_its_end(parse, operation):
    program = parse(everyone(operation, root=2, sent=(64, 32, 16, 128)))
    program.check()
    program.check(eager_limit=0)
    assert len(program)


@pytest.mark.parametrize(
    ("operation", "sent", "received", "bytes"),
    [
        (1, (0, 0, 100, 0), (100, 100, 0, 100), 3 * 100),  # bcast along a tree
        (3, (1, 2, 4, 8), (0, 0, 15, 0), 1 + 2 + 8),  # gatherv, messages to the root
        (5, (0, 0, 15, 0), (1, 2, 4, 8), 1 + 2 + 8),  # scatterv
        (7, (1, 2, 4, 8), (15, 15, 15, 15), 3 * 15),  # allgatherv round a ring
        (8, (10,) * 4, (10,) * 4, 12 * 10),  # alltoall, size for each pair
        (9, (40, 80, 0, 4), (31, 31, 31, 31), 3 * (10 + 20 + 0 + 1)),  # alltoallv, equal parts
        (10, (50,) * 4, (0,) * 4, 3 * 50),  # reduce
        (11, (50,) * 4, (50,) * 4, 8 * 50),  # allreduce, two rounds
        (13, (50,) * 4, (50,) * 4, 3 * 50),  # scan along a chain
    ],
)
def test_bytes_of_global_operations(parse, operation, sent, received, bytes):
    assert parse(everyone(operation, 2, sent, received)).traffic().W.sum() == bytes


def test_a_communicator_of_two(parse):
    program = parse("10:1:0:11:2:-1:-1:80:80\n10:3:0:11:2:-1:-1:80:80\n")
    program.check()
    assert program.traffic().W.sum() == program.traffic().W[1, 3] + program.traffic().W[3, 1] == 160


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2:0:0:9:100:5:1:0\n", "line 4: refers to task 9, expected 0 to 3"),
        ("1:0:0:abc\n", "burst of 'abc' seconds must be a number of at least 0"),
        ("3:1:0:0:100:5:1:2\n", "line 4: waits for a receive that was never posted"),
        ("10:0:0:0:1:0:0:0:0\n", "rank 1 does not call barrier"),
    ],
)
def test_what_is_refused(parse, text, message):
    with pytest.raises(ValueError, match=r"example\.dim[,:] .*" + re.escape(message)):
        parse(text)


def test_a_broken_header(parse):
    with pytest.raises(ValueError, match="line 1: is not a Dimemas header"):
        parse("", header="#DIMEMAS:nothing\n")


def test_a_posted_receive_that_nobody_waits_for_is_waited_for_at_the_end(parse):
    program = parse("2:0:0:1:100:5:1:0\n3:1:0:0:100:5:1:1\n1:1:0:0.5\n", cycles_per_us=1.0)
    program.check()
    assert [text.split()[0] for text in listing(program, 1)] == ["irecv", "compute", "wait"]
