"""liballprof's traces: what each line sends, in bytes and between whom, and what cannot be known."""

from collections import Counter

import numpy as np
import pytest

from netplace.apps.formats import format_of, open_trace, read
from netplace.netsim import simulate
from netplace.topologies import parse

RANKS = 4
WORLD, INT, DOUBLE = "140735", "LOG_MPI_INT,4,4", "10,8,8"


class Log:
    """The lines of a rank; each call lasts 2 us, 10 us after the one before."""

    def __init__(self, rank: int, mpich: bool = False) -> None:
        self.now = 1_700_000_000_000_000 + 1000 * rank
        self.lines = ["# htor's trace", ""]
        self.comm = f"{0x44000000 if mpich else WORLD},{rank},{RANKS}"
        self.call("MPI_Init", "140", "141", start="-")

    def call(self, name: str, *arguments: object, start: str = "") -> None:
        self.now += 12
        words = (name, start or self.now - 2, *arguments, self.now)
        self.lines.append(":".join(map(str, words)))


def ring(rank: int, stride: int, mpich: bool = False) -> Log:
    log = Log(rank, mpich)
    right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
    any_source, nobody = (-2, -1) if mpich else (-1, -2)
    log.call("MPI_Comm_rank", log.comm, 99)
    log.call("MPI_Irecv", 1, 100, INT, left, 7, log.comm, 5000)
    log.call("MPI_Isend", 1, 100, INT, right, 7, log.comm, 5000 + stride)
    log.call("MPI_Waitall", 2, 5000, 6000)
    log.call("MPI_Send", 1, 3, DOUBLE, nobody, 7, log.comm)
    if rank == 0:
        log.call("MPI_Send", 1, 5, DOUBLE, 3, 8, log.comm)
    if rank == 3:
        log.call("MPI_Recv", 1, 50, DOUBLE, any_source, 8, log.comm, 6000)
    log.call("MPI_Sendrecv", 1, 2, DOUBLE, right, 9, 1, 2, DOUBLE, left, 9, log.comm, 6000)
    log.call("MPI_Finalize")
    return log


def written(folder, logs, pattern="pmpi-trace-rank-{}.txt"):
    for rank, log in enumerate(logs):
        (folder / pattern.format(rank)).write_text("\n".join(log.lines) + "\n")
    return folder


@pytest.mark.parametrize(("stride", "mpich"), [(8, False), (4, True)])
@pytest.mark.parametrize("name", ["pmpi-trace-rank-{}.txt", "trace-{}.dat"])
def test_messages_of_a_ring(tmp_path, stride, mpich, name):
    folder = written(tmp_path, [ring(rank, stride, mpich) for rank in range(RANKS)], name)
    expected = Counter({(rank, (rank + 1) % RANKS, size): 1 for rank in range(RANKS) for size in (400, 16)})
    expected[0, 3, 40] = 1
    for path in (folder, folder / name.format(2)):
        program = read(path, cycles_per_us=1)
        traffic = program.traffic()
        assert np.array_equal(traffic.W, matrix(expected))
        assert traffic.N.sum() == expected.total()
        assert simulate(parse("torus:2x2"), program).cycles > 0


def matrix(messages: Counter) -> np.ndarray:
    made = np.zeros((RANKS, RANKS), np.int64)
    for (sender, receiver, size), count in messages.items():
        made[sender, receiver] += size * count
    return made


def test_computation_is_what_passes_between_calls(tmp_path):
    folder = written(tmp_path, [ring(rank, 8) for rank in range(RANKS)])
    slow, fast = (simulate(parse("torus:2x2"), read(folder, cycles_per_us=c)).cycles for c in (1000, 0))
    # Rank 0 passes 8 gaps of 10 us to its last call that sends; none of it but what waits is hidden.
    assert 70_000 <= slow - fast <= 81_000


