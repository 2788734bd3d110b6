"""The settings of schedules, co-simulations and loads; help needs them, and loads nothing that simulates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from netplace.checks.settings import Setting

JOBS, COSIM_JOBS = 10_000, 200  # of a model of a workload
OF_TABLES = ("simulate", "mappings", "table_seeds", "separate_repeats", "scattered_factor")
_UNUSED = ("times", *OF_TABLES, "locality", "power", "switching", "mapping", "repeats")  # by co-simulations
_of_jobs, _of_rules = partial(Setting, panel="Jobs"), partial(Setting, panel="Rules")


def _jobs_of(of_model: int) -> Setting:
    """Return the setting of the number of jobs, of which a model gives so many by default."""
    text = f"Number of jobs of a model [default: {of_model}]; for a file, the first jobs to use."
    return _of_jobs(text, int, least=1)


SCHEDULE_SETTINGS = {
    "machine": _of_jobs(
        "Network of the machine, such as torus:32x32x32; see netplace list networks.",
        metavar="NETWORK",
        required="a network such as torus:32x32x32",
    ),
    "workload": _of_jobs(
        "Workload: lublin, applications, or a file (.swf or .csv, also with .gz).",
        metavar="NAME|FILE",
        required="lublin or applications, or a file such as log.swf.gz",
    ),
    "jobs": _jobs_of(JOBS),
    "load": _of_jobs("Load of lublin, or of a file of jobs.", float, least=1e-9, most=1e9),
    "kind": _of_jobs("Job class of lublin: batch, interactive, both or whole."),
    "classes": _of_jobs("Applications: collectives, 2d, 3d, miscellaneous or mixed.", metavar="A,B,.."),
    "sizes": _of_jobs("Sizes of applications: small, medium or large."),
    "intensity": _of_jobs("Messages of applications: low, medium, high or any."),
    "mean_interarrival": _of_jobs(
        "Mean time between submissions of applications. [default: all at once]",
        float,
        metavar="SECONDS",
        least=0,
        most=2.0**53,
    ),
    "repeats": _of_jobs("Range of repetitions of each application, LEAST:MOST.", metavar="LEAST:MOST"),
    "applications": _of_jobs(
        "Applications and communication shares of the jobs of a log (TOML).", metavar="MIX.toml"
    ),
    "cores_per_node": _of_jobs(
        "Processors per node, by which netplace divides sizes in a log.", int, least=1
    ),
    "drop": _of_jobs("Jobs of a log to omit, or none. [default: never-ran]", metavar="A,B,.."),
    "policy": _of_rules("Scheduling policy; see netplace list scheduling.", default="fcfs"),
    "site": _of_rules("Rules of a site (TOML) instead of a policy, such as fair share.", metavar="FILE"),
    "partition": _of_rules("Allocator, such as contiguous.", default="non-contiguous"),
    "installed": _of_rules("Number of nodes to use, the first ones. [default: all]", int, least=1),
    "max_outside": _of_rules(
        "Largest share of nodes outside, for quasi-contiguous and nearly-contiguous.",
        float,
        metavar="PERCENT",
    ),
    "times": _of_rules(
        "Run times: log, scaled:0.8, slowed:1.3, penalty:linear,0.1, or table:FILE (a run-time table or a "
        "store).",
        default="log",
    ),
    "simulate": _of_rules("Simulate the run times that a store of --times table:STORE lacks.", bool),
    "mapping": _of_rules("Mapping whose run times a table provides; best-known is the fastest."),
    "mappings": _of_rules(
        "Mappings among which best-known chooses. [default: those of the table; to simulate, consecutive, "
        "random, classic and td]",
        metavar="A,B,..",
    ),
    "table_seeds": _of_rules("Seeds of each run time that is simulated.", int, 1, least=1, most=1000),
    "separate_repeats": _of_rules(
        "Let each repetition of a program take as long as a single run, as published studies do.", bool
    ),
    "scattered_factor": _of_rules(
        "Run time outside any box or subtree of the table, relative to the longest in a box.",
        float,
        least=1e-3,
        most=1e6,
    ),
    "estimates": _of_rules(
        "Estimates of jobs without one: run-time, infinite, fixed:SECONDS or factor:F.",
        default="run-time",
        metavar="RULE",
    ),
    "overrun": _of_rules("Action on jobs that exceed their estimate: keep, kill or requeue.", default="keep"),
    "locality": _of_rules("Measure the distances between the nodes of each job.", bool),
    "power": _of_rules("Power model of a node (TOML), or taurus; adds the energy.", metavar="FILE"),
    "switching": _of_rules(
        "Rule that switches nodes off: timeout:300, reserve:8,300, lookahead:300 or plan:late=2. [default: "
        "the file's]",
        metavar="RULE",
    ),
}

COSIM_SETTINGS = {name: setting for name, setting in SCHEDULE_SETTINGS.items() if name not in _UNUSED} | {
    "jobs": _jobs_of(COSIM_JOBS),
    "repeats": replace(SCHEDULE_SETTINGS["repeats"], default="1:1"),
    "mapping": _of_rules("Mapping of tasks to the nodes of each job.", default="consecutive"),
    "fidelity": _of_rules("Fidelity of run times: table, sampled or live.", default="live"),
    "collectives": _of_jobs(
        "Selection table of collective algorithms: builtin, openmpi, mpich, nccl or FILE.toml.",
        default="builtin",
        metavar="TABLE",
    ),
    "bytes_per_phit": Setting(
        "Bytes per phit; cycles become longer by the same factor.", int, panel="Network settings", least=1
    ),
    "target_half_width": _of_rules("Target relative half-width of estimated times.", float, 0.02),
    "max_packets": _of_rules("Largest number of simulated packets. [default: 1e11, which takes days]", float),
    "draws": _of_rules(
        "Live runs with the same starts, which measure random variation, or auto: by --target-half-width.",
        int | str,
        1,
    ),
    "estimate_factor": _of_rules("Ratio of the estimate to the run time alone.", float, 1.5),
    "explain": Setting(
        "Charge each cycle in which a packet waits to the job that blocks it (fidelity live); up to four "
        "times slower.",
        bool,
        panel="Results",
    ),
}

LOAD_SETTINGS = {
    "network": Setting(
        "Network, such as torus:8x8; see netplace list networks. Repeatable, one curve each.",
        panel="What runs",
        metavar="NETWORK",
        required="a network such as torus:8x8",
        repeatable=True,
    ),
    "traffic": Setting("Traffic pattern; see netplace list traffic.", str, "uniform", "What runs"),
    "offered": Setting(
        "Phits per node and cycle: FROM:TO:STEP, a list A,B,C or one value.",
        str | float,
        "0.1:1.0:0.1",
        "What runs",
        "LOADS",
    ),
    "warmup": Setting("Cycles before the measurement.", int, 1000, least=0),
    "measure": Setting(
        "Cycles of the measurement. [default: 8,000,000 / nodes, at least 2,000]", int, least=1
    ),
    "hot_node": Setting("Node of hot-spot traffic. [default: the middle one]", int),
    "hot_share": Setting("Share of the traffic that goes to the hot spot.", float, 0.1),
    "engine": Setting("Engine: kernel (compiled) or reference (readable, slow).", str, "kernel"),
}
