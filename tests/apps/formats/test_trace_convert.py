"""Traces written in other formats, and parts of traces."""

import itertools
import math
import shutil
import subprocess
from collections import Counter
from itertools import chain

import numpy as np
import pytest

from netplace import Config, parse, simulate
from netplace.apps.formats import Options, convert, open_trace, read
from netplace.apps.formats.catalog import all_formats
from netplace.apps.formats.stream import left_out_in
from netplace.apps.formats.writing import left_out_lines
from netplace.apps.recorded import IGNORABLE, Reading, recorded, summary_of

# Two communicators, an iteration, a wildcard-free exchange, and computation.
MIXED = """0 comm -1 2 0 3 0,2 0
2 comm -1 2 0 3 0,2 0
0 mark 0 0 iter 0 -1 0
1 mark 0 0 iter 0 -1 0
2 mark 0 0 iter 0 -1 0
0 isend 1 64 7 0 0 2.5
0 wait -1 0 0 0 0 1
1 recv 0 64 7 0 -1 0
0 coll -1 24 allreduce 3 -1 4
2 coll -1 24 allreduce 3 -1 8
0 coll 1 16 bcast 0 -1 0
1 coll 1 16 bcast 0 -1 0
2 coll 1 16 bcast 0 -1 0
0 mark 1 0 iter 0 -1 0
1 mark 1 0 iter 0 -1 0
2 mark 1 0 iter 0 -1 0
0 coll -1 0 alltoallv 0 4,8,12 3
1 coll -1 0 alltoallv 0 1,2,3 0
2 coll -1 0 alltoallv 0 5,6,7 0
0 mark -1 0 iter 0 -1 0
1 mark -1 0 iter 0 -1 0
2 mark -1 0 iter 0 -1 0
2 compute -1 1000 0 0 -1 0
"""


@pytest.fixture
def mixed(tmp_path):
    (tmp_path / "mixed.trace").write_text(MIXED)
    return tmp_path / "mixed.trace"


def counted(path):
    return summary_of(open_trace(path, Reading(in_order=False))).as_data()


PLATFORM = """<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="n" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>"""


@pytest.mark.all  # needs SimGrid
@pytest.mark.skipif(shutil.which("smpirun") is None, reason="needs smpirun of SimGrid")
def test_simgrid_replays_what_is_written_for_it(mixed, tmp_path):
    convert(recorded(open_trace(mixed)), tmp_path / "other.tit", Options(flops=1e9, compute=1.0))
    for name, text in (("c.xml", PLATFORM), ("hosts", "n0\nn1\nn2\n"), ("list", "other.tit\n")):
        (tmp_path / name).write_text(text)
    words = ["smpirun", "-np", "3", "-platform", "c.xml", "-hostfile", "hosts", "-replay", "list"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60).stderr
    # Rank 2 computes 11.2 us at 1 Gflop/s; SimGrid ends with an error if more is sent than is received.
    assert float(told.rpartition("Simulation time ")[2]) > 11.2e-6


@pytest.mark.parametrize("ending", [".trace", ".trace.gz", ".tit", ".goal", ".trc"])
def test_what_is_written_says_the_same(mixed, tmp_path, ending):
    whole = recorded(open_trace(mixed))
    convert(whole, tmp_path / f"other{ending}", Options(compute=1.0))
    other, program = read(tmp_path / f"other{ending}", cycles_per_us=312.5), whole.program(312.5)
    other.check()
    assert other.traffic().W.tolist() == program.traffic().W.tolist()
    assert other.traffic().N.tolist() == program.traffic().N.tolist()
    found = counted(tmp_path / f"other{ending}")
    seconds = sum(found["compute_seconds"]) + sum(found["compute_cycles"]) * 3.2e-9
    assert math.isclose(seconds, 18.5e-6 + 1000 * 3.2e-9, rel_tol=2e-3)


def test_ours_keeps_collectives_computation_and_marks(mixed, tmp_path):
    convert(recorded(open_trace(mixed)), tmp_path / "other.trace")
    before, after = counted(mixed), counted(tmp_path / "other.trace")
    for name in ("pairs", "collectives", "compute_cycles"):
        assert after[name] == before[name]
    assert after["compute_seconds"] == pytest.approx(before["compute_seconds"])
    assert read(tmp_path / "other.trace").marks.tolist() == read(mixed).marks.tolist()


