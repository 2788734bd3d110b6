"""Small traces of our own: wildcards, persistent requests, split communicators, one-sided operations."""

import pytest

from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import Reading, summary_of


def counted(path, **reading):
    return summary_of(open_trace(path, Reading(in_order=False, **reading))).as_data()


def dumpi_text(folder, ranks):
    """Write what dumpi2ascii would: calls as (name, arguments) of each rank; return the first file."""
    for rank, calls in enumerate(ranks):
        out, now = ["version=1.0.0", "starttime=Thu Feb  3 16:05:56 2011"], 0
        for name, arguments in [
            ("Init", []),
            ("Comm_size", ["MPI_Comm comm=2", f"int size={len(ranks)}"]),
            *calls,
        ]:
            for word in ("entering", "returning"):
                now += 1000
                stamp = f"{now // 10**9}.{now % 10**9:09d}"
                out.append(f"MPI_{name} {word} at walltime {stamp}, cputime {stamp} seconds in thread 0.")
                out += arguments if word == "entering" else []
        out += ["Datatype 9 (MPI_INT) has size 4"]
        (folder / f"run-{rank:04d}.txt").write_text("\n".join(out) + "\n")
    return folder / "run-0000.txt"


def to(peer, tag=5, count=8, comm=2, role="dest"):
    words = [f"int {role}={peer}", f"int tag={tag}", f"MPI_Comm comm={comm}"]
    return [f"int count={count}", "MPI_Datatype datatype=9", *words]


def of(peer, tag=5, count=8, comm=2):
    return to(peer, tag, count, comm, "source")


IGNORED = "MPI_Status status=<IGNORED>"


def test_a_status_names_the_source_of_any(tmp_path):
    status = "MPI_Status status=[{bytes=32, cancelled=0, source=1, tag=5, error=0}]"
    first = dumpi_text(tmp_path, [[("Recv", [*of(-1, -1), status])], [("Send", to(0))], []])
    assert counted(first)["wildcards"] == 1
    program = read(first)
    program.check()
    assert program.peer.tolist() == [1, 0]


def test_without_status_the_first_message_that_comes_is_taken(tmp_path):
    first = dumpi_text(
        tmp_path,
        [
            [("Recv", [*of(-1), IGNORED]), ("Recv", [*of(-1), IGNORED])],
            [("Recv", [*of(2, 6), IGNORED]), ("Send", to(0))],
            [("Send", to(0)), ("Send", to(1, 6))],
        ],
    )
    program = read(first)
    program.check()
    assert program.peer[:2].tolist() == [2, 1]


def test_a_wildcard_without_a_message_is_named(tmp_path):
    first = dumpi_text(tmp_path, [[("Recv", [*of(-1), IGNORED])], []])
    with pytest.raises(
        ValueError, match="rank 0, call 0: a receive from any source or with any tag has no matching message"
    ):
        read(first)


def test_a_persistent_request_is_a_message_each_time_that_it_is_started(tmp_path):
    rounds = [("Start", ["MPI_Request request=[7]"]), ("Wait", ["MPI_Request request=[7]", IGNORED])] * 3
    send = [
        ("Send_init", [*to(1), "MPI_Request request=[7]"]),
        *rounds,
        ("Request_free", ["MPI_Request request=[7]"]),
    ]
    receive = [("Recv_init", [*of(0, count=99), "MPI_Request request=[7]"]), *rounds]
    first = dumpi_text(tmp_path, [send, receive])
    assert counted(first)["pairs"] == [[0, 1, 3, 96]]
    program = read(first)
    program.check(eager_limit=0)
    assert set(program.size[program.size > 0].tolist()) == {32}


def test_a_split_is_told_by_all_its_ranks(tmp_path):
    def split(color, key):
        return (
            "Comm_split",
            ["MPI_Comm oldcomm=2", f"int color={color}", f"int key={key}", "MPI_Comm newcomm=4"],
        )

    ranks = [[split(rank % 2, -rank), ("Barrier", ["MPI_Comm comm=4"])] for rank in range(4)]
    ranks[2].append(("Send", to(1, comm=4)))  # keys turn the order round: 2 is before 0
    ranks[0].append(("Recv", [*of(0, comm=4), IGNORED]))
    first = dumpi_text(tmp_path, ranks)
    found = counted(first)
    assert found["pairs"] == [[2, 0, 1, 32]]
    assert found["collectives"] == [{"operation": "barrier", "ranks": 2, "calls": 4, "bytes": 0}]
    read(first).check()


