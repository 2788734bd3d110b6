"""The formats of trace files, and the detection of a file's format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from netplace.apps.formats import (
    allprof,
    chakra,
    dimemas,
    dumpi,
    goal,
    goal_binary,
    insee,
    matrix,
    otf2,
    paraver,
    recording,
    simai,
    text,
    text_lines,
    tit,
)
from netplace.apps.formats.stream import head_of
from netplace.apps.formats.writing import Options
from netplace.apps.program import Program
from netplace.apps.recorded import Reading, Recorded, Trace
from netplace.registry import Registry


@dataclass(frozen=True)
class Format:
    """A format of trace files.

    Attributes
    ----------
    suffix : str
        Suffix of file names, before an optional ``.gz``.
    recognises : callable
        ``recognises(path, head)`` returns whether a file has this format, given its path and its first bytes
        (uncompressed); `head` is empty for a folder.
    open : callable
        ``open(path, reading)`` returns the `Trace`; its calls are read later.
    write : callable or None
        ``write(program)`` returns the text; None if netplace cannot write the format.
    convert, stream : callable or None
        ``convert(recorded, options)`` yields the lines of a whole trace; ``stream(trace, options)`` yields
        the lines of a trace while its calls are read. If there is no `stream`, `convert` is used; if there is
        neither, `write` is used.
    files : callable or None
        ``files(path)`` returns the files of a trace that consists of several files.
    computation : str
        Kind of computation in the format: ``"program"``, which is always simulated; ``"recorded"``, which is
        simulated if a run requests it; or ``"both"``.
    comment : pair of str
        Text before and after a comment; the last line of a file is a comment that lists omitted parts.
    """

    suffix: str
    description: str
    recognises: Callable[[Path, bytes], bool]
    open: Callable[[Path, Reading], Trace]
    write: Callable[[Program], bytes] | None = None
    convert: Callable[[Recorded, Options], Iterator[str]] | None = None
    stream: Callable[[Trace, Options], Iterator[str]] | None = None
    files: Callable[[Path], list[Path]] | None = None
    computation: str = "both"
    comment: tuple[str, str] = ("#", "")


def _format(module: ModuleType, suffix: str, description: str, **more: Any) -> Format:
    """Return the format that a module reads; `files` is there if a trace consists of several."""
    files = getattr(module, "files", None)
    return Format(suffix, description, module.recognises, module.open_trace, files=files, **more)


# In the order in which they are asked whether a file is theirs; the first one that says so reads it.
_FORMATS: dict[str, Format] = {
    "chakra": _format(chakra, ".et", "Chakra execution traces of each NPU"),
    "simai": _format(simai, ".txt", "workloads of ASTRA-sim, SimAI and AICB"),
    "dimemas": _format(dimemas, ".dim", "traces of Dimemas"),
    "otf2": _format(otf2, ".otf2", "OTF2, the format of Score-P"),
    "dumpi": _format(dumpi, ".meta", "DUMPI of SST, binary or as text"),
    "allprof": _format(allprof, ".allprof", "traces of liballprof, the input of Schedgen"),
    "paraver": _format(paraver, ".prv", "Paraver, the format of Extrae"),
    "goal": _format(
        goal,
        ".goal",
        "GOAL, the schedules of LogGOPSim",
        convert=goal.goal_lines,
        computation="recorded",
        comment=("/*", " */"),
    ),
    "goal-binary": _format(goal_binary, ".bin", "binary GOAL from txt2bin of LogGOPSim"),
    "matrix": _format(matrix, ".csv", "traffic matrix: rows source, destination, bytes; or a dense matrix"),
    "recording": _format(
        recording, ".recording", "recording of netplace record: a folder with the calls of each rank"
    ),
    "text": _format(
        text,
        ".trace",
        "format of netplace: MPI calls, computation, marks",
        write=text_lines.write,
        stream=text_lines.text_lines,
    ),
    "insee": _format(
        insee,
        ".trc",
        "format of INSEE: sends, receives, computation",
        write=insee.write,
        computation="program",
    ),
    "tit": _format(
        tit, ".tit", "time-independent trace of SimGrid", convert=tit.tit_lines, computation="recorded"
    ),
}

_SHARED = (".txt", ".csv", ".bin")  # suffixes that files of other kinds have as often
_OTHERS = {  # traces of others, by how they begin
    "the output of otf2-print (its OTF2 is read)": rb"=== OTF2-PRINT",
    "a connection matrix of htsim": rb"(?i)Nodes\s+\d+\s+Connections\s+\d+",
    "a workload of AICB for GPUs (its workloads for SimAI are read)": rb"(?:\[[^\n]*\n)?comm_type,comm_group",
    "PyTorch's execution trace (chakra_converter makes .et of it)": rb'\{\s*"schema":',
    "a trace of PyTorch's profiler": rb'\{\s*"(?:schemaVersion|traceEvents|deviceProperties)":',
    "a database, as Nsight Systems exports": rb"SQLite format 3",
    "a trace of Charm++'s Projections": rb"PROJECTIONS",
}
_EXPECTED = f"expected one of {', '.join(_FORMATS)}; see netplace list formats"

FORMATS: Registry[Format] = Registry("trace format", "netplace.formats", Format, _FORMATS)


def format_of(path: Path) -> Format:
    """Return the format of a file or folder, by its contents or, if it is damaged or empty, by its name."""
    head = b"" if path.is_dir() else head_of(path)
    if not head and not path.is_dir():
        raise ValueError(f"{path}: is empty, expected a trace")
    if other := next((name for name, begins in _OTHERS.items() if re.match(begins, head.lstrip())), ""):
        raise ValueError(f"{path}: is {other}, {_EXPECTED}")
    for item in all_formats():
        if item.recognises(path, head):
            return item
    if path.is_dir():
        raise ValueError(f"{path}: cannot be read, it is a folder without a trace")
    named = named_format(path)
    if not re.search(rb"^\s*[^\s#]", head, re.MULTILINE):
        return named or FORMATS["text"]  # nothing but comments
    if named is not None and named.suffix not in _SHARED:
        return named
    raise ValueError(f"{path}: is in no format of traces that netplace reads, {_EXPECTED}")


def files_of(path: Path) -> list[Path]:
    """Return the files that make up the trace at `path`, in order."""
    chosen = format_of(path)
    return [path] if chosen.files is None else chosen.files(path)


def endings() -> tuple[str, ...]:
    """Return the suffixes of trace files, without ``.gz``."""
    return tuple(item.suffix for item in all_formats())


def all_formats() -> list[Format]:
    """Return the formats, those of packages and plug-ins before those of netplace."""
    offered = [entry for _, entry, _ in FORMATS.offered() if isinstance(entry, Format)]
    added = [entry for name, entry in FORMATS.items() if name not in _FORMATS]
    return [*offered, *added, *_FORMATS.values()]


def named_format(path: Path) -> Format | None:
    """Return the format that a file's name ends in, None if in none."""
    name = path.name.lower().removesuffix(".gz")
    return next((item for item in all_formats() if name.endswith(item.suffix)), None)


def stem_of(path: Path) -> str:
    """Return a trace's name: that of its file without the endings."""
    name = path.name.removesuffix(".gz")
    return next((name.removesuffix(ending) for ending in endings() if name.endswith(ending)), name)
