import pytest

from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import Reading, summary_of

RING = """0 init
1 init
0 compute 2e6
0 isend 1 7 100
0 irecv 1 7 100
0 waitall
1 irecv 0 7 100
1 isend 0 7 100
1 wait 0 1 7
1 wait 1 0 7
0 allreduce 10 1000
1 allreduce 10 1000
0 finalize
1 finalize
"""


def counted(path, **reading):
    return summary_of(open_trace(path, Reading(**reading))).as_data()


def test_messages_collectives_and_flops_are_counted(tmp_path):
    (tmp_path / "ring.txt").write_text(RING)
    found = counted(tmp_path / "ring.txt", flops=1e6)
    assert found["ranks"] == 2
    assert found["pairs"] == [[0, 1, 1, 100], [1, 0, 1, 100]]
    assert found["collectives"] == [{"operation": "allreduce", "ranks": 2, "calls": 2, "bytes": 10}]
    assert found["compute_seconds"] == [2.0, 0.0]


def test_it_becomes_a_program(tmp_path):
    (tmp_path / "ring.txt").write_text(RING)
    program = read(tmp_path / "ring.txt", cycles_per_us=1.0, flops=1e6)
    program.check(eager_limit=0)
    assert program.traffic().N.tolist() == [[0, 2], [2, 0]]
    assert program.size[0] == 2_000_000


@pytest.mark.parametrize("place", ["folder/r0.txt", "r0.txt"])
def test_a_list_of_files_names_them_from_elsewhere(tmp_path, place):
    lines = RING.splitlines()
    for rank in "01":
        own = [line for line in lines if line.startswith(rank)]
        (tmp_path / f"r{rank}.txt").write_text("\n".join(own))
    (tmp_path / "list").write_text(place + "\n" + place.replace("0", "1") + "\n")
    assert counted(tmp_path / "list")["messages"] == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("0 send 1 7", "line 3: send has 2 arguments, expected at least 3"),
        ("0 send 1 7 -8", "line 3: count '-8' is not a whole number"),
        ("0 teleport 1", "line 3: unknown action 'teleport'"),
        ("0 bcast 4 0 77", "line 3: unknown type 77"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, told):
    (tmp_path / "x.txt").write_text(f"0 init\n1 init\n{line}\n")
    with pytest.raises(ValueError, match=rf"x\.txt, {told}"):
        counted(tmp_path / "x.txt")


def test_ranks_that_disagree_are_named(tmp_path):
    (tmp_path / "x.txt").write_text("0 init\n1 init\n0 barrier\n")
    with pytest.raises(ValueError, match=r"x\.txt: rank 1 does not call barrier, number 0"):
        read(tmp_path / "x.txt")
