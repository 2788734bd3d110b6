"""All applications by name, and those of a user's own."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from netplace.apps.application import Application, check_options, options_of
from netplace.apps.npb import NPB
from netplace.apps.operation import MOST_TASKS
from netplace.apps.program import Program
from netplace.apps.synthetic import SYNTHETIC
from netplace.apps.task import TaskWriter
from netplace.checks import one_of, whole

__all__ = ["APPLICATIONS", "application"]

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
    if isinstance(name, str) and ":" not in name:
        chosen = APPLICATIONS[one_of(name, APPLICATIONS, "application")]
        return chosen(tasks, **_sizes(name, chosen.make, options))
    function = _load(name) if isinstance(name, str) else name
    name = name if isinstance(name, str) else function.__name__
    options = _sizes(name, function, options)
    check_options(name, function, options)
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for writer in writers:
        function(writer, **options)
    return Program.of(writers, name)


def _load(place: str) -> Callable[..., None]:
    """Return the function at ``module:function`` or ``file.py:function``."""
    module_name, _, function_name = place.rpartition(":")
    try:
        if module_name.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(module_name).stem, module_name)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(module_name)
    except (ImportError, OSError, SyntaxError, ValueError) as error:
        raise ValueError(f"application {place!r}: cannot load {module_name!r}, {error}") from None
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ValueError(f"application {place!r}: {module_name!r} has no function {function_name!r}")
    return function  # type: ignore[no-any-return]


def _sizes(name: str, function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return `options` with a size given in packets turned into bytes."""
    if "packets" not in options or "packets" in options_of(function):
        return options
    if "bytes" in options:
        raise ValueError(f"application {name!r}: give bytes or packets, not both")
    rest = {key: value for key, value in options.items() if key not in ("packets", "packet_bytes")}
    packet_bytes = whole(options.get("packet_bytes", 64), "packet_bytes")
    return rest | {"bytes": whole(options["packets"], "packets") * packet_bytes}
