"""Calls of every public function, class and method, with values that its annotations ask for, and others.

What is of a class of netplace comes from a pool: all that a few calls that work were given, and gave.
"""

import collections.abc
import importlib
import inspect
import io
import pkgutil
import types
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import numpy as np
from calls_that_work import Call, calls

from netplace.checks.border import public_names

__all__ = ["everything", "make_any_call", "modules"]

PUBLIC = (
    *("topologies", "apps", "netsim", "placement", "scheduling", "runs", "cosim", "advice", "testing"),
    *("report", "studies", "extensions"),
)
INNER = tuple(
    f"netplace.netsim.{name}"
    for name in (
        "codes",
        "compiled",
        "description",
        "domains",
        "job_words",
        "jobs",
        "kernel",
        "layout",
        "memory",
        "pool",
        "reference",
    )
)
NEVER = ("netplace.apps.recording",)  # runs what it is told to, and compiles
DEEPEST = 4  # levels of what is in the pool
TEXTS = (
    "torus:4x4",
    "butterfly",
    "contiguous",
    "easy",
    "random",
    "x",
    "m.trc",
    "g.txt",
    "uniform",
    "",
    "a,b",
)


def modules() -> list[str]:
    """Return the names of all public modules."""
    found = []
    for package in PUBLIC:
        root = importlib.import_module(f"netplace.{package}")
        below = pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
        found += [root.__name__, *sorted(one.name for one in below)]
    return [name for name in found if not name.startswith(INNER) and not name.endswith("__main__")]


@cache
def everything() -> dict[str, tuple[Callable[..., Any], type | None]]:
    """Return by name all that can be called, and the class of which it is a method."""
    found: dict[str, tuple[Callable[..., Any], type | None]] = {}
    for name in modules():
        module = importlib.import_module(name)
        for public in public_names(module):
            value = getattr(module, public)
            if not callable(value):
                continue
            if not isinstance(value, type):
                if inspect.isroutine(value) or hasattr(value, "cache_info"):
                    found[f"{name}.{public}"] = value, None
                continue
            if getattr(value, "_is_protocol", False) or issubclass(value, tuple | BaseException):
                continue
            if type(value).__name__ in ("type", "ABCMeta") and not inspect.isabstract(value):
                found[f"{name}.{public}"] = value, None
            for method, held in vars(value).items():
                if method.startswith("_"):
                    continue
                if isinstance(held, classmethod | staticmethod):
                    found[f"{name}.{public}.{method}"] = getattr(value, method), None
                elif callable(held):
                    found[f"{name}.{public}.{method}"] = held, value
    return dict(sorted(found.items()))


class Pool:
    """Things of netplace's own classes, by class."""

    def __init__(self) -> None:
        self._of: dict[type, list[Any]] = {}
        self._seen: set[int] = set()
        self._kept: list[Any] = []  # what is seen must live, for another may get its number
        for _, make in sorted(calls().items()):
            call = make()
            self._take(list(call.arguments.values()), 0)
            try:
                made = call.function(**call.arguments)
                self._take([made, list(made) if inspect.isgenerator(made) else None], 0)
            except Exception:  # some want a state that others have changed
                continue

    def _take(self, value: Any, depth: int) -> None:
        if depth > DEEPEST or id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._kept.append(value)
        if isinstance(value, Mapping):
            value = list(value.values())
        if isinstance(value, list | tuple):
            for item in value[:4]:
                self._take(item, depth + 1)
        if type(value).__module__.startswith("netplace."):
            held = self._of.setdefault(type(value), [])
            if len(held) < 3:
                held.append(value)
            for item in list(getattr(value, "__dict__", {}).values()):
                self._take(item, depth + 1)

    def all_of(self, kind: type) -> list[Any]:
        """Return what is of a class, or of one derived from it."""
        try:
            return [item for one, held in self._of.items() if issubclass(one, kind) for item in held]
        except TypeError:  # a protocol that says nothing of classes
            return [held[0] for held in self._of.values()]

    def any_of(self, rng: np.random.Generator) -> Any:
        """Return anything."""
        kinds = list(self._of.values())
        return kinds[int(rng.integers(len(kinds)))][0]


@cache
def pool() -> Pool:
    """Return the pool, which is made once."""
    return Pool()