def test_the_axes_of_a_grid_are_communicators(tmp_path):
    create = ("Cart_create", [
        "MPI_Comm oldcomm=2", "int ndim=2", "int dims[2]=[2, 2]", "int periods[2]=[0, 0]", "int reorder=0",
        "MPI_Comm newcomm=4",
    ])  # fmt: skip
    sub = (
        "Cart_sub",
        ["int ndim=2", "MPI_Comm oldcomm=4", "int remain_dims[2]=[1, 0]", "MPI_Comm newcomm=5"],
    )
    ranks = [[create, sub] for _ in range(4)]
    ranks[0].append(("Send", to(1, comm=5)))
    ranks[2].append(("Recv", [*of(0, comm=5), IGNORED]))
    assert counted(dumpi_text(tmp_path, ranks))["pairs"] == [[0, 2, 1, 32]]


def test_one_sided_operations_are_counted_and_refused(tmp_path):
    first = dumpi_text(tmp_path, [[("Put", []), ("Put", []), ("File_open", [])], []])
    assert counted(first)["left_out"] == [
        {"operation": "file_open", "number": 1},
        {"operation": "put", "number": 2},
    ]
    with pytest.raises(
        ValueError, match="contains one-sided operations, which cannot be replayed: 2 put; --ignore"
    ):
        read(first)
    with pytest.raises(ValueError, match="contains io operations"):
        read(first, ignore=["one-sided"])
    assert read(first, ignore=["one-sided", "io"]).tasks == 2


GOAL = """// two ranks, each of which must do first what stands last
num_ranks 2
rank 0 {
l1: recv 8b from 1
l2: send 8b to 1 tag 1
l2 requires l1
l3: send 8b to 1 tag 2 cpu 1
l4: calc 500 /* ns */
l4 irequires l3
}
rank 1 {
a: recv 8b from 0 tag 2
b: send 8b to 0
b requires a
recv 8b from 0 tag 1
}
"""


def test_a_schedule_comes_to_its_end_in_an_order_that_its_lines_do_not_have(tmp_path):
    (tmp_path / "x.goal").write_text(GOAL)
    program = read(tmp_path / "x.goal", cycles_per_us=1000)
    program.check()
    assert program.traffic().N.tolist() == [[0, 2], [1, 0]]
    assert counted(tmp_path / "x.goal")["compute_seconds"] == pytest.approx([5e-7, 0.0])


PRV = """#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:100:1
2:1:1:1:1:100:50000001:3
2:1:1:1:1:120:50000001:0
3:1:1:1:1:110:115:2:1:2:1:90:300:64:9
2:1:1:1:1:130:50000001:5
2:1:1:1:1:140:50000001:0
2:2:1:2:1:80:50000001:2
2:2:1:2:1:310:50000001:0
2:1:1:1:1:400:50000002:7:50100001:16:50100002:0:50100004:1:50100003:1
2:1:1:1:1:410:50000002:0
2:2:1:2:1:400:50000002:7:50100001:0:50100002:16:50100004:1
2:2:1:2:1:410:50000002:0
"""


def test_paravers_records_become_calls(tmp_path):
    (tmp_path / "x.prv").write_text(PRV)
    found = counted(tmp_path / "x.prv")
    assert found["pairs"] == [[0, 1, 1, 64]]
    assert found["collectives"] == [{"operation": "bcast", "ranks": 2, "calls": 2, "bytes": 16}]
    assert found["compute_seconds"] == pytest.approx([1e-7, 0.0])
    program = read(tmp_path / "x.prv", cycles_per_us=1000)
    program.check(eager_limit=0)
    assert program.kind[: program.first[1]].tolist() == [0, 2, 5, 1]