COLLECTIVES = {
    "MPI_Barrier": ("comm",),
    "MPI_Bcast": (1, 10, INT, 2, "comm"),
    "MPI_Reduce": (1, 1, 10, INT, "LOG_MPI_SUM", 1, "comm"),
    "MPI_Allreduce": (1, 1, 10, DOUBLE, "LOG_MPI_SUM", "comm"),
    "MPI_Scan": (1, 1, 10, DOUBLE, "LOG_MPI_SUM", "comm"),
    "MPI_Gather": (1, 10, INT, 1, 10, INT, 0, "comm"),
    "MPI_Scatter": (1, 10, INT, 1, 10, INT, 0, "comm"),
    "MPI_Allgather": (1, 10, INT, 1, 10, INT, "comm"),
    "MPI_Alltoall": (1, 10, INT, 1, 10, INT, "comm"),
    "MPI_Gatherv": (1, 10, INT, 1, 77, "counts", 78, "0,1,2,3", INT, 1, "comm"),
    "MPI_Scatterv": (1, 77, "counts", 78, "0,1,2,3", INT, 1, 10, INT, 1, "comm"),
    "MPI_Allgatherv": (1, 10, INT, 1, 77, "10,10,10,10", 78, "0,1,2,3", INT, "comm"),
    "MPI_Alltoallv": (1, 77, "1,2,3,4", 78, "0,0,0,0", INT, 1, 79, "1,2,3,4", 80, "0,0,0,0", INT, "comm"),
    "MPI_Reduce_scatter": (1, 1, 77, "4,4,4,4", DOUBLE, "LOG_MPI_SUM", "comm"),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_are_those_of_the_text_format(tmp_path, name):
    """The same call in the project's own format becomes the same program."""
    logs = []
    for rank in range(RANKS):
        log = Log(rank)
        counts = "10,10,10,10" if rank == 1 else "1,-7,99999999,0"  # rubbish but at the root
        words = [{"comm": log.comm, "counts": counts}.get(str(word), word) for word in COLLECTIVES[name]]
        log.call(name, *words)
        logs.append(log)
    given = read(written(tmp_path, logs))
    operation = name.removeprefix("MPI_").lower()
    sizes = {"barrier": 0, "allreduce": 80, "scan": 80, "alltoallv": 40, "reduce_scatter": 128}
    lists = {"alltoallv": "4,8,12,16", "reduce_scatter": "32,32,32,32"}
    root = {"bcast": 2, "reduce": 1, "gather": 0, "scatter": 0, "gatherv": 1, "scatterv": 1}.get(
        operation, -1
    )
    lines = []
    for rank in range(RANKS):
        listed = lists.get(operation, "40,40,40,40" if operation[-1] == "v" else "-1")
        if operation in ("gatherv", "scatterv") and rank != root:
            listed = "-1"
        size = sizes.get(operation, 40)
        lines.append(f"{rank} coll {root} {size} {operation} 0 {listed} 0")
    (tmp_path / "same.trace").write_text("\n".join(lines) + "\n")
    same = read(tmp_path / "same.trace")
    network = parse("torus:2x2")
    assert np.array_equal(given.traffic().N, same.traffic().N)
    ours, theirs = (simulate(network, program) for program in (given, same))
    assert (ours.cycles, ours.packets, ours.packet_hops) == (
        theirs.cycles,
        theirs.packets,
        theirs.packet_hops,
    )


def test_what_a_flag_tells_is_counted_not_replayed(tmp_path):
    logs = [ring(rank, 8) for rank in range(RANKS)]
    logs[1].call("MPI_Test", 5000, 1, 2)
    logs[2].call("MPI_Waitany", 2, 5000, 1, 2)
    trace = open_trace(written(tmp_path, logs))
    assert trace.ranks == RANKS
    for _ in trace.batches:
        pass
    assert trace.left_out == {"test": 1, "waitany": 1}
    with pytest.raises(ValueError, match="test"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("MPI_Send:12:1:x:LOG_MPI_INT,4,4:1:7:140735,1,4:15", "MPI_Send has unexpected arguments"),
        ("MPI_Send:12:1:3:LOG_MPI_INT,4,4:9:7:140735,1,4:15", "rank 9 of a communicator with 4"),
        (
            "MPI_Barrier:12:5555,0,2:15",
            r"a communicator of 2 of 4 ranks, and liballprof does not record which",
        ),
        ("MPI_Barrier:noon:140735,1,4:15", "time 'noon', expected microseconds"),
    ],
)
def test_lines_that_are_none(tmp_path, line, words):
    logs = [ring(rank, 8) for rank in range(RANKS)]
    logs[1].lines.append(line)
    with pytest.raises(ValueError, match=words) as refused:
        read(written(tmp_path, logs))
    assert "pmpi-trace-rank-1.txt" in str(refused.value)


def test_a_rank_that_is_missing(tmp_path):
    folder = written(tmp_path, [ring(rank, 8) for rank in range(RANKS)])
    (folder / "pmpi-trace-rank-1.txt").unlink()
    with pytest.raises(ValueError, match="the file of rank 1 of 4 is missing"):
        read(folder)
    assert format_of(folder).suffix == ".allprof"


def test_old_collectors_write_decimals(tmp_path):
    for rank in range(2):
        lines = ["MPI_Init:-:140:140:1000.000000", f"MPI_Barrier:{1030 + rank}.25:1,{rank},2:1031.5",
                 "MPI_Finalize:1040.000000:-"]  # fmt: skip
        (tmp_path / f"pmpi-trace-rank-{rank}.txt").write_text(
            "\n".join(["# collprof 0.9 output file", *lines])
        )
    program = read(tmp_path / "pmpi-trace-rank-0.txt")
    assert program.tasks == 2
