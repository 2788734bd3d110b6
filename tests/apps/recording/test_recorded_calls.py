"""Every call of MPI that moves data is recorded, or counted as left out, in all forms that it has."""

import os
import re
import shutil
import subprocess
from collections import Counter

import numpy as np
import pytest

from netplace import parse, simulate
from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import IGNORABLE, summary_of
from netplace.apps.recording import build_interposer, launcher_of, record

MPIS = list(filter(shutil.which, ("mpicc.openmpi", "mpicc.mpich"))) or list(filter(shutil.which, ("mpicc",)))
pytestmark = [
    pytest.mark.all,
    pytest.mark.skipif(
        not MPIS, reason="no MPI on this machine (mpicc): the recorder is not tried on programs"
    ),
]
RANKS = 4
ROOT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
WAIT = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
STARTS = 2 * f"MPI_Start(&request); {WAIT}" + "MPI_Request_free(&request);"


@pytest.fixture(params=MPIS)
def compiler(request):
    return request.param


def header(compiler):
    """Return what the preprocessor makes of the library's mpi.h."""
    words = [compiler, "-E", "-include", "mpi.h", "-x", "c", "/dev/null"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def has_mpi_4(compiler):
    return "MPI_Isend_c" in header(compiler)


def program(body):
    return f"""
    #include <mpi.h>
    #include <stdlib.h>
    #include <string.h>
    static char out[4096], in[4096];
    int main(int count, char **words)
    {{
        int me, ranks;
        MPI_Request request;
        MPI_Status status;
        MPI_Init(&count, &words);
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        {body}
        MPI_Finalize();
        return 0;
    }}
    """


def forms(name, arguments, lists="", large=True, persistent=True):
    """Return one call of a collective in each form: 2, with MPI-4 8, as persistent ones are started twice.

    `lists` are declared with T for the type of counts and D for that of displacements.
    """
    iname = f"I{name[0].lower()}{name[1:]}"

    def block(end, count, displacement):
        given = lists.replace("T ", f"{count} ").replace("D ", f"{displacement} ")
        init = f"MPI_{name}_init{end}({arguments}, MPI_INFO_NULL, &request); {STARTS}"
        plain = f"MPI_{name}{end}({arguments}); MPI_{iname}{end}({arguments}, &request); {WAIT}"
        return f"{{ {given} {plain}\n#if {int(persistent)} && MPI_VERSION >= 4\n{init}\n#endif\n}}"

    long = f"\n#if MPI_VERSION >= 4\n{block('_c', 'MPI_Count', 'MPI_Aint')}\n#endif\n" if large else ""
    return block("", "int", "int") + long


def recorded(body, tmp_path, compiler, ranks=RANKS):
    """Return the summary and the program of what was recorded of a program."""
    (tmp_path / "program.c").write_text(program(body))
    made = subprocess.run(
        [compiler, "-w", "-o", tmp_path / "program", tmp_path / "program.c"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    if "MPI_Comm_spawn" in body:
        alone = [launcher_of(compiler), "-n", str(ranks), tmp_path / "program"]
        if subprocess.run(alone, env=os.environ | ROOT, capture_output=True).returncode:
            pytest.skip(f"the MPI of {compiler} starts no processes here, recorded or not")
    folder = tmp_path / "recording"
    folder.mkdir()
    assert record([str(tmp_path / "program")], ranks, folder, compiler).code == 0
    trace = summary_of(open_trace(folder)).as_data()
    replayed = read(folder, ignore=IGNORABLE)
    replayed.check()
    assert simulate(parse(f"torus:{ranks}"), replayed, list(range(ranks))).cycles > 0
    return trace


def pairs(messages):
    """Return rows as `trace info` has them, of (source, destination, bytes, times)."""
    counts, volumes = Counter(), Counter()
    for source, destination, size, times in messages:
        counts[source, destination] += times
        volumes[source, destination] += size * times
    return [[*pair, counts[pair], volumes[pair]] for pair in sorted(counts)]


def test_collectives_of_neighbours_are_messages_to_them(compiler, tmp_path):
    body = """
        int side[] = {4}, periodic[] = {1}, before = (me + 3) % 4, behind = (me + 1) % 4;
        MPI_Datatype types[] = {MPI_INT, MPI_CHAR};
        MPI_Aint far[] = {0, 512};
        MPI_Comm ring, star, chain;
        MPI_Cart_create(MPI_COMM_WORLD, 1, side, periodic, 0, &ring);
        int index[] = {3, 4, 5, 6}, edges[] = {1, 2, 3, 0, 0, 0};
        MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &star);
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, me > 0, &before, MPI_UNWEIGHTED, me < 3, &behind,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &chain);
    """
    lists = "T counts[] = {3, 4}, mosts[] = {4, 3}; D places[] = {0, 512};"
    body += forms("Neighbor_allgather", "out, 10, MPI_CHAR, in, 10, MPI_CHAR, ring")
    body += forms("Neighbor_alltoall", "out, 5, MPI_INT, in, 5, MPI_INT, star")
    body += forms("Neighbor_alltoall", "out, 9, MPI_CHAR, in, 9, MPI_CHAR, chain")
    body += forms(
        "Neighbor_allgatherv",
        "out, 30 + me, MPI_CHAR, in, mosts, places, MPI_CHAR, ring",
        "T mosts[] = {30 + before, 30 + behind}; D places[] = {0, 512};",
    )
    body += forms(
        "Neighbor_alltoallv", "out, counts, places, MPI_CHAR, in, mosts, places, MPI_CHAR, ring", lists
    )
    body += forms(
        "Neighbor_alltoallw",
        "out, counts, far, types, in, mosts, far, types, ring",
        "T counts[] = {2, 8}, mosts[] = {2, 8};",
    )
    times = 8 if has_mpi_4(compiler) else 2
    expected = []
    for rank in range(RANKS):
        before, behind = (rank - 1) % RANKS, (rank + 1) % RANKS
        for neighbour, listed in ((before, 3), (behind, 4)):
            for size in (10, 30 + rank, listed, 8):
                expected.append((rank, neighbour, size, times))
        expected += [(rank, behind, 9, times)] if rank < 3 else []
        expected += [(rank, other, 20, times) for other in ([1, 2, 3] if rank == 0 else [0])]
    found = recorded(body, tmp_path, compiler)
    assert found["pairs"] == pairs(expected)
    assert found["left_out"] == []


TWO_GROUPS = """
    int side = me / 2, rank = me % 2, root = side ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT;
    MPI_Datatype types[] = {MPI_CHAR, MPI_CHAR};
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, side, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 2 * !side, 7, &both);
"""
LISTS = (
    "T counts[] = {11, 12}, mosts[] = {11 + rank, 11 + rank}, theirs[] = {21 + 2 * !side, 22 + 2 * !side};"
)
LISTS += "T own[] = {8, 8}; D places[] = {0, 512};"
# Groups {0, 1} and {2, 3}; rank 0 is the root of those that have one. Each as (source, destination, bytes).
ALL = [
    (source, destination)
    for source in range(4)
    for destination in range(4)
    if source // 2 != destination // 2
]
OPERATIONS = {
    "Alltoall": ("out, 6, MPI_CHAR, in, 6, MPI_CHAR, both", [(*pair, 6) for pair in ALL], {}),
    "Alltoallv": (
        "out, counts, places, MPI_CHAR, in, mosts, places, MPI_CHAR, both",
        [(*pair, 11 + pair[1] % 2) for pair in ALL],
        {},
    ),
    "Alltoallw": (
        "out, counts, (void *)places, types, in, mosts, (void *)places, types, both",
        [(*pair, 11 + pair[1] % 2) for pair in ALL],
        {},
    ),
    "Allgather": ("out, 5, MPI_INT, in, 5, MPI_INT, both", [(*pair, 20) for pair in ALL], {}),
    "Allgatherv": (
        "out, 21 + me, MPI_CHAR, in, theirs, places, MPI_CHAR, both",
        [(*pair, 21 + pair[0]) for pair in ALL],
        {},
    ),
    "Gather": ("out, 9, MPI_CHAR, in, 9, MPI_CHAR, root, both", [(2, 0, 9), (3, 0, 9)], {}),
    "Gatherv": (
        "out, 11 + rank, MPI_CHAR, in, counts, places, MPI_CHAR, root, both",
        [(2, 0, 11), (3, 0, 12)],
        {},
    ),
    "Scatter": ("out, 9, MPI_CHAR, in, 9, MPI_CHAR, root, both", [(0, 2, 9), (0, 3, 9)], {}),
    "Scatterv": (
        "out, counts, places, MPI_CHAR, in, 11 + rank, MPI_CHAR, root, both",
        [(0, 2, 11), (0, 3, 12)],
        {},
    ),
    "Bcast": ("out, 100, MPI_CHAR, root, both", [(0, 2, 100)], {("bcast", 100): 2}),
    "Reduce": ("out, in, 25, MPI_INT, MPI_SUM, root, both", [(2, 0, 100)], {("reduce", 100): 2}),
    "Allreduce": (
        "out, in, 25, MPI_INT, MPI_SUM, both",
        [(0, 2, 100), (2, 0, 100)],
        {("reduce", 100): 4, ("bcast", 100): 4},
    ),
    "Reduce_scatter": (
        "out, in, own, MPI_INT, MPI_SUM, both",
        [(0, 2, 64), (2, 0, 64)],
        {("reduce", 64): 4, ("scatterv", 64): 2, ("scatterv", 32): 2},
    ),
    "Reduce_scatter_block": (
        "out, in, 8, MPI_INT, MPI_SUM, both",
        [(0, 2, 64), (2, 0, 64)],
        {("reduce", 64): 4, ("scatter", 32): 4},
    ),
    "Barrier": ("both", [(0, 2, 0), (2, 0, 0)], {("barrier", 0): 8}),
}


def test_collectives_of_two_groups(compiler, tmp_path):
    large = {name: 8 if has_mpi_4(compiler) else 2 for name in OPERATIONS}
    large["Barrier"] //= 2 if has_mpi_4(compiler) else 1
    body = TWO_GROUPS + "".join(
        forms(name, arguments, LISTS, large=name != "Barrier")
        for name, (arguments, _, _) in OPERATIONS.items()
    )
    found = recorded(body, tmp_path, compiler)
    messages, calls = [], Counter()
    for name, (_, sent, collectives) in OPERATIONS.items():
        messages += [(*message, large[name]) for message in sent]
        for what, number in collectives.items():
            calls[what] += number * large[name]
    assert found["pairs"] == pairs(messages)
    counted = {(row["operation"], row["bytes"]): row["calls"] for row in found["collectives"]}
    assert counted == dict(calls)
    assert {row["ranks"] for row in found["collectives"]} == {2}
    assert found["left_out"] == []


INTRA = {
    "Bcast": ("out, 40, MPI_CHAR, 1, MPI_COMM_WORLD", "bcast", 40),
    "Gather": ("out, 7, MPI_CHAR, in, 7, MPI_CHAR, 1, MPI_COMM_WORLD", "gather", 7),
    "Scatter": ("out, 7, MPI_CHAR, in, 7, MPI_CHAR, 1, MPI_COMM_WORLD", "scatter", 7),
    "Allgather": ("out, 7, MPI_INT, in, 7, MPI_INT, MPI_COMM_WORLD", "allgather", 28),
    "Alltoall": ("out, 7, MPI_INT, in, 7, MPI_INT, MPI_COMM_WORLD", "alltoall", 28),
    "Alltoallv": (
        "out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD",
        "alltoallv",
        20,
    ),
    "Allreduce": ("out, in, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD", "allreduce", 24),
    "Reduce": ("out, in, 3, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD", "reduce", 24),
    "Reduce_scatter": ("out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD", "reduce_scatter", 80),
    "Reduce_scatter_block": ("out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD", "reduce_scatter_block", 12),
    "Scan": ("out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD", "scan", 12),
    "Exscan": ("out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD", "exscan", 12),
}


def test_every_form_of_a_collective_is_the_same_collective(compiler, tmp_path):
    lists = "T counts[] = {5, 5, 5, 5}; D places[] = {0, 16, 32, 48};"
    # MPICH 4.0.2 ends a persistent scatter of one group with "Invalid communicator", recorded or not.
    body = "".join(
        forms(name, arguments, lists, persistent=name != "Scatter")
        for name, (arguments, _, _) in INTRA.items()
    )
    found = recorded(body, tmp_path, compiler)
    times = RANKS * (8 if has_mpi_4(compiler) else 2)
    expected = {(operation, size): times for _, operation, size in INTRA.values()}
    expected["scatter", 7] = min(times, RANKS * 4)
    assert {(row["operation"], row["bytes"]): row["calls"] for row in found["collectives"]} == expected
    assert (found["pairs"], found["left_out"]) == ([], [])


def test_messages_of_mpi_4(compiler, tmp_path):
    if not has_mpi_4(compiler):
        pytest.skip(f"{compiler} is of an MPI before version 4: it has no MPI_Isendrecv")
    body = """
        int next = (me + 1) % 4, last = (me + 3) % 4, nobody = MPI_PROC_NULL;
        MPI_Isendrecv(out, 10, MPI_CHAR, next, 1, in, 4000, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, &status);
        MPI_Isendrecv_replace(out, 20, MPI_CHAR, next, 2, last, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isendrecv(out, 30, MPI_CHAR, me == 3 ? nobody : next, 3, in, 30, MPI_CHAR, me ? last : nobody, 3,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isendrecv_c(out, 40, MPI_CHAR, next, 4, in, 40, MPI_CHAR, last, 4, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv_c(out, 50, MPI_CHAR, next, 5, in, 50, MPI_CHAR, last, 5, MPI_COMM_WORLD, &status);
        MPI_Sendrecv_replace_c(out, 60, MPI_CHAR, next, 6, last, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request both[2];
        MPI_Irecv_c(in, 70, MPI_CHAR, last, 7, MPI_COMM_WORLD, &both[0]);
        MPI_Isend_c(out, 70, MPI_CHAR, next, 7, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Recv_init_c(in, 80, MPI_CHAR, last, 8, MPI_COMM_WORLD, &both[0]);
        MPI_Send_init_c(out, 80, MPI_CHAR, next, 8, MPI_COMM_WORLD, &both[1]);
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        if (me % 2) {
            MPI_Recv_c(in, 4000, MPI_CHAR, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            MPI_Send_c(out, 90, MPI_CHAR, next, 9, MPI_COMM_WORLD);
    """
    sent = [(rank, (rank + 1) % 4, size, 1) for rank in range(4) for size in (10, 20, 40, 50, 60, 70, 80)]
    sent += [(rank, rank + 1, 30, 1) for rank in range(3)] + [(0, 1, 90, 1), (2, 3, 90, 1)]
    found = recorded(body, tmp_path, compiler)
    assert found["pairs"] == pairs(sent)
    assert (found["wildcards"], found["left_out"]) == (4, [])


def test_what_is_counted_only(compiler, tmp_path, netplace):
    body = """
        MPI_Win window;
        MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_lock_all(0, window);
        MPI_Raccumulate(out, 4, MPI_INT, (me + 1) % 4, 0, 4, MPI_INT, MPI_SUM, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush_all(window);
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    """
    expected = dict.fromkeys(
        ["win_create", "win_lock_all", "raccumulate", "win_flush_all", "win_unlock_all", "win_free"], 4
    )
    if has_mpi_4(compiler):
        body += """
            if (me < 2) {
                int part;
                if (me == 0)
                    MPI_Psend_init(out, 2, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
                else
                    MPI_Precv_init(in, 2, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
                MPI_Start(&request);
                if (me == 0) {
                    int second[] = {1};
                    MPI_Pready(0, request);
                    MPI_Pready_list(1, second, request);
                }
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
            }
        """
        expected |= {"psend_init": 1, "precv_init": 1, "pready": 1, "pready_list": 1}
    body += "MPI_Barrier(MPI_COMM_WORLD);"
    found = recorded(body, tmp_path, compiler)
    assert {row["operation"]: row["number"] for row in found["left_out"]} == expected
    target = tmp_path / "again.trace.gz"
    words = ["record", "-n", 4, "--mpicc", compiler, "-o", target, "--", tmp_path / "program"]
    told = " ".join(netplace(*words).stderr.split())
    assert "not replayable: 4 raccumulate, 4 win_create" in told.replace(
        "1 pready, 1 pready_list, 1 precv_init, 1 psend_init, ", ""
    )
    assert summary_of(open_trace(target)).as_data()["left_out"] == found["left_out"]


def test_what_is_said_to_processes_that_were_started_later_is_counted(compiler, tmp_path):
    body = """
        MPI_Comm parent, children, all;
        MPI_Comm_get_parent(&parent);
        if (parent == MPI_COMM_NULL) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Comm_spawn(words[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                           MPI_ERRCODES_IGNORE);
            if (me == 0)
                MPI_Send(out, 10, MPI_CHAR, 0, 1, children);
            MPI_Intercomm_merge(children, 0, &all);
            MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, all);
            MPI_Sendrecv(out, 5, MPI_CHAR, 1 - me, 2, in, 5, MPI_CHAR, 1 - me, 2, MPI_COMM_WORLD, &status);
            MPI_Comm_disconnect(&children);
        } else {
            MPI_Recv(in, 10, MPI_CHAR, 0, 1, parent, &status);
            MPI_Intercomm_merge(parent, 1, &all);
            MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, all);
            MPI_Comm_disconnect(&parent);
        }
        MPI_Comm_free(&all);
    """
    found = recorded(body, tmp_path, compiler, ranks=2)
    assert found["pairs"] == [[0, 1, 1, 5], [1, 0, 1, 5]]
    assert found["collectives"] == [{"operation": "barrier", "ranks": 2, "calls": 2, "bytes": 0}]
    assert {row["operation"]: row["number"] for row in found["left_out"]} == {
        "comm_spawn": 2,
        "beyond_world": 3,
    }
    assert found["notes"] == []


def test_communicators_of_the_same_ranks_are_told_apart(compiler, tmp_path):
    body = """
        MPI_Comm first, second;
        MPI_Request two[2];
        int other = me ^ 1;
        MPI_Comm_idup(MPI_COMM_WORLD, &first, &two[0]);
        MPI_Comm_idup(MPI_COMM_WORLD, &second, &two[1]);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
        MPI_Comm one = me % 2 ? second : first, another = me % 2 ? first : second;
        /* On one communicator one way, on the other one the other way. */
        MPI_Send(out, 10 + me, MPI_CHAR, other, 5, one);
        MPI_Send(out, 20 + me, MPI_CHAR, other, 5, another);
        MPI_Recv(in, 100, MPI_CHAR, other, 5, second, &status);
        MPI_Recv(in, 100, MPI_CHAR, other, 5, first, &status);
        MPI_Barrier(first);
        MPI_Ibarrier(second, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    """
    (tmp_path / "program.c").write_text(program(body))
    found = recorded(body, tmp_path, compiler)
    assert {row["ranks"] for row in found["collectives"]} == {4}
    trace = open_trace(tmp_path / "recording")
    calls = np.concatenate([batch.calls for batch in trace.batches])
    barriers = calls[calls["kind"] == 6]
    assert len(set(barriers["communicator"].tolist())) == 2
    sends, receives = (
        {
            (r, p, c): s
            for r, p, c, s in calls[calls["kind"] == kind][["rank", "peer", "communicator", "size"]].tolist()
        }
        for kind in (1, 3)
    )
    assert {(peer, rank, own): size for (rank, peer, own), size in receives.items()} == sends


# What takes a communicator, window, file, request or message and moves no data.
SILENT = r"""
    (Comm|Win|File)_(get|set|delete|free_keyval|create_keyval|create_errhandler|call_errhandler)\w*
    | \w+_(c2f|f2c|f082f|f2f08|c2f08|f082c|fromint|toint|get_attr|get_name|errhandler_\w+)
    | Comm_(rank|size|group|compare|remote_group|remote_size|test_inter|(flush|iflush|attach|detach)_buffer)
    | (Cart|Graph|Cartdim|Topo|Dist_graph)_(get|map|coords|rank|shift|test|neighbors|neighbors_count)
    | Graphdims_get | Keyval_\w+ | Attr_\w+ | Errhandler_\w+ | Pack\w* | Unpack\w*
    | (P|Ip)robe | Request_get_status\w* | Grequest_\w+ | T_\w+ | Get_\w+ | Status_\w+
    | Win_(shared_query|shared_query_c|get_group)
    | File_(seek|seek_shared|delete)
    | (Psend|Precv)_init_c
"""


def test_no_call_is_forgotten(compiler, tmp_path):
    takes = re.compile(
        r"\bint\s+MPI_(\w+)\s*\(([^;{]*?\bMPI_(?:Comm|Win|File|Request|Message)\b[^;{]*?)\)\s*(?:__attr|;)"
    )
    declared = {match[1] for match in takes.finditer(header(compiler))}
    assert {"Send", "Neighbor_alltoallw", "Put", "File_iwrite_at_all", "Comm_idup"} <= declared
    library = build_interposer(compiler, tmp_path)
    symbols = subprocess.run(["nm", "-D", library], check=True, capture_output=True, text=True).stdout
    defined = set(re.findall(r"\bT MPI_(\w+)", symbols))
    silent = re.compile(SILENT, re.VERBOSE)
    forgotten = sorted(name for name in declared - defined if not silent.fullmatch(name))
    assert forgotten == []
