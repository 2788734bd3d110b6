"""Flags of commands, and their types: numbers within bounds, and files that can be written.

A mistake names the flag.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click

from netplace.inputs import MOST, check_bytes, check_float, check_int
from netplace.report.files.outputs import PICTURES, check_output

Command = TypeVar("Command", bound=Callable[..., Any])


def flag(
    names: str, help: str, kind: Any = None, default: Any = None, **more: Any
) -> Callable[[Command], Command]:
    """Return what adds a flag to a command.

    `names` of the flag, and perhaps of its parameter, are separated by spaces; `help` says of the default
    only what `default` does not; `kind` is ``bool`` for a switch; `more` is as of `click.option`.
    """
    if kind is bool:
        more["is_flag"] = True
    elif default is not None:
        more |= {"type": kind, "default": default, "show_default": default != ""}
    else:
        more["type"] = kind
    return click.option(*names.split(), help=help, **more)


def flags(*each: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return what adds several flags to a command, in their order."""

    def added(command: Command) -> Command:
        for add in reversed(each):
            command = add(command)
        return command

    return added


class Checked(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """What `check` returns of a text and of the name of the flag, which its mistakes begin with."""

    def __init__(self, name: str, check: Callable[[Any, str], Any]) -> None:
        self.name, self._check = name, check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._check(value, max(param.opts, key=len) if param else "number")


def whole(minimum: int = -MOST, maximum: int = MOST) -> Checked:
    """Return the type of whole numbers from `minimum` to `maximum`."""
    return Checked("integer", lambda value, flag: check_int(value, flag, minimum, maximum))


def real(minimum: float = -math.inf, maximum: float = math.inf) -> Checked:
    """Return the type of finite numbers from `minimum` to `maximum`."""
    return Checked("float", lambda value, flag: check_float(value, flag, minimum, maximum))


def output_file(*endings: str) -> Checked:
    """Return the type of files that can be written, as is known before anything long begins."""

    def check(value: Any, flag: str) -> Path:
        if not str(value):
            raise ValueError(f"{flag}: is empty, expected a name")
        return check_output(Path(value), endings)

    return Checked("file", check)


def _threads(value: Any, flag: str) -> int | str:
    from netplace.netsim.threads import checked_threads

    return checked_threads(int(value) if str(value).isdecimal() else value, flag)


WHOLE = whole()
REAL = real()
COUNT = whole(1)
BYTES = Checked("bytes", check_bytes)  # such as 4096 or 4KiB
DRAWS = Checked("n|auto", lambda value, flag: "auto" if value == "auto" else check_int(value, flag, 1))
SEED = whole(0)
SEEDS = whole(1, 1_000_000)  # every one is a run, whose result is held until the last has ended
PROCESSES = whole(1, 4_096)
THREADS = Checked("n|auto", _threads)
OUTPUT = output_file()
PICTURE = output_file(*PICTURES)
