"""The flags that say what runs, and the run they stand for."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks import abbreviate, check_int
from netplace.cli.flags import COUNT, REAL, Bytes, flag, flags
from netplace.cli.idle_flags import given_names, refuse
from netplace.cli.many import named_flags
from netplace.cli.settings import WHAT_RUNS
from netplace.report.terminal.screen import bytes_read

if TYPE_CHECKING:
    from netplace.netsim import Config
    from netplace.runs import Run

_COUNT_AND_NAME = re.compile(r"(\d+)x:\s*(\S.*)", re.DOTALL)


class Jobs(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """A number of jobs, as text, and their trace or application."""

    name = "jobs"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        match = _COUNT_AND_NAME.fullmatch(value)
        if match is None:
            raise ValueError(f"--jobs: {abbreviate(value)} is not of the form 4x:NAME")
        return match[1], match[2]


class Compute(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """How long computation takes: ``recorded``, which is 1, or a factor."""

    name = "factor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return 1.0 if value == "recorded" else REAL.convert(value, param, ctx)


_flag = partial(flag, panel=WHAT_RUNS)
program_flags = flags(
    _flag("--trace", "Trace file, or the name of a bundled trace.", metavar="FILE"),
    _flag("--app", "Application; see netplace list apps.", metavar="NAME"),
    _flag(
        "--jobs",
        "Number of jobs and their trace or application: 4x:lu.A.64; repeatable.",
        Jobs(),
        multiple=True,
        metavar="COUNTx:NAME",
    ),
    _flag("--tasks", "Number of tasks of an application. [default: one per node]", COUNT),
    _flag("--class class_", "Class of an NPB application: S, W, A, B, C or D.", metavar="LETTER"),
    _flag("--packets", "Packets per message of a synthetic application.", COUNT),
    _flag("--bytes bytes_", "Bytes per message of a synthetic application, such as 4096 or 4KiB.", Bytes()),
    _flag("--rounds", "Rounds of a synthetic application.", COUNT),
    _flag(
        "--iterations",
        "Iterations A to B only, or the number of iterations of an application.",
        default="",
        metavar="A:B",
    ),
    _flag(
        "--section", "Part of a trace: whole, or timed (the part that the benchmark times).", default="whole"
    ),
    _flag(
        "--compute --cpu-scale cpu_scale",
        "Computation of a trace: recorded, 0 (none), or a factor for the recorded times.",
        Compute(),
        0.0,
        metavar="recorded|0|FACTOR",
    ),
    _flag(
        "--collectives",
        "Selection table of collective algorithms: builtin, openmpi, mpich, nccl or FILE.toml.",
        default="builtin",
        metavar="TABLE",
    ),
    _flag(
        "--collective algorithms",
        "Algorithm of an operation, such as allreduce=ring; repeatable. OPERATION alone simulates only this "
        "operation.",
        multiple=True,
        metavar="OPERATION[=ALGORITHM]",
    ),
    _flag("--algorithm", "Algorithm of a --collective that runs alone. [default: by table]", metavar="NAME"),
    _flag(
        "--bytes-per-phit",
        "Bytes per phit; cycles become longer by the same factor. [default: of training, 1e6 packets]",
        COUNT,
    ),
    _flag(
        "--flops", "Floating-point operations per second, for traces that count them. [default: 1e9]", REAL
    ),
    _flag(
        "--trc-unit",
        "Unit of computation in a .trc file; INSEE uses ns. [default: cycles]",
        click.Choice(("cycles", "ns")),
    ),
    _flag(
        "--ignore",
        "Skip calls of a trace that cannot be replayed: a list of one-sided, io, partitioned, spawned, "
        "other.",
        metavar="KINDS",
    ),
)


def run_from(given: dict[str, Any], config: Config, *, partition: str, mapping: str, seed: int = 0) -> Run:
    """Return the run that the flags of a command ask for; settings and rules of placement are given apart."""
    from netplace.runs import resolve
    from netplace.runs.job_programs import handy

    phit_bytes = given["bytes_per_phit"]
    jobs = [job | {"mapping": mapping} for job in _jobs(_with_collective(given))]
    if phit_bytes is not None:
        config = config.scaled(phit_bytes)
    with named_flags(_NAMED):
        run = resolve(
            given["network"],
            jobs,
            partition=partition,
            config=config,
            seed=seed,
            max_cycles=given.get("max_cycles"),
        )
    run = run if phit_bytes else handy(run, partial(click.echo, err=True))
    _refuse_idle(given, run)
    return run


def _refuse_idle(given: dict[str, Any], run: Run) -> None:
    """Refuse flags for which no job of the run has a use."""
    flags = {name: name for name in given_names() if name in _OF_JOBS}
    if any("=" in text for text in given["algorithms"]):
        flags["collectives"] = "algorithms"
    if not flags:
        return
    from netplace.runs.idle_options import idle_options
    from netplace.runs.job_programs import repeated_of

    with bytes_read(Path(job.path) for job in run.jobs if job.path) as advance:
        repeated_of(run, advance)  # kept, for the run too
    for name, why in idle_options(run, flags):
        refuse(flags[name], given[flags[name]], why)


# Flags that need something in the programs of the jobs.
_OF_JOBS = (
    "cpu_scale", "flops", "ignore", "collectives", "nonblocking_sends", "outstanding_sends",
    "outstanding_bytes",
)  # fmt: skip
_NAMED = ("section", "tasks", "cpu_scale", "max_cycles", "seed")  # keys of a run that are flags


def _with_collective(given: dict[str, Any]) -> dict[str, Any]:
    """Return the flags with a collective operation that runs alone as the application."""
    alone = [text for text in given["algorithms"] if "=" not in text]
    if not alone:
        if given["algorithm"] is not None:
            raise ValueError(
                f"--algorithm: {given['algorithm']} given without an operation; "
                "expected --collective OPERATION"
            )
        return given
    for name in ("trace", "app", "jobs"):
        if given[name]:
            raise ValueError(
                f"--collective: {alone[0]} runs alone, and --{name} was given; expected one of the two, or "
                f"--collective OPERATION=ALGORITHM"
            )
    if len(alone) > 1:
        raise ValueError(f"--collective: {alone[0]} and {alone[1]} would run alone; expected one operation")
    options = f"collective,operation={alone[0]}"
    if given["algorithm"] is not None:
        options += f",algorithm={given['algorithm']}"
    chosen = tuple(text for text in given["algorithms"] if "=" in text)
    return given | {"app": options, "algorithms": chosen}


def _jobs(given: dict[str, Any]) -> list[dict[str, Any]]:
    if sum(bool(given[name]) for name in ("trace", "app", "jobs")) != 1:
        raise ValueError("application: expected one of --trace, --app and --jobs")
    same, options = _same(given), _options(given)
    reading = {name: given[name] for name in ("flops", "ignore", "trc_unit") if given[name] is not None}
    if given["trace"]:
        return [_trace(given["trace"], same, options) | reading]
    for name in reading:
        raise ValueError(f"--{name.replace('_', '-')}: is an option of --trace")
    if given["app"]:
        return [{"app": given["app"], **same, **options}]
    jobs: list[dict[str, Any]] = []
    for count, name in given["jobs"]:
        jobs += [_named(name, same, options)] * check_int(count, "--jobs", most=_MOST_JOBS)
    return jobs


_MOST_JOBS = 1 << 20


def _trace(name: str, same: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    for option in options:
        raise ValueError(f"--{option}: applies to applications, but {name} is a trace")
    return {"trace": name, **same}


def _named(name: str, same: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the job that a name stands for: a trace, or else an application."""
    from netplace.runs.programs import kind_of_job

    if kind_of_job(name) == "trace":
        return _trace(name, same, options)
    return {"app": name, **same, **options}


def _same(given: dict[str, Any]) -> dict[str, Any]:
    """Return what traces and applications alike may be told, if it is not the default."""
    same = {name: given[name] for name in ("section", "iterations", "cpu_scale")}
    chosen = "+".join([given["collectives"], *given["algorithms"]])
    if chosen != "builtin":
        same["collectives"] = chosen
    return same if given["tasks"] is None else same | {"tasks": given["tasks"]}


def _options(given: dict[str, Any]) -> dict[str, Any]:
    options = {name.rstrip("_"): given[name] for name in ("class_", "packets", "bytes_", "rounds")}
    return {name: value for name, value in options.items() if value is not None}
