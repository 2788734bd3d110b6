"""Small good files of every format, and command lines that read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from click.testing import CliRunner

__all__ = ["COMMANDS", "make_files"]

TEXTS = {
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
0 mark -1 0 iter 0 -1 0.0
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
1:1:0:0.5
20:1:0:5000:1
3:1:0:0:100:5:1:2
10:0:0:8:1:0:0:64:64
10:1:0:8:1:0:0:64:64
10:2:0:8:1:0:0:64:64
10:3:0:8:1:0:0:64:64
""",
    "jobs.csv": """# MaxNodes: 64
number,submit,nodes,run_time,estimate,application,intensity,repeats
1,0,16,0,,butterfly,low,2
2,5.5,4,100,200,,,1
3,7,8,50.25,,,,
4,9,64,10,20,,,3
5,9,1,1,1,,,1
""",
    "log.swf": "; MaxNodes: 64\n; MaxProcs: 64\n"
    + "".join(
        f"{job} {20 * job} -1 {run} {size} -1 -1 {size} {2 * run} -1 {status} -1 -1 -1 -1 -1 -1 -1\n"
        for job, (run, size, status) in enumerate(
            [(100, 4, 1), (0, 8, 5), (-1, 16, 5), (50, 64, 0), (10, 1, 1), (700, 33, 1), (3, 2, 1)], 1
        )
    ),
    "w.csv": "".join(",".join(str((3 * i + 7 * j) % 11) for j in range(16)) + "\n" for i in range(16)),
    "nodes.csv": "task,node\n" + "".join(f"{task},{15 - task}\n" for task in range(16)),
    "parts.txt": "0-3\n4,5,6,7 # second\n8-11\n12-15\n",
    "sweep.toml": """network = ["torus:4x4", "mesh:4x4"]
app = ["butterfly,packets=1", "waterfall,packets=2,rounds=2"]
tasks = 16
mapping = ["consecutive", "random"]
seeds = 2
max_cycles = 100000

[config]
vcs = [2, 3]

[[pairs]]
policy = ["smart", "shortest"]
bubble = [2, 1]
""",
    "several.toml": """network = "torus:4x4"
partition = "quadrants"
max_cycles = 100000
[[jobs]]
app = "butterfly"
tasks = 4
count = 2
[[jobs]]
trace = "m.trc"
start = 100
""",
    "study.toml": """machine = "torus:4x4x4"
workload = "lublin"
jobs = 20
load = [0.6, 0.8]
policy = ["fcfs", "easy"]
partition = ["contiguous", "non-contiguous"]
seeds = 2
""",
    "applications.toml": """machine = "torus:4x4"
workload = "applications"
jobs = 5
classes = "2d"
sizes = "small"
intensity = "low"
mean_gap = 1.5
times = "simulated:apps.sqlite"
""",
}  # fmt: skip

RUN = ("run", "--network", "torus:4x4", "--json", "--max-cycles", "3000000")
SCHEDULE = ("schedule", "--machine", "torus:4x4x4", "--json")
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "m.trace": [(*RUN, "--trace", "m.trace"), ("app", "m.trace", "--json"),
                (*RUN, "--trace", "m.trace", "--section", "timed"),
                (*RUN, "--trace", "m.trace", "--cpu-scale", "1"),
                (*RUN, "--jobs", "2x:m.trace", "--iterations", "0:1", "--engine", "reference")],
    "m.trc": [(*RUN, "--trace", "m.trc"), ("app", "m.trc", "--write", "out.trace.gz"),
              (*RUN, "--trace", "m.trc", "--rendezvous", "100")],
    "m.dim": [(*RUN, "--trace", "m.dim"), ("app", "m.dim"), (*RUN, "--trace", "m.dim", "--cpu-scale", "1")],
    "jobs.csv": [(*SCHEDULE, "--workload", "jobs.csv", "--policy", "easy"), ("workload", "info", "jobs.csv"),
                 (*SCHEDULE, "--workload", "jobs.csv", "--times", "simulated:s.sqlite"),
                 ("workload", "info", "jobs.csv", "-o", "p.svg")],
    "log.swf": [(*SCHEDULE, "--workload", "log.swf", "--policy", "easy", "--overrun", "kill"),
                ("workload", "info", "log.swf", "--json"), (*SCHEDULE, "--workload", "log.swf", "-o", "out"),
                (*SCHEDULE, "--workload", "log.swf", "--policy", "conservative", "--drop", "failed")],
    "w.csv": [("map", "--network", "torus:4x4", "--from", "w.csv", "--mapping", "consecutive", "--json")],
    "w.npz": [("map", "--network", "torus:4x4", "--from", "w.npz", "--mapping", "consecutive", "--json")],
    "w.npy": [("map", "--network", "torus:4x4", "--from", "w.npy", "--mapping", "td:iterations=2", "--json")],
    "nodes.csv": [(*RUN, "--app", "2d-torus,rounds=2", "--mapping", "file:nodes.csv")],
    "parts.txt": [(*RUN, "--jobs", "4x", "butterfly,tasks=4", "--partition", "nodes:parts.txt")],
    "sweep.toml": [("table", "sweep.toml", "--workers", "1", "--json", "--store", "x.sqlite")],
    "several.toml": [("table", "several.toml", "--workers", "1", "--runs")],
    "study.toml": [("schedule", "study.toml", "--json")],
    "applications.toml": [("schedule", "applications.toml")],
    "t.csv": [("plot", "t.csv", "-o", "x.svg", "--bars", "settings"), ("plot", "t.csv", "-o", "x.png"),
              ("table", "diff", "t.csv", "runs.csv"),
              ("schedule", "--machine", "mesh:4x4", "--workload", "jobs.csv", "--times", "table:t.csv")],
    "runs.csv": [("table", "diff", "runs.csv", "t.csv", "--json"), ("plot", "runs.csv", "-o", "x.svg")],
    "t.parquet": [("plot", "t.parquet", "-o", "x.svg"), ("table", "diff", "t.parquet", "t.csv")],
    "sweep.sqlite": [("table", "sweep.sqlite", "--json"), ("table", "sweep.sqlite", "--runs"),
                     ("table", "sweep.toml", "--workers", "1"), ("table", "--verify", "sweep.sqlite"),
                     (*SCHEDULE, "--workload", "jobs.csv", "--times", "table:sweep.sqlite")],
}  # fmt: skip


def make_files(folder: Path) -> None:
    """Write the good files; those that netplace makes are made by it."""
    from netplace.cli import app
    from netplace.report.terminal.compiling import load_engine

    load_engine("kernel")  # compiling is no part of an input
    for network in ("torus:4x4", "tree:4,2", "mesh:4x4"):
        CliRunner().invoke(app, ["run", "--network", network, "--app", "butterfly", "--tasks", "16"])
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    W = (3 * np.arange(16)[:, None] + 7 * np.arange(16)) % 11
    np.save(folder / "w.npy", W)
    np.savez_compressed(folder / "w.npz", W=W)
    sweep = str(folder / "sweep.toml")
    for more in (
        ("--csv", str(folder / "t.csv"), "--parquet", str(folder / "t.parquet")),
        ("--csv", str(folder / "runs.csv"), "--runs"),
    ):
        made = CliRunner().invoke(app, ["table", sweep, "--workers", "1", *more])
        assert made.exit_code == 0, made.output
