"""Small good traces of every format that is read, and command lines that read them."""

from pathlib import Path

import numpy as np
from good_archives import ARCHIVES

from netplace.apps.formats.recording import ENTRY

__all__ = ["COMMANDS", "TEXTS", "make_traces"]

TEXTS = {
    **{
        f"pmpi-trace-rank-{rank}.txt": "# trace\nMPI_Init:-:140:141:1000\n"
        f"MPI_Irecv:1010:1:100:LOG_MPI_INT,4,4:{1 - rank}:7:91,{rank},2:5000:1012\n"
        f"MPI_Send:1020:1:100:LOG_MPI_INT,4,4:{1 - rank}:7:91,{rank},2:1022\n"
        f"MPI_Wait:1030:5000:6000:1032\nMPI_Allreduce:1040:1:2:3:10,8,8:4:91,{rank},2:1042\n"
        "MPI_Finalize:1050:1052\n"
        for rank in range(2)
    },
    "m.trace": """# small; tasks 4; columns: rank op peer bytes tag comm req gap_us
0 comm -1 4 0 1 0,1,2,3 0.0
1 comm -1 4 0 1 0,1,2,3 0.0
2 comm -1 4 0 1 0,1,2,3 0.0
3 comm -1 4 0 1 0,1,2,3 0.0
0 mark 0 0 timed_begin 0 -1 0.0
1 mark 0 0 timed_begin 0 -1 0.0
2 mark 0 0 timed_begin 0 -1 0.0
3 mark 0 0 timed_begin 0 -1 0.0
0 mark 0 0 iter 0 -1 0.0
1 mark 0 0 iter 0 -1 0.0
2 mark 0 0 iter 0 -1 0.0
3 mark 0 0 iter 0 -1 0.0
0 send 1 512 7 0 -1 12.5
1 irecv 0 512 7 0 3 0.0
1 wait -1 0 0 0 3 1.0
2 coll 0 64 bcast 1 -1 0.0
0 coll 0 64 bcast 1 -1 2.5
1 coll 0 64 bcast 1 -1 0.0
3 coll 0 64 bcast 1 -1 0.0
0 coll 0 0 alltoallv 0 64,0,64,128 0.0
1 coll 0 0 alltoallv 0 64,0,64,128 0.0
2 coll 0 0 alltoallv 0 0,0,64,128 0.0
3 coll 0 0 alltoallv 0 64,0,0,128 0.0
3 compute -1 100 0 0 -1 0.0
0 mark 0 0 timed_end 0 -1 0.0
1 mark 0 0 timed_end 0 -1 0.0
2 mark 0 0 timed_end 0 -1 0.0
3 mark 0 0 timed_end 0 -1 0.0
""",
    "m.trc": """# tasks 4
s 0 1 5 128
r 0 1 5 128
c 2 1000
s 2 3 0 64
r 2 3 0 64
s 3 0 1 640
r 3 0 1 640
""",
    "m.dim": """#DIMEMAS:"example.dim":1,00000000042:4(1,1,1,1),2
d:1:1:4:0:1:2:3
d:1:2:2:3:1
s:0:17
d:2:1:file
1:0:0:0.000100
2:0:0:1:100:5:1:0
3:1:0:0:100:5:1:1
1:1:0:0.0005
20:1:0:5000:1
3:1:0:0:100:5:1:2
10:0:0:8:1:0:0:64:64
10:1:0:8:1:0:0:64:64
10:2:0:8:1:0:0:64:64
10:3:0:8:1:0:0:64:64
""",
    "m.goal": """// what comes first stands last
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
""",
    "m.prv": """#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1
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
""",
    "m.pcf": """EVENT_TYPE
9    50000001    MPI Point-to-point
VALUES
3   MPI_Send
2   MPI_Recv
5   MPI_Wait
0   Outside MPI
""",
    "m.tit": """0 init
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
0 bcast 8 1
1 bcast 8 1
0 finalize
1 finalize
""",
    "m.simai": (
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8 "
        "checkpoints: 0\n"
        "2\n"
        "attention -1 3000 ALLREDUCE 1000 2000 ALLGATHER 800 1000 REDUCESCATTER 4000 100\n"
        "mlp -1 0 ALLTOALL_EP 600 0 NONE 0 0 ALLREDUCE_DP_EP 64 0\n"
    ),
    "pairs.csv": "# bytes by pair\nsource,destination,messages,bytes\n0,1,1,100\n1,2,2,101\n2,0,1,7\n",
    "table.toml": """base = "openmpi"
blocks = ["allgather"]
allreduce = [
    {ranks = [2, 16], bytes = [0, 4095], algorithm = "recursive_doubling"},
    {power_of_two = true, algorithm = "rabenseifner"},
    {algorithm = "segmented_ring", segment = 65536},
]
bcast = [{algorithm = "chain", fanout = 2, segment = 16}]
""",
}

