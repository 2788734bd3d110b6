"""The flags that say what runs, and the programs they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from netplace.experiments.cli.settings import WHAT_RUNS

if TYPE_CHECKING:
    from netplace.apps import Program
    from netplace.netsim import Config
    from netplace.runs.programs import Reading
    from netplace.topologies import Topology

__all__ = ["program_flags", "programs_from"]

Command = TypeVar("Command", bound=Callable[..., Any])

_FLAGS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--trace",), {"metavar": "FILE", "help": "A trace file, or a trace that netplace carries."}),
    (("--app",), {"metavar": "NAME", "help": "An application; see netplace list apps."}),
    (
        ("--jobs",),
        {
            "nargs": 2,
            "multiple": True,
            "metavar": "COUNTx NAME",
            "help": "So many jobs of a trace or application, as in 4x lu.A.64.trace.gz; may be repeated.",
        },
    ),
    (("--tasks",), {"type": int, "help": "Tasks of an application. [default: one a node]"}),
    (
        ("--class", "class_"),
        {"metavar": "LETTER", "help": "Class of an NPB application: S, W, A, B, C or D."},
    ),
    (("--packets",), {"type": int, "help": "Packets in a message of a synthetic application."}),
    (("--bytes", "bytes_"), {"type": int, "help": "Bytes in a message of a synthetic application."}),
    (("--rounds",), {"type": int, "help": "Rounds of a synthetic application."}),
    (
        ("--iterations",),
        {
            "default": "",
            "metavar": "A:B",
            "help": "Only iterations A to B; or how many an application makes.",
        },
    ),
    (
        ("--section",),
        {
            "default": "whole",
            "show_default": True,
            "help": "Of a trace: whole, or timed (what the benchmark times).",
        },
    ),
    (
        ("--cpu-scale",),
        {
            "type": float,
            "default": 0.0,
            "show_default": True,
            "help": "Recorded computation takes so many times as long; 0 drops it.",
        },
    ),
)


def program_flags(command: Command) -> Command:
    """Add the flags that say what runs."""
    for names, settings in reversed(_FLAGS):
        command = click.option(*names, panel=WHAT_RUNS, **settings)(command)
    return command


def programs_from(given: dict[str, Any], config: Config, topology: Topology) -> tuple[Program, ...]:
    """Return the programs of the jobs that the flags ask for.

    Raises
    ------
    ValueError
        If not exactly one of ``--trace``, ``--app`` and ``--jobs`` is given, or what it names cannot be used.
    """
    from netplace.runs.programs import application_program, job_program, trace_program

    if sum(bool(given[name]) for name in ("trace", "app", "jobs")) != 1:
        raise ValueError("what runs: expected one of --trace, --app and --jobs")
    reading = _reading(given, config)
    if given["trace"]:
        return (trace_program(given["trace"], reading),)
    if given["app"]:
        return (application_program(given["app"], reading, topology.nodes),)
    programs: list[Program] = []
    for count, name in given["jobs"]:
        programs += [job_program(name, reading, topology.nodes)] * _count(count)
    return tuple(programs)


def _count(text: str) -> int:
    """Return the number of jobs in ``4x``."""
    from netplace.checks import whole

    if not re.fullmatch(r"\d+x", text):
        raise ValueError(f"--jobs: {text!r} is not a number of jobs such as 4x")
    return whole(text[:-1], "--jobs")


def _reading(given: dict[str, Any], config: Config) -> Reading:
    from netplace.checks import whole
    from netplace.runs.programs import Reading

    if not 0 <= given["cpu_scale"] < float("inf"):
        raise ValueError(f"--cpu-scale: {given['cpu_scale']} is not a number of at least 0")
    if given["tasks"] is not None:
        whole(given["tasks"], "--tasks")
    options = {name.rstrip("_"): given[name] for name in ("class_", "packets", "bytes_", "rounds")}
    return Reading(
        section=given["section"],
        iterations=given["iterations"],
        tasks=given["tasks"],
        cycles_per_us=given["cpu_scale"] * 1000 / config.cycle_ns,
        packet_bytes=config.packet_bytes,
        rendezvous=config.rendezvous,
        options={name: value for name, value in options.items() if value is not None},
    )
