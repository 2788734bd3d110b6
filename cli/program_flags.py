"""The flags that say what runs, and the run they stand for."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.flags import BYTES, COUNT, REAL, Checked, flag, flags
from netplace.cli.many import named_flags
from netplace.cli.settings import WHAT_RUNS
from netplace.inputs import abbreviate, check_float, check_int

if TYPE_CHECKING:
    from netplace.netsim import Config
    from netplace.runs import Run

_COUNT_AND_NAME = re.compile(r"(\d+)x:\s*(\S.*)", re.DOTALL)


def _count_and_name(value: Any, _: str) -> tuple[str, str]:
    """Return a number of jobs, as text, and their trace or application."""
    if isinstance(value, tuple):
        return value
    match = _COUNT_AND_NAME.fullmatch(value)
    if match is None:
        raise ValueError(f"--jobs: {abbreviate(value)} is not of the form 4x:NAME")
    return match[1], match[2]


# How long computation takes: ``recorded``, which is 1, or a factor.
COMPUTE = Checked("factor", lambda value, flag: 1.0 if value == "recorded" else check_float(value, flag))

_flag = partial(flag, panel=WHAT_RUNS)
program_flags = flags(
    _flag(
        "--program",
        "Application or trace with its options, as in files of jobs: lu,class=W or CG.A.64,section=timed.",
        metavar="TEXT",
    ),
    _flag("--trace", "Trace file, or the name of a bundled trace.", metavar="FILE"),
    _flag("--app", "Application; see netplace list apps.", metavar="NAME"),
    _flag(
        "--jobs",
        "Number of jobs and their trace or application: 4x:lu.A.64; repeatable.",
        Checked("jobs", _count_and_name),
        multiple=True,
        metavar="COUNTx:NAME",
    ),
    _flag("--tasks", "Number of tasks of an application. [default: one per node]", COUNT),
    _flag("--class class_", "Class of an NPB application: S, W, A, B, C or D.", metavar="LETTER"),
    _flag("--packets", "Packets per message of a synthetic application.", COUNT),
    _flag("--bytes bytes_", "Bytes per message of a synthetic application, such as 4096 or 4KiB.", BYTES),
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
        COMPUTE,
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
    from netplace.runs.job_programs import scale_large_run

    context = click.get_current_context(silent=True)
    _check_said_once(context.params if context else given)
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
    return run if phit_bytes else scale_large_run(run, partial(click.echo, err=True))


def _check_said_once(given: dict[str, Any]) -> None:
    """Refuse a flag whose option the text of every application has too: only one of the two can hold."""
    texts = [given["app"]] if given["app"] else [name for _, name in given["jobs"]]
    options = [text.replace(":", ",", 1).split(",")[1:] for text in texts]
    for own, names in _OPTIONS_OF.items():
        value = given[own if own in given else f"{own}_"]
        repeated = [word for words in options for word in words if word.partition("=")[0].strip() in names]
        if (
            value in (None, "")
            or not repeated
            or len(repeated) < len(texts)
            or repeated[0] == f"{own}={value}"
        ):
            continue
        raise ValueError(
            f"--{own}: {value} given, and the application says {repeated[0]}; expected one of the two"
        )


_OPTIONS_OF = {  # options of applications, by the flag that says the same
    "class": ("class", "problem_class"),
    "packets": ("packets", "bytes"),
    "bytes": ("bytes", "packets"),
    "rounds": ("rounds",),
    "tasks": ("tasks",),
    "iterations": ("iterations",),
}
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
    for name in _PROGRAMS:
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
    if sum(bool(given[name]) for name in _PROGRAMS) != 1:
        raise ValueError("application: expected one of --program, --trace, --app and --jobs")
    same, options = _same(given), _options(given)
    reading = {name: given[name] for name in ("flops", "ignore", "trc_unit") if given[name] is not None}
    if given["program"]:
        return [_program(given["program"], same | options | reading)]
    if given["trace"]:
        return [_trace(given["trace"], same, options) | reading]
    for name in reading:
        raise ValueError(f"--{name.replace('_', '-')}: is an option of --trace")
    if given["app"]:
        return [{"app": given["app"], **same, **options}]
    jobs: list[dict[str, Any]] = []
    for count, name in given["jobs"]:
        jobs += [_named(name, same, options)] * check_int(count, "--jobs", maximum=_MOST_JOBS)
    return jobs


_MOST_JOBS = 1 << 20


_PROGRAMS = ("program", "trace", "app", "jobs")


def _program(text: str, flags: dict[str, Any]) -> dict[str, Any]:
    """Return the job that a text names, with options that flags say and the text does not."""
    from netplace.runs.programs import request_of

    request = request_of(text)
    default = {"section": "whole", "iterations": "", "cpu_scale": 0.0}
    for name, value in flags.items():
        if name in request and value not in (request[name], default.get(name)):
            raise ValueError(
                f"--{name.replace('_', '-')}: {value} given, but --program {text} says "
                f"{request[name]}; expected one"
            )
    return flags | request


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
