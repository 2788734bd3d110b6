"""What a trace does not hold is told by every format, and refused until the user says to go on without it."""

import itertools
from collections import Counter

import pytest

from netplace.apps.formats import convert, open_trace, read
from netplace.apps.formats.catalog import all_formats
from netplace.apps.formats.stream import left_out_in
from netplace.apps.formats.writing import left_out_lines
from netplace.apps.recorded import IGNORABLE, recorded, summary_of

TEXT = """0 send 1 64 7 0 -1 2.5
1 recv 0 64 7 0 -1 0
0 coll -1 8 allreduce 0 -1 0
1 coll -1 8 allreduce 0 -1 0
"""
LEFT = Counter({"put": 4, "file_write_at": 1, "pready": 3, "comm_spawn": 1, "ibcast": 2})
WRITTEN = [item for item in all_formats() if item.stream or item.convert or item.write]


@pytest.fixture
def given(tmp_path):
    path = tmp_path / "given.trace"
    path.write_text(TEXT + "# left out: 2 ibcast, 4 put, 1 file_write_at, 3 pready, 1 comm_spawn\n")
    return path


def test_the_comment_is_read_as_it_is_written():
    for mark, others in itertools.product([("#", ""), ("/*", " */")], ["", "# left out: the warm-up, 12\n"]):
        lines = "\n".join(["# a", *left_out_lines(LEFT, mark), ""]) + others
        assert left_out_in(lines.encode()) == LEFT


@pytest.mark.parametrize("ending", [*(item.suffix for item in WRITTEN), ".trace.gz"])
def test_every_format_keeps_what_was_left_out(given, ending, netplace):
    target = given.with_name(f"written{ending}")
    convert(recorded(open_trace(given), ignore=IGNORABLE), target)
    assert Counter(summary_of_left_out(target)) == LEFT
    refused = netplace("run", "--network", "torus:2", "--trace", target)
    said = " ".join(refused.stderr.split())
    assert refused.exit_code == 2
    assert (
        f"{target}: contains one-sided operations, which cannot be replayed: 4 put; --ignore one-sided"
        in said
    )
    accepted = netplace("run", "--network", "torus:2", "--trace", target, "--ignore", ",".join(IGNORABLE))
    assert accepted.exit_code == 0, accepted.output


def summary_of_left_out(path):
    return {row["operation"]: row["number"] for row in summary_of(open_trace(path)).as_data()["left_out"]}


@pytest.mark.parametrize("kind", IGNORABLE)
def test_each_kind_is_refused_by_itself(given, kind):
    others = [other for other in IGNORABLE if other != kind]
    with pytest.raises(
        ValueError, match=f"operations, which cannot be replayed: .*--ignore {kind} skips them"
    ):
        read(given, ignore=others)
    assert read(given, ignore=IGNORABLE).tasks == 2


@pytest.mark.parametrize("ending", [item.suffix for item in WRITTEN])
@pytest.mark.parametrize("words", [("convert",), ("cut", "--ranks", "0-1"), ("cut", "--from", "0")])
def test_what_is_written_from_it_keeps_it_too(given, ending, words, netplace):
    target = given.with_name(f"part{ending}")
    result = netplace("trace", words[0], given, "-o", target, *words[1:], "--ignore", ",".join(IGNORABLE))
    assert result.exit_code == 0, result.output
    assert Counter(summary_of_left_out(target)) == LEFT
    assert "left out: 1 comm_spawn" in " ".join(result.stderr.split())
