"""The settings of schedules, co-simulations and loads; help needs them, and loads nothing that simulates.

A setting is one field; its flag, its key in files, its check and its place in the plan and the key follow.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

from netplace.settings import Setting, Settings, settings_of

JOBS, COSIM_JOBS = 10_000, 200  # of a model of a workload
OF_TABLES = ("simulate", "mappings", "table_seeds", "separate_repeats", "equal_rotations", "scattered_factor")
_UNUSED = (*OF_TABLES, "hours", "times", "locality", "power", "switching")  # by co-simulations
_job, _rule = partial(Setting, panel="Jobs"), partial(Setting, panel="Rules")
_what = partial(Setting, panel="What runs")
_APPLICATIONS = _job("Applications and communication shares of the jobs of a log (TOML).", metavar="MIX.toml")
_JOBS = "Number of jobs of a model [default: {}]; for a file, the first jobs to use."


class WorkloadSettings(Settings, frozen=True):
    """The machine, the workload, and the options of its model or of the reader of its file."""

    machine: Annotated[
        str,
        _job(
            "Network of the machine, such as torus:32x32x32; see netplace list networks. With nodes:tasks=T, "
            "the nodes of a job are hosts with T tasks each.",
            metavar="NETWORK",
            required="a network such as torus:32x32x32",
        ),
    ]
    workload: Annotated[
        str,
        _job(
            "Workload: lublin, applications, or a file (.swf or .csv, also with .gz).",
            metavar="NAME|FILE",
            required="lublin or applications, or a file such as log.swf.gz",
        ),
    ]
    jobs: Annotated[int | None, _job(_JOBS.format(JOBS), minimum=1)] = None
    load: Annotated[
        float | None, _job("Load of lublin, or of a file of jobs.", minimum=1e-9, maximum=1e9)
    ] = None
    kind: Annotated[str | None, _job("Job class of lublin: batch, interactive, both or whole.")] = None
    classes: Annotated[
        str | None,
        _job("Applications: collectives, 2d, 3d, miscellaneous or mixed.", metavar="A,B,.."),
    ] = None
    sizes: Annotated[str | None, _job("Sizes of applications: small, medium or large.")] = None
    intensity: Annotated[str | None, _job("Messages of applications: low, medium, high or any.")] = None
    mean_interarrival: Annotated[
        float | None,
        _job(
            "Mean time between submissions of applications. [default: all at once]",
            metavar="SECONDS",
            minimum=0,
            maximum=2.0**53,
        ),
    ] = None
    repeats: Annotated[
        str | None,
        _job("Range of repetitions of each application, LEAST:MOST.", metavar="LEAST:MOST"),
    ] = None
    hours: Annotated[
        str | None,
        _job(
            "Instead of repetitions: run time in a compact place with the consecutive mapping.",
            metavar="LEAST:MOST",
        ),
    ] = None
    cores_per_node: Annotated[
        int | None,
        _job("Processors per node, by which netplace divides sizes in a log.", minimum=1),
    ] = None
    drop: Annotated[
        str | None,
        _job("Jobs of a log to omit, or none. [default: never-ran]", metavar="A,B,.."),
    ] = None


class ScheduleSettings(WorkloadSettings, frozen=True):
    """The settings of a schedule."""

    applications: Annotated[str, _APPLICATIONS] = ""
    policy: Annotated[str, _rule("Scheduling policy; see netplace list scheduling.")] = "fcfs"
    site: Annotated[
        str, _rule("Rules of a site (TOML) instead of a policy, such as fair share.", metavar="FILE")
    ] = ""
    partition: Annotated[str, _rule("Allocator, such as contiguous.")] = "non-contiguous"
    installed: Annotated[
        int | None, _rule("Number of nodes to use, the first ones. [default: all]", minimum=1)
    ] = None
    times: Annotated[
        str,
        _rule(
            "Run times: log, scaled:0.8, slowed:1.3, penalty:linear,0.1, or table:FILE (a run-time table or "
            "a store)."
        ),
    ] = "log"
    simulate: Annotated[bool, _rule("Simulate the run times that a store of --times table:STORE lacks.")] = (
        False
    )
    mapping: Annotated[str, _rule("Mapping whose run times a table provides; best-known is the fastest.")] = (
        "consecutive"
    )
    mappings: Annotated[
        str,
        _rule(
            "Mappings among which best-known chooses. [default: those of the table; to simulate, "
            "consecutive, random, classic and td]",
            metavar="A,B,..",
        ),
    ] = ""
    table_seeds: Annotated[
        int, _rule("Seeds of each run time that is simulated.", minimum=1, maximum=1000)
    ] = 1
    separate_repeats: Annotated[
        bool,
        _rule("Let each repetition of a program take as long as a single run, as published studies do."),
    ] = False
    equal_rotations: Annotated[
        bool, _rule("Let boxes with the same sides take the same time, that of the longest side first.")
    ] = False
    scattered_factor: Annotated[
        float | None,
        _rule(
            "Run time outside any box or subtree of the table, relative to the longest in a box.",
            minimum=1e-3,
            maximum=1e6,
        ),
    ] = None
    estimates: Annotated[
        str,
        _rule(
            "Estimates of jobs without one: run-time, infinite, fixed:SECONDS or factor:F.", metavar="RULE"
        ),
    ] = "run-time"
    overrun: Annotated[str, _rule("Action on jobs that exceed their estimate: keep, kill or requeue.")] = (
        "keep"
    )
    locality: Annotated[bool, _rule("Measure the distances between the nodes of each job.")] = False
    power: Annotated[
        str, _rule("Power model of a node (TOML), or taurus; adds the energy.", metavar="FILE")
    ] = ""
    switching: Annotated[
        str,
        _rule(
            "Rule that switches nodes off: timeout:300, reserve:8,300, lookahead:300 or plan:late=2. "
            "[default: the file's]",
            metavar="RULE",
        ),
    ] = ""


class CosimSettings(Settings, frozen=True):
    """The settings of a co-simulation, besides those of its jobs."""

    fidelity: Annotated[str, _rule("Fidelity of run times: table, sampled or live.")] = "live"
    applications: Annotated[str, _APPLICATIONS] = ""
    collectives: Annotated[
        str,
        _job(
            "Selection table of collective algorithms: builtin, openmpi, mpich, nccl or FILE.toml.",
            metavar="TABLE",
        ),
    ] = "builtin"
    target_half_width: Annotated[
        float, _rule("Target relative half-width of estimated times.", above=0, below=1)
    ] = 0.02
    max_packets: Annotated[float, _rule("Largest number of simulated packets; 1e11 take days.", above=0)] = (
        1e11
    )
    draws: Annotated[
        int | str,
        _rule(
            "Further live runs with starts moved, which measure variation, or auto: by --target-half-width."
        ),
    ] = 1
    estimate_factor: Annotated[float, _rule("Ratio of the estimate to the run time alone.", above=0)] = 1.5
    explain: Annotated[
        bool,
        Setting(
            "Charge each cycle in which a packet waits to the job that blocks it (fidelity live); up to four "
            "times slower.",
            panel="Results",
        ),
    ] = False


class LoadSettings(Settings, frozen=True):
    """The settings of a point of a load curve."""

    network: Annotated[
        str,
        _what(
            "Network, such as torus:8x8; see netplace list networks. Repeatable, one curve each.",
            metavar="NETWORK",
            required="a network such as torus:8x8",
            repeatable=True,
        ),
    ]
    traffic: Annotated[str, _what("Traffic pattern, or table:FILE of rates; see netplace list traffic.")] = (
        "uniform"
    )
    offered: Annotated[
        str | float | None,
        _what(
            "Phits per node and cycle: FROM:TO:STEP, a list A,B,C or one value. [default: 0.1:1.0:0.1; "
            "the mean of a table of rates]",
            metavar="LOADS",
        ),
    ] = None
    warmup: Annotated[int, Setting("Cycles before the measurement.", minimum=0)] = 1000
    measure: Annotated[
        int | None,
        Setting("Cycles of the measurement. [default: 8,000,000 / nodes, at least 2,000]", minimum=1),
    ] = None
    hot_node: Annotated[int | None, Setting("Node of hot-spot traffic. [default: the middle one]")] = None
    hot_share: Annotated[float, Setting("Share of the traffic that goes to the hot spot.")] = 0.1
    engine: Annotated[str, Setting("Engine: kernel (compiled) or reference (readable, slow).")] = "kernel"


LOAD_SETTINGS = settings_of(LoadSettings)
SCHEDULE_SETTINGS = settings_of(ScheduleSettings)
OF_WORKLOADS = tuple(settings_of(WorkloadSettings))[3:]  # the options
COSIM_SETTINGS = {
    **{name: setting for name, setting in SCHEDULE_SETTINGS.items() if name not in _UNUSED},
    "jobs": replace(SCHEDULE_SETTINGS["jobs"], help=_JOBS.format(COSIM_JOBS)),
    "repeats": replace(SCHEDULE_SETTINGS["repeats"], default="1:1"),
    "mapping": _rule("Mapping of tasks to the nodes of each job.", default="consecutive"),
    **settings_of(CosimSettings),
    "bytes_per_phit": Setting(
        "Bytes per phit; cycles become longer by the same factor.",
        panel="Network settings",
        minimum=1,
        kind=int,
    ),
}