RUN = ("run", "--network", "torus:4x4", "--json", "--max-cycles", "3000000")
_READ_BY = ("m.goal", "m.prv", "m.pcf", "m.tit", "m.simai", "pairs.csv", "dumpi/run-0000.txt", "job.0.et",
            "rec.recording/rank-0000000.calls", "rec.recording/rank-0000001.lists")  # fmt: skip
_NAMED_BY = {**ARCHIVES, "m.pcf": "m.prv", "rec.recording/rank-0000000.calls": "rec.recording",
             "rec.recording/rank-0000001.lists": "rec.recording"}  # fmt: skip


def _reading(trace: str) -> list[tuple[str, ...]]:
    """Return command lines that read a trace in all its ways."""
    return [
        (*RUN, "--trace", trace, "--compute", "recorded"),
        ("trace", "info", trace, "--json"),
        ("trace", "info", trace),
        ("trace", "convert", trace, "-o", "out.trace.gz", "--ignore", "one-sided,io"),
        ("trace", "convert", trace, "-o", "out.goal"),
        ("trace", "convert", trace, "-o", "out.tit", "--ignore", "one-sided,io"),
        ("trace", "cut", trace, "-o", "out.trace", "--ranks", "0-1", "--ignore", "one-sided,io"),
        ("trace", "cut", trace, "-o", "out.trace", "--from", "0", "--to", "0.001"),
        ("metrics", "--network", "torus:4x4", "--trace", trace, "--configurations", "2", "--json"),
    ]


COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "pmpi-trace-rank-1.txt": [
        (*RUN, "--trace", "pmpi-trace-rank-0.txt"),
        ("trace", "info", "pmpi-trace-rank-1.txt", "--json"),
    ],
    "m.trace": [
        (*RUN, "--trace", "m.trace"),
        ("app", "m.trace", "--json"),
        (*RUN, "--trace", "m.trace", "--section", "timed"),
        (*RUN, "--trace", "m.trace", "--collectives", "openmpi"),
        (*RUN, "--jobs", "2x:m.trace", "--iterations", "0:0", "--engine", "reference"),
        *_reading("m.trace"),
        ("trace", "cut", "m.trace", "-o", "out.trace", "--iterations", "0:0"),
    ],
    "m.trc": [
        ("app", "m.trc", "--write", "out.trace.gz"),
        (*RUN, "--trace", "m.trc", "--eager-limit", "100"),
        (*RUN, "--trace", "m.trc", "--critical-path", "--timeline", "t.json", "--window", "100"),
        *_reading("m.trc"),
    ],
    "m.dim": [("app", "m.dim"), *_reading("m.dim")],
    **{name: _reading(_NAMED_BY.get(name, name)) for name in (*_READ_BY, *ARCHIVES)},
    "table.toml": [
        (*RUN, "--trace", "m.trace", "--collectives", "table.toml"),
        (
            "collective",
            "allreduce",
            "--ranks",
            "8",
            "--bytes",
            "4096",
            "--collectives",
            "table.toml",
            "--json",
        ),
        ("collective", "bcast", "--ranks", "5", "--bytes", "100", "--collectives", "table.toml"),
    ],
}


