"""Programs by name: a trace file, an included trace, or an application with options.

The trace formats are imported only when a trace is read, so that an application starts a good tenth sooner.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from netplace.apps import APPLICATIONS, Program, application
from netplace.apps.bundled import bundled_trace, bundled_traces
from netplace.apps.program import Repeated
from netplace.inputs import check_bytes, check_choice, check_float, check_int
from netplace.plugins import file_digest

TRACE_OPTIONS = ("collectives", "flops", "ignore", "trc_unit")
TRC_UNITS = {
    "cycles": "computation of a .trc file is in cycles",
    "ns": "it is in nanoseconds, as in INSEE",
}
SECTIONS = {"whole": "the whole trace", "timed": "the part that the benchmark times"}


@dataclass(frozen=True)
class Reading:
    """The part of a program to replay."""

    section: str = "whole"  # key of `SECTIONS`
    # ``"a:b"`` means only iterations a to b; empty means all. For an application, one number is its option.
    iterations: str = ""
    tasks: int | None = None  # tasks of an application, or of a trace in which some say nothing
    cycles_per_us: float = 0.0  # cycles per microsecond of recorded computation; 0 drops computation
    packet_bytes: int = 64  # size of a packet, for applications whose messages are given in packets
    # Size in bytes above which messages wait for the receive, for the check for deadlock.
    eager_limit: int | None = None
    options: dict[str, Any] = field(default_factory=dict)  # further options of an application
    cycle_ns: float = 3.2  # length of a cycle, for applications that compute for some time
    # Function that is called with the number of bytes of a trace that were read since the last call.
    progress: Callable[[int], None] | None = None


def trace_path(name: str) -> Path:
    """Return the trace file called `name`: a path, or else a trace that comes with the project."""
    path = Path(name)
    if path.exists():
        return path
    bundled = bundled_trace(name)
    if bundled is None:
        named = {f"{known}.trace.gz".lower(): known for known in bundled_traces()}
        check_choice(name.lower(), named, "no such trace file; carried traces")
        raise AssertionError("a packaged trace that is missing")
    return bundled


def trace_name(path: Path) -> str:
    """Return what a trace is called: its file name without ``.gz`` and the ending of its format."""
    from netplace.apps.formats import endings

    name = path.name.removesuffix(".gz")
    return next((name.removesuffix(ending) for ending in endings() if name.endswith(ending)), name)


def trace_digest(path: Path) -> str:
    """Return a digest of all files of a trace; of a single file, its SHA-256."""
    from netplace.apps.formats import files_of

    digests = [file_digest(part) for part in files_of(path)]
    return digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode()).hexdigest()


def trace_options(options: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the options of a trace, checked; ``ignore`` is names with commas."""
    from netplace.apps.recorded import IGNORABLE

    for option in options:
        if option not in TRACE_OPTIONS:
            raise ValueError(f"--{option}: applies to applications, but {name} is a trace")
    checked: dict[str, Any] = {}
    if "flops" in options:
        checked["flops"] = check_float(options["flops"], "--flops", 1.0)
    if "ignore" in options:
        checked["ignore"] = tuple(
            check_choice(word, IGNORABLE, "--ignore") for word in str(options["ignore"]).split(",")
        )
    if "trc_unit" in options:
        checked["trc_unit"] = check_choice(str(options["trc_unit"]), TRC_UNITS, "--trc-unit")
    if "collectives" in options:
        from netplace.apps.collectives import selection

        checked["collectives"] = selection(str(options["collectives"]))
    return checked


def trace_repeated(path: Path, reading: Reading) -> Repeated:
    """Return the program recorded in the trace at `path`, checked; iterations of a long one are kept once."""
    from netplace.apps.formats import FORMATS, format_of, read, read_repeated

    options = trace_options(reading.options, trace_name(path))
    if "trc_unit" in options and format_of(path) is not FORMATS["insee"]:
        raise ValueError(f"--trc-unit: applies to .trc files, but {path} is not one")
    options["trc_ns"] = reading.cycle_ns if options.pop("trc_unit", "cycles") == "ns" else 0.0
    if reading.iterations and ":" not in reading.iterations:
        raise ValueError(f"--iterations: {reading.iterations!r} is not of the form A:B, which a trace needs")
    options |= {"cycles_per_us": reading.cycles_per_us, "tasks": reading.tasks}
    if reading.iterations or reading.section != "whole":
        repeated = Repeated(_part(read(path, **options), reading))
    else:
        repeated = read_repeated(path, **options, progress=reading.progress)
    some = repeated.program if repeated.times == 1 else repeated.program.repeat(2)
    _check(some, reading, str(path))
    return repeated


