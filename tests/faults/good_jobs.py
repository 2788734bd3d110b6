"""Small good files of jobs, sites and studies, and command lines that read them."""

__all__ = ["COMMANDS", "TEXTS"]

_JOBS = [(100, 4, 1), (0, 8, 5), (-1, 16, 5), (50, 64, 0), (10, 1, 1), (700, 33, 1), (3, 2, 1)]
TEXTS = {
    "jobs.csv": """# MaxNodes: 64
number,submit,nodes,run_time,estimate,application,intensity,repeats
1,0,16,0,,butterfly,low,2
2,5.5,4,100,200,,,1
3,7,8,50.25,,,,
4,9,64,10,20,,,3
5,9,1,1,1,,,1
""",
    "apps.csv": """# MaxNodes: 16
number,submit,nodes,run_time,estimate,application,intensity,repeats
1,0,16,0,,butterfly,low,2
2,0,4,0,,2d-torus,low,1
3,0,8,0,,waterfall,low,2
""",
    "log.swf": "; MaxNodes: 64\n; MaxProcs: 64\n"
    + "".join(
        f"{job} {20 * job} -1 {run} {size} -1 -1 {size} {max(2 * run, -1)} -1 {status} 1 1 1 1 -1 -1 -1\n"
        for job, (run, size, status) in enumerate(_JOBS, 1)
    ),
    "sacct.txt": "JobID|Submit|Start|End|Elapsed|NNodes|Timelimit|State|User|Partition\n"
    + "".join(
        f"{job}|2026-01-01T00:00:{10 + job}|2026-01-01T00:01:{10 + job}|2026-01-01T01:01:{10 + job}|01:00:00|"
        f"{job}|1-00:00:00|{state}|ann|short\n{job}.batch||||00:00:01|1||COMPLETED||\n"
        for job, state in enumerate(("COMPLETED", "TIMEOUT", "CANCELLED by 7", "FAILED"), 1)
    ),
    "sacct.json": """{"jobs": [{"job_id": 7, "allocation_nodes": 4, "user": "ann", "partition": "short",
"time": {"submission": 100, "start": 110, "end": 210, "elapsed": 100,
"limit": {"set": true, "infinite": false, "number": 5}}, "state": {"current": ["COMPLETED"]}}]}
""",
    "small.swf": "; MaxNodes: 16\n; UnixStartTime: 0\n"
    + "".join(
        f"{job} {20 * job} -1 {20 + job} {1 + job % 4} -1 -1 {1 + job % 4} "
        f"60 -1 1 {job % 3} 1 1 1 -1 {job - 1} 5\n"
        for job in range(1, 8)
    ),
    "site.toml": """order = "fair-share"
half_life = 3600
dependencies = true
prediction = true

[[queue]]
name = "short"
numbers = [1]
most_seconds = 100
priority = 5

[[queue]]
name = "rest"

[[window]]
name = "maintenance"
begin = 30
end = 90

[failures]
file = "outages.csv"
""",
    "outages.csv": "node,begin,end\n0,95,200\n3,20,40\n",
    "power.toml": """[nodes]
busy = 190.738
idle = 95
off = 9.75
boot_watts = 125.1744
boot_seconds = 151.52
stop_watts = 100.9967
stop_seconds = 6.1
keep = 0

[switching]
rule = "timeout:300"
boot_rate = 0
stop_rate = 0
awake = true
""",
    "tasks.csv": "task,cpu,gpu\na,8,2\nb,31,7\nc,31,5\nd,21,5\ne,5,5\n",
    "mix.toml": """communication = 0.25

[[class]]
application = "2d-torus,packets=4"
nodes = "2:"
weight = 3

[[class]]
application = "butterfly,packets=4"
communication = [0.1, 0.2]
run_time = "50:"
round = "down"
""",
    "study.toml": """machine = ["mesh:4x4", "torus:4x4"]
workload = "log.swf"
policy = ["fcfs", "easy"]
partition = ["contiguous", "non-contiguous"]
times = "slowed:1.3"
seeds = 2
""",
    "applications.toml": """machine = "torus:4x4"
workload = "applications"
jobs = 5
classes = "2d"
sizes = "small"
intensity = "low"
mean_interarrival = 1.5
times = "simulated:apps.sqlite"
""",
    "costudy.toml": """machine = "torus:4x4"
workload = "apps.csv"
policy = ["fcfs", "easy"]
partition = ["non-contiguous", "random"]
fidelity = "live"
seeds = 1
""",
    "sweep.toml": """network = ["torus:4x4", "mesh:4x4"]
app = ["butterfly,packets=1", "waterfall,packets=2,rounds=2"]
tasks = 16
mapping = ["consecutive", "random"]
seeds = 2
max_cycles = 100000

[config]
vcs = [2, 3]

[[pairs]]
vc_policy = ["smart", "shortest"]
bubble = [2, 1]
""",
    "several.toml": """network = "torus:4x4"
partition = "quadrants"
max_cycles = 100000

[[jobs]]
app = "butterfly,packets=1"
tasks = 4
count = 3

[[jobs]]
trace = "m.trc"
start = 10
""",
}
SCHEDULE = ("schedule", "--machine", "torus:4x4x4", "--json")
COSIM = ("cosim", "--machine", "torus:4x4", "--max-packets", "1e6", "--json")
SITE = ("schedule", "--site", "site.toml", "--machine", "mesh:16", "--workload", "small.swf", "--json")
POWER = ("schedule", "--machine", "mesh:16", "--workload", "small.swf", "--json", "--power", "power.toml")

COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "jobs.csv": [
        (*SCHEDULE, "--workload", "jobs.csv", "--policy", "easy"),
        ("workload", "info", "jobs.csv"),
        (*SCHEDULE, "--workload", "jobs.csv", "--times", "simulated:s.sqlite"),
        ("workload", "info", "jobs.csv", "-o", "p.svg"),
        (*COSIM, "--workload", "jobs.csv", "--applications", "mix.toml", "--fidelity", "mixes"),
    ],
    "apps.csv": [
        (*COSIM, "--workload", "apps.csv"),
        (*COSIM, "--workload", "apps.csv", "-o", "out", "--explain"),
    ],
    "log.swf": [
        (*SCHEDULE, "--workload", "log.swf", "--policy", "easy", "--overrun", "kill"),
        ("workload", "info", "log.swf", "--json"),
        (*SCHEDULE, "--workload", "log.swf", "-o", "out"),
        (*SCHEDULE, "--workload", "log.swf", "--policy", "conservative", "--drop", "failed"),
        ("backfill", "--platform", "1-2-4-16", "--workload", "log.swf", "--json"),
        ("redirect", "--workload", "log.swf", "--machine", "64", "--json"),
        ("redirect", "--workload", "log.swf", "--machine", "64", "--days", "0.001", "--instances", "2"),
    ],
    "sacct.txt": [(*SCHEDULE, "--workload", "sacct.txt"), ("workload", "info", "sacct.txt", "--json")],
    "sacct.json": [("workload", "info", "sacct.json", "--json")],
    "small.swf": [
        SITE,
        POWER,
        (*COSIM, "--workload", "small.swf", "--applications", "mix.toml", "--fidelity", "mixes"),
        (*COSIM, "--workload", "small.swf", "--applications", "mix.toml", "--fidelity", "sampled"),
        (
            "backfill",
            "--platform",
            "1-2-4-8",
            "--workload",
            "small.swf",
            "--rule",
            "basic",
            "--rows",
            "rows.csv",
        ),
    ],
    "site.toml": [
        SITE,
        (*SITE, "--rows", "rows.csv"),
        ("schedule", "--machine", "mesh:16", "--workload", "small.swf", "--site", "site.toml", "--json"),
        (*COSIM, "--workload", "apps.csv", "--site", "site.toml"),
    ],
    "outages.csv": [SITE, SITE[:-1]],
    "power.toml": [
        POWER,
        (*POWER, "--switching", "reserve:2,100", "-o", "out"),
        POWER[:5] + POWER[6:],
        (*COSIM, "--workload", "apps.csv", "--power", "power.toml"),
    ],
    "tasks.csv": [
        ("two-kinds", "--tasks", "tasks.csv", "--cpus", "2", "--gpus", "2", "--optimum", "--json"),
        (
            "two-kinds",
            "--tasks",
            "tasks.csv",
            "--cpus",
            "2",
            "--gpus",
            "2",
            "--step",
            "greedy",
            "--rows",
            "r.csv",
        ),
    ],
    "mix.toml": [
        (*COSIM, "--workload", "small.swf", "--applications", "mix.toml", "--fidelity", "mixes"),
        (*COSIM, "--workload", "small.swf", "--applications", "mix.toml", "--fidelity", "table"),
    ],
    "study.toml": [
        ("schedule", "study.toml", "--json", "--workers", "1"),
        ("schedule", "study.toml", "-o", "out"),
    ],
    "applications.toml": [("schedule", "applications.toml", "--workers", "1")],
    "costudy.toml": [
        ("cosim", "costudy.toml", "--json", "--workers", "1"),
        ("cosim", "costudy.toml", "-o", "out"),
    ],
    "sweep.toml": [("table", "sweep.toml", "--workers", "1", "--json", "--store", "x.sqlite")],
    "several.toml": [("table", "several.toml", "--workers", "1", "--runs")],
}