def make_traces(folder: Path) -> None:
    """Write the traces of several files, and those that are no text."""
    (folder / "dumpi").mkdir()
    for rank, call in enumerate(("Send", "Recv", "Init_thread")):
        (folder / "dumpi" / f"run-{rank:04d}.txt").write_text(_dumpi(call, 1 - rank))
    for npu in range(2):
        (folder / f"job.{npu}.et").write_bytes(_chakra(1 - npu))
    (folder / "rec.recording").mkdir()
    for rank in range(2):
        _record(folder / "rec.recording" / f"rank-{rank:07d}.calls", rank)


def _dumpi(call: str, peer: int) -> str:
    """Return what dumpi2ascii writes of a rank."""
    partner = f"int {'dest' if call == 'Send' else 'source'}={peer}"
    message = ["int count=8", "MPI_Datatype datatype=9", partner, "int tag=5", "MPI_Comm comm=2"]
    calls = [("Init", []), ("Comm_size", ["MPI_Comm comm=2", "int size=3"])]
    calls += [(call, message + ["MPI_Status status=<IGNORED>"] * (call == "Recv"))] if peer >= 0 else []
    lines = ["version=1.0.0", "starttime=Thu Feb  3 16:05:56 2011"]
    for now, (name, arguments) in enumerate([*calls, ("Finalize", [])], 1):
        stamp = f"0.{now:09d}"
        for word in ("entering", "returning"):
            lines.append(f"MPI_{name} {word} at walltime {stamp}, cputime {stamp} seconds in thread 0.")
            lines += arguments if word == "entering" else []
    return "\n".join([*lines, "Datatype 9 (MPI_INT) has size 4"]) + "\n"


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _text(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _chakra(peer: int) -> bytes:
    """Return an execution trace that receives, computes on that and sends before."""

    def node(identity: int, kind: int, needs: bytes = b"", **attributes: int) -> bytes:
        body = _varint(1 << 3) + _varint(identity) + _varint(3 << 3) + _varint(kind)
        body += (_text(5, needs) if needs else b"") + _varint(7 << 3) + _varint(7)
        for name, value in attributes.items():
            body += _text(10, _text(1, name.encode()) + _varint(9 << 3) + _varint(value))
        return body

    messages = [
        _text(1, b"0.0.4"),
        node(1, 6, comm_src=peer, comm_size=500, comm_tag=3),
        node(2, 4, needs=b"\1"),
        node(3, 5, comm_dst=peer, comm_size=500, comm_tag=3),
        node(4, 7, needs=b"\3", comm_type=0, comm_size=1000),
    ]
    return b"".join(_varint(len(message)) + message for message in messages)


def _record(path: Path, rank: int) -> None:
    """Write what the interposer writes of a rank: one message, and an allreduce."""
    begun, communicator, send, receive, collective, finalized = 12, 7, 1, 3, 6, 10
    rows = [
        {"kind": begun, "peer": rank, "size": 2, "request": 1, "list": int.from_bytes(b"netplace", "little")},
        {"kind": communicator, "size": 2, "request": 1, "numbers": 2},
        {"kind": receive if rank else send, "peer": 1 - rank, "size": 100, "tag": 7, "list": 2},
        {"kind": collective, "operation": 11, "peer": -1, "size": 8, "list": 2},
        {"kind": finalized, "list": 2},
    ]
    table = np.zeros(len(rows), ENTRY)
    table["request"] = -1
    for place, row in enumerate(rows):
        for name, value in row.items():
            table[name][place] = value
        table["begin"][place] = table["end"][place] = 1000 * place
    path.write_bytes(table.tobytes())
    path.with_suffix(".lists").write_bytes(np.arange(2).tobytes())