def test_simgrids_keeps_the_collectives_of_all_ranks(mixed, tmp_path):
    convert(recorded(open_trace(mixed)), tmp_path / "other.tit", Options(flops=1e9))
    names = {(row["operation"], row["ranks"]) for row in counted(tmp_path / "other.tit")["collectives"]}
    assert names == {("bcast", 3), ("alltoallv", 3)}
    lines = [line.split() for line in (tmp_path / "other.tit").read_text().splitlines()]
    counts = np.array(
        [line[2:] for line in lines if line[1] == "alltoallv"], int
    )  # both sides, each after its sum
    assert counts[:, 1:4].tolist() == counts[:, 5:].T.tolist() == [[4, 8, 12], [1, 2, 3], [5, 6, 7]]
    assert counts[:, [0, 4]].tolist() == [[24, 10], [6, 16], [18, 22]]


def test_some_ranks_alone_have_their_part_of_a_collective(mixed):
    part = recorded(open_trace(mixed), (), [0, 2])
    part.program().check()
    assert part.ranks == 2
    assert part.lost == 1  # the root of the broadcast is gone, and it with it
    assert part.program().traffic().W.tolist() == [[0, 24 + 12], [24 + 5, 0]]


@pytest.mark.parametrize(
    ("ranks", "told"), [([0, 5], "rank 5 does not exist"), ([1, 1], "a rank appears twice")]
)
def test_ranks_that_are_none(mixed, ranks, told):
    with pytest.raises(ValueError, match=told):
        recorded(open_trace(mixed), (), ranks)


def random_program(random, computation):
    """Return lines of three or four ranks; a message is sent before it is waited for, so that all end."""
    ranks = int(random.integers(3, 5))
    lines, waits, requests = [], [[] for _ in range(ranks)], [0] * ranks

    def gap():
        return 2 * int(random.integers(0, 40)) if "recorded" in computation and random.random() < 0.5 else 0

    for _ in range(int(random.integers(1, 15))):
        source, other = random.choice(ranks, 2, replace=False).tolist()
        size, tag = int(random.integers(0, 2000)), int(random.integers(0, 3))
        if "program" in computation and random.random() < 0.5:
            lines.append(f"{source} compute -1 {int(random.integers(1, 3000))} 0 0 -1 0")
        if random.random() < 0.2:
            name = str(random.choice(["allreduce", "barrier", "allgather", "bcast"]))
            root = 1 if name == "bcast" else -1
            lines += [f"{rank} coll {root} {size} {name} 0 -1 {gap()}" for rank in range(ranks)]
            continue
        for rank, peer, kind in ((other, source, "recv"), (source, other, "send")):
            posted = random.random() < 0.5
            request = requests[rank] if posted else -1
            requests[rank] += posted
            line = f"{rank} {'i' * posted}{kind} {peer} {size} {tag} 0 {request} {gap()}"
            if posted:
                waits[rank].append(f"{rank} wait -1 0 0 0 {request} {gap()}")
            # A receive that blocks stands behind its send in the order in which the lines were drawn.
            lines.append(line)
        for rank in range(ranks):
            while waits[rank] and random.random() < 0.3:
                lines.append(waits[rank].pop(0))
    return "\n".join([f"# tasks {ranks}", *lines, *chain(*waits)]) + "\n"


def cycles(program):
    # Formats without sends that block have non-blocking ones instead, which are the same in order.
    config = Config(nonblocking_sends="in-order")
    return simulate(parse("torus:4x4"), program, [5, 2, 11, 8][: program.tasks], config=config).cycles


@pytest.mark.parametrize("computation", [(), ("recorded",), ("program",), ("recorded", "program")])
def test_a_conversion_takes_as_many_cycles_or_tells_why_not(tmp_path, computation):
    random = np.random.default_rng(len(computation))
    for _ in range(12):
        (tmp_path / "drawn.trace").write_text(random_program(random, computation))
        whole = recorded(open_trace(tmp_path / "drawn.trace"))
        gaps = whole.calls["gap"].any()
        computes = (whole.calls["size"][whole.calls["kind"] == 0] > 0).any()
        # As a run that drops recorded computation, and as one that keeps it.
        expected = {rate: cycles(whole.program(rate)) for rate in (0.0, 312.5)}
        for ending, factor in ((".trace", 0.0), (".tit", 0.0), (".goal", 0.0), (".trc", 0.0), (".trc", 1.0)):
            target = tmp_path / f"other{ending}"
            told = " ".join(convert(whole, target, Options(compute=factor)))
            omitted = ending == ".trc" and gaps and not factor
            assert ("recorded computation are omitted" in told) == bool(omitted)
            lost = ending in (".tit", ".goal") and computes
            assert ("of computation become recorded computation in" in told) == bool(lost)
            if not lost:
                assert cycles(read(target)) == expected[312.5 * factor], whole.calls
            if ending != ".trc":
                assert cycles(read(target, cycles_per_us=312.5)) == expected[312.5], whole.calls


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
