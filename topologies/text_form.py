"""Text forms of networks: conversion of the part after the colon to arguments of a constructor."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from netplace.inputs import check_int
from netplace.topologies.topology import Topology

_OPTION = re.compile(r",(?=[a-z]+=)")  # a comma of a file's name is followed by something else


@dataclass(frozen=True)
class Kind:
    """One kind of network: its constructor and its text form.

    Attributes
    ----------
    read : callable
        Function that converts the whole text form to the positional arguments of `build`.
    example : str
        A text form.
    """

    build: Callable[..., Topology]
    read: Callable[[str], tuple[Any, ...]]
    example: str
    description: str


def read_sides(text: str) -> tuple[tuple[int, ...]]:
    """Return the sides of a grid, for ``"torus:8x4"`` ``((8, 4),)``."""
    words = _after_colon(text).split("x")
    return (tuple(check_int(word, f"{text}: side {place + 1}") for place, word in enumerate(words)),)


def read_sides_and_twist(text: str) -> tuple[tuple[int, ...], int | None]:
    """Return the sides and the twist, or None: for ``"twisted:8x4+3"`` ``((8, 4), 3)``."""
    sides, plus, twist = text.partition("+")
    return read_sides(sides)[0], check_int(twist, f"{text}: twist") if plus else None


def read_numbers(*names: str) -> Callable[[str], tuple[int, ...]]:
    """Return a reader of one number for each of `names`; ``"tree:4,3"`` gives ``(4, 3)``.

    The reader raises ValueError if there are more or fewer, or one is not a whole number of at least 1.
    """

    def read(text: str) -> tuple[int, ...]:
        words = _after_colon(text).split(",")
        if len(words) != len(names):
            raise ValueError(f"{text}: {len(words)} numbers given, expected {len(names)} ({','.join(names)})")
        return tuple(check_int(word, f"{text}: {name}") for word, name in zip(words, names, strict=True))

    return read


def read_sides_and_nodes(text: str) -> tuple[tuple[int, ...], int | None]:
    """Return the sides and the nodes per switch, or None: ``"torus:8x4,c=2"``."""
    sides, _, option = text.partition(",")
    if "=" not in option:
        return read_sides(text)[0], None
    return read_sides(sides)[0], _options(text, option, {"c": 1})["c"]


def read_named(*required: str, **optional: int | None) -> Callable[[str], tuple[Any, ...]]:
    """Return a reader of ``name=value`` parts, for ``"dragonfly:a=4,p=2,h=2"`` ``(4, 2, 2, None, ..)``."""

    def read(text: str) -> tuple[Any, ...]:
        values = _options(text, _after_colon(text), {**dict.fromkeys(required, 1), **optional})
        for name in required:
            if values[name] is None:
                raise ValueError(
                    f"{text}: {name} is missing, expected {','.join(f'{n}=..' for n in required)}"
                )
        return tuple(values.values())

    return read


def read_first_number(**optional: int | None) -> Callable[[str], tuple[Any, ...]]:
    """Return a reader of a number and ``name=value`` parts, for ``"slimfly:5,p=3"`` ``(5, 3)``."""

    def read(text: str) -> tuple[Any, ...]:
        first, _, rest = _after_colon(text).partition(",")
        values = _options(text, rest, optional)
        return (check_int(first, text), *values.values())

    return read


def read_tree(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the arities of ``"xgft:3;4,4,4;1,2,2"``, downwards and upwards, and widths if given."""
    parts = _after_colon(text).split(";")
    if len(parts) not in (3, 4):
        raise ValueError(f"{text}: expected height;m1,..,mh;w1,..,wh such as xgft:3;4,4,4;1,2,2")
    height = check_int(parts[0], f"{text}: height")
    given = tuple(tuple(check_int(word, f"{text}: arity") for word in part.split(",")) for part in parts[1:])
    if any(len(numbers) != height for numbers in given):
        counts = " and ".join(f"{len(numbers)} {name}" for name, numbers in zip("mwp", given, strict=False))
        raise ValueError(f"{text}: {counts} given for a height of {height}")
    return given


def read_path(text: str) -> tuple[str]:
    return (_after_colon(text),)


def read_path_and(*names: str) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of a file and ``name=value`` parts, such as ``"slurm:FILE,taper=2"``."""

    def read(text: str) -> tuple[str, ...]:
        path, *rest = _OPTION.split(_after_colon(text))
        values = dict.fromkeys(names, "")
        for part in rest:
            name, _, value = part.partition("=")
            if name not in values or not value:
                raise ValueError(f"{text}: {part!r}, expected {', '.join(f'{n}=..' for n in names)}")
            values[name] = value
        return (path, *values.values())

    return read


MODIFIERS = ("faulty:", "service:", "nodes:")  # kinds that another network stands behind


def innermost(text: str) -> str:
    """Return the text form of the network that all modifiers change; empty if they name none.

    Examples
    --------
    >>> innermost("faulty:links=0.1/nodes:tasks=2/torus:8x8")
    'torus:8x8'
    """
    while text.startswith(MODIFIERS):
        text = text.partition("/")[2]
    return text


def _modifier(label: str, example: str, **minimum: int | None) -> Callable[[str], tuple[str, dict[str, Any]]]:
    """Return a reader of ``name=value`` parts, a slash and a network; `minimum` as in `_options`."""

    def read(text: str) -> tuple[str, dict[str, Any]]:
        given, slash, network = _after_colon(text).partition("/")
        if not slash or not network:
            raise ValueError(f"{text}: expected {label}, a slash and a network, such as {example}")
        values = _options(text, given, minimum)
        return network, {name: value for name, value in values.items() if value is not None}

    return read


read_shares = _modifier(
    "faults", "faulty:links=0.1/torus:8x8",
    links=None, routers=None, slow=None, seed=None, cycles=None,
)  # fmt: skip
read_service = _modifier("nodes", "service:every=16/torus:8x8", nodes=None, every=1, first=0)
_read_tasks = _modifier(
    "tasks", "nodes:tasks=16/torus:8x8",
    tasks=1, sockets=1, rails=1, planes=1, nic=1, memory=1, latency=0, bus=1, crossing=0,
)  # fmt: skip


def read_compute_nodes(text: str) -> tuple[str, dict[str, int]]:
    """Return the network and the numbers of ``"nodes:tasks=16,rails=2/torus:8x8"``."""
    network, numbers = _read_tasks(text)
    if "tasks" not in numbers:
        raise ValueError(f"{text}: tasks is missing, expected tasks=.. before the slash")
    return network, numbers


def _options(text: str, given: str, minimum: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the values of ``name=value`` parts: numbers of at least so much, or text where it is None."""
    values: dict[str, Any] = dict.fromkeys(minimum)
    for part in given.split(",") if given else []:
        name, equals, value = part.partition("=")
        if not equals or name not in minimum:
            expected = ", ".join(f"{known}=.." for known in minimum)
            raise ValueError(f"{text}: unknown {part!r}, expected {expected}")
        if values[name] is not None:
            raise ValueError(f"{text}: {name} appears twice")
        fewest = minimum[name]
        values[name] = value if fewest is None else check_int(value, f"{text}: {name}", fewest)
    return values


def _after_colon(text: str) -> str:
    return text.partition(":")[2]
