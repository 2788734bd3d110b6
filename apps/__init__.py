"""Applications: programs made of computation and messages, generators of programs, and trace files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from netplace.apps.application import Application, check_options, options_of, uses_collectives
from netplace.apps.arrays import Traffic
from netplace.apps.operation import MOST_TASKS, Op, Operation, OperationError
from netplace.apps.program import Program
from netplace.apps.synthetic import SYNTHETIC
from netplace.apps.task import TaskWriter
from netplace.inputs import abbreviate, check_int
from netplace.registry import Registry

__all__ = [
    "APPLICATIONS",
    "Application",
    "Op",
    "Operation",
    "OperationError",
    "Program",
    "TaskWriter",
    "Traffic",
    "application",
]


def application(name: str | Callable[..., None], tasks: int, **options: Any) -> Program:
    """Make the program of an application.

    Your own application is a function that writes the program of one task::

        def ring(task, bytes=1024):
            request = task.irecv((task.task - 1) % task.tasks, bytes)
            task.send((task.task + 1) % task.tasks, bytes)
            task.wait(request)
            task.compute(500)

    It is called once for each task, with the `TaskWriter` of that task. Pass the function itself, or the name
    under which it was added, as in ``APPLICATIONS.add("ring", ring)``.

    Parameters
    ----------
    name : str or callable
        A key of `APPLICATIONS`, or your own application.
    **options
        Options of the application. Every application takes ``collectives``, which chooses the algorithms of
        the collectives that it calls, in the text form of `netplace.apps.collectives.selection`. An
        application with ``bytes`` also takes ``packets``, the size of a message in packets of
        ``packet_bytes`` (64).

    Raises
    ------
    ValueError
        If there is no such application or option, or a value is out of range.
    """
    tasks = check_int(tasks, "tasks")
    if tasks > MOST_TASKS:
        raise ValueError(f"tasks: {tasks} are too many, expected at most {MOST_TASKS}")
    if isinstance(name, str):
        chosen, rest = APPLICATIONS.find(name)
        if rest:
            raise ValueError(
                f"application {name!r}: unexpected text after its name, expected options after a comma"
            )
        chosen = replace(chosen, name=name)
    elif inspect.isroutine(name):
        chosen = _own(name, name.__name__, "")
    else:
        raise ValueError(f"application: {abbreviate(name)} is not a function")
    text = options.pop("collectives", None)
    sizes = _sizes(chosen.name, chosen.make, options)
    if text is None:
        return chosen(tasks, **sizes)
    from netplace.apps.collectives import selection

    given = selection(str(text), "collectives")
    if not uses_collectives(chosen.make):
        return chosen(tasks, **sizes)
    check_options(chosen.name, chosen.make, sizes)
    return chosen.make(tasks, collectives=given, **sizes)


def _own(function: Callable[..., Any], name: str, description: str) -> Application:
    """Return the application whose tasks a user's function writes."""

    def make(tasks: int, collectives: Any = None, **options: Any) -> Program:
        writers = [TaskWriter(task, tasks, collectives) for task in range(tasks)]
        for writer in writers:
            function(writer, **options)
        return Program.of(writers, name)

    own = inspect.signature(function)
    chosen = inspect.Parameter("collectives", inspect.Parameter.KEYWORD_ONLY, default=None)
    others = list(own.parameters.values())
    last = len(others) - any(other.kind is other.VAR_KEYWORD for other in others)
    make.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*others[:last], chosen, *others[last:]]
    )
    return Application(name, description, make)


APPLICATIONS: Registry[Application] = Registry(
    "application",
    "netplace.applications",
    Application,
    SYNTHETIC,
    _own,
    # Most runs are of one application, or of a trace: they need not wait for all others, and for collectives.
    {
        "netplace.apps.npb:NPB": ("bt", "cg", "ft", "is", "lu", "mg", "sp"),
        "netplace.apps.training:TRAINING": ("training",),
        "netplace.apps.collectives.writing:COLLECTIVE": ("collective",),
    },
)


def _sizes(name: str, function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return `options` with a size given in packets turned into bytes."""
    if "packets" not in options or "packets" in options_of(function):
        return options
    if "bytes" in options:
        raise ValueError(f"application {name!r}: expected bytes or packets, not both")
    rest = {key: value for key, value in options.items() if key not in ("packets", "packet_bytes")}
    packet_bytes = check_int(options.get("packet_bytes", 64), "packet_bytes")
    return rest | {"bytes": check_int(options["packets"], "packets") * packet_bytes}