@pytest.mark.parametrize(
    "text",
    [
        "0,1,100\n1,2,50\n1,2,51\n2,0,7\n",
        "# bytes by pair\nsource,destination,messages,bytes\n0,1,1,100\n1,2,2,101\n2,0,1,7\n",
        "rank,rank,bytes\n0,1,100\n1,2,50\n1,2,51\n2,0,7\n",
        "# POINT TO POINT\n"
        + "".join(
            f"E\t{pair} bytes\t{n} msgs sent\t0,{n}\n" for pair, n in [("0\t1\t100", 1), ("1\t2\t101", 2)]
        )
        + "I\t2\t0\t7 bytes\t1 msgs sent\n",
    ],
)
def test_a_list_of_pairs_is_an_application(tmp_path, text):
    (tmp_path / "m.csv").write_text(text)
    assert counted(tmp_path / "m.csv")["pairs"] == [[0, 1, 1, 100], [1, 2, 2, 101], [2, 0, 1, 7]]
    program = read(tmp_path / "m.csv")
    program.check(eager_limit=0)
    assert program.traffic().W.tolist() == [[0, 100, 0], [0, 0, 101], [7, 0, 0]]


SQUARES = {
    "spreadsheet.tsv": "0\t5\t7\n3\t0\t1\n9\t9\t0\n",
    "three-pairs.csv": "0,1,5\n2,0,9\n0,2,7\n1,0,3\n1,2,1\n2,1,9\n",
    "permuted.csv": ",2,0,1\n1,1,3,0\n2,0,9,9\n0,7,0,5\n",
    "plain.csv": "0,5,7\n3,0,1\n9,9,0\n",
    "numpy.txt": "0.0e+00 5.0e+00 7.0e+00\n3.0e+00 0.0e+00 1.0e+00\n9.0e+00 9.0e+00 0.0e+00\n",
    "pandas-without-index.csv": "0,1,2\n0,5,7\n3,0,1\n9,9,0\n",
    "pandas.csv": ",a,b,c\na,0,5,7\nb,3,0,1\nc,9,9,0\n",
}


@pytest.mark.parametrize("name", SQUARES)
def test_a_square_of_numbers_is_a_dense_matrix(tmp_path, name):
    (tmp_path / name).write_text(SQUARES[name])
    assert read(tmp_path / name).traffic().W.tolist() == [[0, 5, 7], [3, 0, 1], [9, 9, 0]]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("x.goal", GOAL.replace("requires l1", "requires l9"), "line 6: label 'l9' is not defined above"),
        (
            "x.goal",
            GOAL.replace("8b to 1 tag 1", "8 to 1 tag 1"),
            "line 5: size '8' is not a number of bytes",
        ),
        ("x.goal", GOAL.replace("}\nrank 1", "\nrank 1"), "line 11: 'rank 1 {' is not an operation"),
        ("x.prv", PRV + "#\n1:1:1:9:1:0:1:1\n", "line 16: refers to task 9, expected 1 to 2"),
        ("m.csv", "0,1,-5\n1,0,3\n", "line 1: bytes '-5' is not a whole number"),
        (
            "m.csv",
            "a,b,c\n0,1,2\n",
            "line 1: columns 'a, b, c' of 2 rows, expected source, destination",
        ),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path, name, text, told):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=rf"{name}, {told}"):
        counted(tmp_path / name)


def test_a_trace_that_takes_too_much_memory_is_refused(tmp_path, monkeypatch):
    (tmp_path / "x.prv").write_text(PRV)
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="more than 1,000 bytes of memory; cut the trace to some --ranks"):
        read(tmp_path / "x.prv")
    assert counted(tmp_path / "x.prv")["messages"] == 1


@pytest.mark.all
def test_a_row_of_a_matrix_that_asks_for_millions_of_messages(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("0,1,4194305,8388620\n1,2,1,7\n")
    found = counted(path)
    assert found["pairs"] == [[0, 1, 4194305, 8388620], [1, 2, 1, 7]]
    # To run it takes 3 calls a message, each 400 bytes at the worst moment: counted before they are made.
    with pytest.raises(ValueError, match=r"has more than 12,582,918 calls without repetition"):
        read(path)


def test_messages_of_a_matrix_have_about_the_same_share(tmp_path):
    (tmp_path / "m.csv").write_text("source,destination,messages,bytes\n0,1,3,100\n2,1,2,5\n1,0,1,9\n")
    program = read(tmp_path / "m.csv")
    program.check()
    sends = program.kind == 1
    assert program.size[sends].tolist() == [34, 33, 33, 9, 3, 2]
