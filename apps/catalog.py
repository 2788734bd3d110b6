"""All applications by name, and those of a user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from netplace.apps.application import Application, options_of
from netplace.apps.npb import NPB
from netplace.apps.operation import MOST_TASKS
from netplace.apps.program import Program
from netplace.apps.synthetic import SYNTHETIC
from netplace.apps.task import TaskWriter
from netplace.checks import whole
from netplace.extensions import Choice

__all__ = ["APPLICATION", "APPLICATIONS", "application"]

APPLICATIONS: dict[str, Application] = {**SYNTHETIC, **NPB}


def application(name: str | Callable[..., None], tasks: int, **options: Any) -> Program:
    """Make the program of an application.

    An application of your own is a function that writes what one task does::

        def ring(task, bytes=1024):
            request = task.irecv((task.task - 1) % task.tasks, bytes)
            task.send((task.task + 1) % task.tasks, bytes)
            task.wait(request)
            task.compute(500)

    It is called once for each task, with its `TaskWriter`. Give the function itself, or its name as
    ``"module:ring"`` or ``"folder/file.py:ring"``.

    Parameters
    ----------
    name : str or callable
        A key of `APPLICATIONS`, or an application of your own.
    tasks : int
        How many tasks.
    **options
        What the application accepts. One that takes ``bytes`` also takes ``packets``: the size of a message
        in packets of ``packet_bytes`` (64 by default).

    Raises
    ------
    ValueError
        If there is no such application or option, or a value is out of range.
    """
    if whole(tasks, "tasks") > MOST_TASKS:
        raise ValueError(f"tasks: {tasks} are too many, expected at most {MOST_TASKS}")
    if isinstance(name, str):
        chosen, rest = APPLICATION.find(name)
        if rest:
            raise ValueError(f"application {name!r}: nothing may follow its name but options after a comma")
        chosen = replace(chosen, name=name)
    else:
        chosen = _own(name, name.__name__, "")
    return chosen(tasks, **_sizes(chosen.name, chosen.make, options))


def _own(function: Callable[..., Any], name: str, description: str) -> Application:
    """Return the application that a function of one's own makes: what it writes for every task."""

    def make(tasks: int, **options: Any) -> Program:
        writers = [TaskWriter(task, tasks) for task in range(tasks)]
        for writer in writers:
            function(writer, **options)
        return Program.of(writers, name)

    make.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return Application(name, description, make)


APPLICATION: Choice[Application] = Choice("application", APPLICATIONS, "netplace.applications", _own)


def _sizes(name: str, function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return `options` with a size given in packets turned into bytes."""
    if "packets" not in options or "packets" in options_of(function):
        return options
    if "bytes" in options:
        raise ValueError(f"application {name!r}: give bytes or packets, not both")
    rest = {key: value for key, value in options.items() if key not in ("packets", "packet_bytes")}
    packet_bytes = whole(options.get("packet_bytes", 64), "packet_bytes")
    return rest | {"bytes": whole(options["packets"], "packets") * packet_bytes}