def request_of(text: str) -> dict[str, Any]:
    """Return the program that a text names, as `netplace.runs.resolve.resolve` takes it.

    The text is the name of an application, or the path or name of a trace, and options apart by commas:
    ``"lu,class=W"``, ``"CG.A.64,section=timed,compute=recorded"``, ``"halo.trace.gz,ignore=io"``.

    Raises
    ------
    ValueError
        If neither an application nor a trace has the name, or an option is not of the form ``name=value``.
    """
    head, *words = _listed(text.strip()).split(",")
    if not is_trace(head):  # a name is only ever looked up
        names = [*APPLICATIONS.names(), *bundled_traces()]
        check_choice(head, names, f"program {text!r}: no such trace file; applications and traces")
    request: dict[str, Any] = {"trace" if is_trace(head) else "app": head}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise ValueError(f"program {text!r}: {word!r} is not of the form option=value")
        if name == "ignore":  # a list, whose names are apart by +
            request[name] = value.replace("+", ",")
        elif name in ("compute", "cpu_scale"):
            request["cpu_scale"] = 1.0 if value == "recorded" else _value(value)
        else:
            request[name] = _value(value)
    return request


def application_program(text: str, reading: Reading, nodes: int) -> Program:
    """Return the program of an application such as ``"lu,class=W,iterations=3"``."""
    name, options = application_options(text, reading)
    tasks = check_int(options.pop("tasks", nodes), f"application {name!r}: tasks")
    program = _part(_made(name, tasks, options), reading)
    if not APPLICATIONS.is_built_in(name):
        _check(program, reading, name)
    return program


def application_options(text: str, reading: Reading) -> tuple[str, dict[str, Any]]:
    """Return the name of an application and its options, those of `text` before those of `reading`."""
    name, *words = _listed(text).split(",")
    options = dict(reading.options)
    if reading.tasks is not None:
        options["tasks"] = reading.tasks
    if reading.iterations and ":" not in reading.iterations:
        options["iterations"] = check_int(reading.iterations, "--iterations")
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"application {text!r}: {word!r} is not of the form option=value")
        options[key.strip()] = _value(value.strip())
    if "class" in options:
        options["problem_class"] = options.pop("class")
    if "bytes" in options:
        options["bytes"] = check_bytes(options["bytes"], "bytes")
    if "packets" in options:
        options.setdefault("packet_bytes", reading.packet_bytes)
    if name in APPLICATIONS and "cycle_ns" in APPLICATIONS[name].parameters:
        options.setdefault("cycle_ns", reading.cycle_ns)
    return name, options


def _listed(text: str) -> str:
    """Return the text of an application; ``name:option=value`` is the same as with a comma."""
    name, _, rest = text.partition(":")
    return f"{name},{rest}" if rest and name in APPLICATIONS else text


def job_program(text: str, reading: Reading, nodes: int) -> Program:
    """Return the program that `text` names: a trace, or else an application."""
    if kind_of_job(text) == "trace":
        return trace_repeated(trace_path(text), reading).written_out()
    return application_program(text, reading, nodes)


def kind_of_job(text: str) -> str:
    """Return what `text` names: a ``"trace"``, or else an ``"app"``."""
    if is_trace(text):
        return "trace"
    name = text.partition(",")[0]
    known = [*APPLICATIONS.names(), *(f"{trace}.trace.gz".lower() for trace in bundled_traces())]
    if ".py" in name:
        APPLICATIONS.split(name)  # says how files with applications are loaded
    check_choice(name, known, "no such trace file; applications and carried traces")
    return "app"


def is_trace(text: str) -> bool:
    """Return whether `text` names a trace file or a trace that comes with the project."""
    return Path(text).exists() or bundled_trace(text) is not None


def _made(name: str, tasks: int, options: dict[str, Any]) -> Program:
    """Return the program of an application; what goes wrong in one's own is told with its name and line."""
    try:
        return application(name, tasks, **options)
    except (ValueError, MemoryError):
        raise
    except Exception as error:
        if APPLICATIONS.is_built_in(name):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ValueError(
            f"application {name!r}: raised {type(error).__name__}: {error} ({Path(last.filename).name}, "
            f"line {last.lineno})"
        ) from error


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _part(program: Program, reading: Reading) -> Program:
    """Return the section and the iterations asked for."""
    name = program.name
    if check_choice(reading.section, SECTIONS, "--section") != "whole":
        program = program.section(reading.section)
    if ":" in reading.iterations:
        first, _, last = reading.iterations.partition(":")
        program = program.cut(check_int(first, "--iterations", 0), check_int(last, "--iterations", 0))
    return replace(program, name=name)


def _check(program: Program, reading: Reading, source: str) -> None:
    """Raise ValueError, beginning with its `source`, if `program` cannot run."""
    try:
        replace(program, name="").check(reading.eager_limit)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
