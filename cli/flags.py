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
from netplace.report.files.outputs import PICTURES, check_output, check_output_folder

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


class Integer(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """Whole numbers from `least` to `most`."""

    name = "integer"

    def __init__(self, least: int = -MOST, most: int = MOST) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return check_int(value, _flag(param), self._least, self._most)


class Bytes(click.ParamType):  # type: ignore[type-arg]
    """Sizes in bytes, such as 4096 or 4KiB."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return check_bytes(value, _flag(param))


class Number(click.ParamType):  # type: ignore[type-arg]
    """Finite numbers from `least` to `most`."""

    name = "float"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return check_float(value, _flag(param), self._least, self._most)


class CountOrAuto(click.ParamType):  # type: ignore[type-arg]
    """Whole numbers from 1, or ``auto``."""

    name = "n|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the number that a user wrote."""
        return "auto" if value == "auto" else check_int(value, _flag(param), 1)


class Threads(click.ParamType):  # type: ignore[type-arg]
    """How many threads simulate a network, or ``auto``."""

    name = "n|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        from netplace.netsim.threads import checked_threads

        return checked_threads(int(value) if str(value).isdecimal() else value, _flag(param))


class OutputFile(click.ParamType):  # type: ignore[type-arg]
    """Files that can be written, as is known before anything long begins; with one of the endings."""

    name = "file"  # as --help shows it, in capitals

    def __init__(self, *endings: str) -> None:
        self._endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return check_output(Path(_named(value, param)), self._endings)


class OutputFolder(click.ParamType):  # type: ignore[type-arg]
    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return check_output_folder(Path(_named(value, param)), _flag(param))


def _named(value: Any, param: click.Parameter | None) -> str:
    if not str(value):
        raise ValueError(f"{_flag(param)}: is empty, expected a name")
    return str(value)


def _flag(param: click.Parameter | None) -> str:
    return max(param.opts, key=len) if param else "number"


WHOLE = Integer()
REAL = Number()
COUNT = Integer(1)
DRAWS = CountOrAuto()
SEED = Integer(0)
SEEDS = Integer(1, 1_000_000)  # every one is a run, whose result is held until the last has ended
PROCESSES = Integer(1, 4_096)
THREADS = Threads()
OUTPUT = OutputFile()
PICTURE = OutputFile(*PICTURES)
FOLDER = OutputFolder()