def good(hint: Any, rng: np.random.Generator, depth: int = 0) -> Any:
    """Return something that an annotation asks for, if that can be had."""
    origin, args = get_origin(hint), get_args(hint)

    def one(*options: Any) -> Any:
        return options[int(rng.integers(len(options)))]

    if hint in (inspect.Parameter.empty, Any, object):
        return one(0, "x", np.arange(4), None)
    if origin in (Union, types.UnionType):
        return good(one(*args), rng, depth)
    if origin is typing.Literal:
        return one(*args)
    if hint is type(None):
        return None
    if hint in (int, float, bool, str):
        options = {int: (0, 1, 2, 4, 16), float: (0.0, 0.5, 1.0, 60.0), bool: (True, False), str: TEXTS}
        return one(*options[hint])
    if hint is Path:
        return Path(one("m.trc", "g.txt", "nope", "out"))
    if origin is np.ndarray or hint is np.ndarray:
        shape = one((4,), (16,), (4, 4), (16, 4), (3, 2), (0,))
        kind = "float64" if "float" in str(hint) else "bool" if "bool" in str(hint) else "int64"
        return (np.arange(np.prod(shape)) % 16).reshape(shape).astype(kind)
    if origin is tuple and args and args[-1] is not Ellipsis:
        return tuple(good(arg, rng, depth + 1) for arg in args)
    if origin in (collections.abc.Mapping, dict):
        key, held = args or (str, Any)
        keys = [good(key, rng, depth + 1) for _ in range(2)]
        return {
            one if isinstance(one, Hashable) and not isinstance(one, tuple) else "x": good(
                held, rng, depth + 1
            )
            for one in keys
        }
    if origin in (list, tuple, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Set):
        return [good(args[0] if args else Any, rng, depth + 1) for _ in range(one(0, 1, 2, 4))]
    if origin is collections.abc.Callable:
        return lambda *_: one(0, 1.0, None)
    if "ArrayLike" in str(hint) or "_SupportsArray" in str(hint):
        return one([0, 1], np.arange(4), 3)
    kind = origin or hint
    if isinstance(kind, type):
        held = pool().all_of(kind)
        if held:
            return held[int(rng.integers(len(held)))]
        if is_dataclass(kind) and depth < 3:
            try:
                return kind(
                    **{
                        one.name: good(hints_of(kind).get(one.name, Any), rng, depth + 1)
                        for one in fields(kind)
                    }
                )
            except Exception:  # no good one after all
                return object()
    return object()


@cache
def hints_of(holder: Any) -> dict[str, Any]:
    """Return the annotations of a function or class; none where one cannot be resolved."""
    try:
        return typing.get_type_hints(holder)
    except (NameError, AttributeError, TypeError):
        return {}


class Hollow:
    """Has nothing that anybody asks for."""

    def __repr__(self) -> str:
        return "<hollow>"


def used_up() -> Iterator[int]:
    """Return a generator that has been used."""
    made = iter(range(3))
    list(made)
    return (item for item in made)


def closed() -> io.StringIO:
    """Return a closed file."""
    made = io.StringIO("text")
    made.close()
    return made


def strange(value: Any, rng: np.random.Generator, bad: tuple[Any, ...]) -> Any:
    """Return something else in place of a value, of one of many kinds."""
    how = int(rng.integers(8))
    if how == 0:
        return pool().any_of(rng)  # such as a network in place of a program
    if how == 1:
        return (Hollow(), used_up(), closed(), [[1], [1, 2]], {"a": value}, [value, None], iter([value]))[
            int(rng.integers(7))
        ]
    if isinstance(value, np.ndarray) and how < 5:
        shapes = (
            value[:-1],
            value[None],
            value.astype(float) * np.nan,
            value - 2**40,
            value.astype(str),
            value[:0],
        )
        return shapes[int(rng.integers(len(shapes)))] if value.ndim else bad[0]
    if isinstance(value, int | float) and how < 5:
        numbers = (-value, -1, 0, 2**31, 2**63, 10**30, float("nan"), float("inf"), value + 1000, str(value))
        return numbers[int(rng.integers(len(numbers)))]
    return bad[int(rng.integers(len(bad)))]


def make_any_call(number: int, bad: tuple[Any, ...]) -> tuple[str, Call]:
    """Return a call by its number, of anything public, with one or two arguments that are strange."""
    rng = np.random.default_rng([2028, number])
    names = list(everything())
    while True:
        name = names[int(rng.integers(len(names)))]
        function, of = everything()[name]
        parameters = inspect.signature(function).parameters
        holder = (
            function
            if not isinstance(function, type)
            else (function if is_dataclass(function) else function.__init__)
        )
        hints = hints_of(inspect.unwrap(holder) if not isinstance(holder, type) else holder)
        if of is not None:
            held = pool().all_of(of)
            if not held:
                continue
            function, parameters = (
                getattr(held[0], name.rpartition(".")[2]),
                dict(list(parameters.items())[1:]),
            )
        taken = [
            key for key, one in parameters.items()
            if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
            and (one.default is one.empty or rng.random() < 0.5)
        ]  # fmt: skip
        if not taken or name.startswith(NEVER):
            continue
        arguments = {key: good(hints.get(key, Any), rng) for key in taken}
        for key in rng.permutation(taken)[: int(rng.integers(1, 3))]:
            arguments[str(key)] = strange(arguments[str(key)], rng, bad)
        return name, Call(function, arguments)
