"""Calls from Python: each argument is of the kind that the signature says, or a sentence names it.

The signature is read once, when a function is first called; a check of an argument is an ``isinstance``.
Ranges, shapes and names are for the functions themselves to check.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from netplace.checks.shown import shortened, shown

__all__ = [
    "ArgumentError",
    "check_arguments",
    "check_fields",
    "check_keys",
    "check_takes",
    "checked",
    "pairs_of",
]

P = ParamSpec("P")
R = TypeVar("R")

_Test = Callable[[Any], bool]


class ArgumentError(ValueError, TypeError):
    """An argument of the wrong type: a mistake like any other, and what Python calls a TypeError."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that first checks that every argument is of the type that its signature says.

    Integers and floats may be those of NumPy, flags may be 0 and 1, sequences may be arrays. What is
    annotated as ``Any`` or ``ArrayLike`` is left to the function. A number of NumPy arrives as the same
    number of Python, which no product makes too large for its type. However long the name of a network,
    or another text, is, what the function says of it is short enough to be read.

    Examples
    --------
    >>> @checked
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double("4")
    Traceback (most recent call last):
        ...
    netplace.checks.calls.ArgumentError: double: number: '4' is not a whole number
    """
    names = list(inspect.signature(function).parameters)
    title = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check_arguments(function, {**dict(zip(names, args, strict=False)), **kwargs}, title)
        try:
            return function(*map(_of_python, args), **{name: _of_python(kwargs[name]) for name in kwargs})
        except (ValueError, LookupError) as error:
            error.args = tuple(shortened(part) if isinstance(part, str) else part for part in error.args)
            raise

    return call


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any], title: str) -> None:
    """Check that arguments, by name, are of the types that the signature of a function says.

    Raises
    ------
    ArgumentError
        If one is not; `title` says of what.
    """
    tests = _tests_of_function(function)
    for name, value in given.items():
        if name in tests and not tests[name][0](value):
            raise ArgumentError(f"{title}: {name}: {shown(value)} is not {tests[name][1]}")


def check_fields(made: Any, kind: type | None = None) -> None:
    """Check that every field of a dataclass is of the type that its annotation says.

    A number of NumPy becomes the same number of Python.

    Parameters
    ----------
    made : dataclass instance
        What was made.
    kind : type, optional
        Class whose fields are checked, a base of that of `made`; by default its own.

    Raises
    ------
    ArgumentError
        If one is not, naming it.
    """
    for name, (test, expected, usual) in _tests_of_fields(kind or type(made)).items():
        value = getattr(made, name)
        if value is not usual and not test(value):
            raise ArgumentError(f"{type(made).__name__}: {name}: {shown(value)} is not {expected}")
        if isinstance(value, np.generic):
            object.__setattr__(made, name, _of_python(value))


def _of_python(value: Any) -> Any:
    """Return a number of NumPy as one of Python, anything else as it is."""
    return value.item() if isinstance(value, np.integer | np.floating | np.bool_) else value


def check_keys(kind: type, plain: Any, what: str) -> None:
    """Check that a mapping has a key for every field of a dataclass that needs one, and no others.

    Raises
    ------
    ArgumentError
        If it is no mapping, or a key is missing or unknown; `what` says what it describes.
    """
    if not isinstance(plain, Mapping):
        raise ArgumentError(f"{what}: is {shown(plain)}, expected a mapping")
    known = {item.name: item for item in fields(kind)}
    for name in plain:
        if name not in known:
            raise ArgumentError(f"{what}: unknown key {shown(name)}, expected {', '.join(known)}")
    for name, item in known.items():
        if name not in plain and item.default is MISSING and item.default_factory is MISSING:
            raise ArgumentError(f"{what}: {name} is missing")


def check_takes(function: Callable[..., Any], count: int, what: str) -> None:
    """Check that a function of somebody's own can be called with so many arguments.

    Raises
    ------
    ArgumentError
        If it cannot; `what` says what it is for.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some that are compiled do not say what they take
        return
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        raise ArgumentError(f"{what}: cannot be called with {count} argument(s), {error}") from None


def pairs_of(given: Any, what: str) -> tuple[tuple[Any, Any], ...]:
    """Return pairs, such as a list of lists that JSON held, as a tuple of tuples.

    Raises
    ------
    ArgumentError
        If something in it is no pair.
    """
    if not _is_sequence(given) or not all(_is_sequence(pair) and len(pair) == 2 for pair in given):
        raise ArgumentError(f"{what}: is {shown(given)}, expected pairs")
    return tuple((name, value) for name, value in given)


@functools.lru_cache(maxsize=1024)
def _tests_of_function(function: Callable[..., Any]) -> dict[str, tuple[_Test, str]]:
    return _tests(_hints(function), inspect.signature(function).parameters)


@functools.cache
def _tests_of_fields(kind: type) -> dict[str, tuple[_Test, str, Any]]:
    """Return the test of each field, what it expects, and the default, which needs no test."""
    usual = {item.name: item.default for item in fields(kind)}
    tests = _tests(get_type_hints(kind), usual)
    return {name: (test, expected, usual[name]) for name, (test, expected) in tests.items()}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of arguments; none where only type checkers know one of them."""
    try:
        return get_type_hints(function)
    except NameError:
        return {}


def _tests(hints: dict[str, Any], names: Iterable[str]) -> dict[str, tuple[_Test, str]]:
    tests = {name: _test(hints[name]) for name in names if name in hints}
    return {name: test for name, test in tests.items() if test is not None}


# Tuples, made once: these tests are made several times in a simulation.
_FLAGS, _WHOLES = (bool, np.bool_), (int, np.integer)
_REALS = (int, float, np.integer, np.floating)


def _is_flag(value: Any) -> bool:
    return isinstance(value, _FLAGS) or (type(value) is int and 0 <= value <= 1)


def _is_whole(value: Any) -> bool:
    return isinstance(value, _WHOLES) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return isinstance(value, _REALS) and not isinstance(value, bool)


def _is_sequence(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_iterable(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


_PLAIN: dict[Any, tuple[_Test, str]] = {
    bool: (_is_flag, "True or False"),
    int: (_is_whole, "a whole number"),
    float: (_is_real, "a number"),
    str: (lambda value: isinstance(value, str), "text"),
    type(None): (lambda value: value is None, "None"),
}


def _test(hint: Any) -> tuple[_Test, str] | None:
    """Return the test of an annotation and what it expects, for people; None: everything passes."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union([_test(part) for part in get_args(hint)])
    if origin in (Sequence, list, tuple):
        return _items(hint, _is_sequence, "sequence")
    if origin is Iterable:
        return _items(hint, _is_iterable, "number of things")
    if origin in (Mapping, dict):
        return (lambda value: isinstance(value, Mapping)), "a mapping"
    if origin is Callable:
        return callable, "something that can be called"
    kind = origin or hint
    if kind is np.ndarray:
        return (lambda value: isinstance(value, np.ndarray)), "an array"
    if kind is Any or not isinstance(kind, type):  # Any is a type since Python 3.11
        return None
    if getattr(kind, "_is_protocol", False):
        return _protocol(kind)
    return (lambda value: isinstance(value, kind)), f"{_article(kind.__name__)} {kind.__name__}"


def _union(parts: list[tuple[_Test, str] | None]) -> tuple[_Test, str] | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    tests = [test for test, _ in known]

    def either(value: Any) -> bool:
        for test in tests:  # noqa: SIM110  (twice as fast as any())
            if test(value):
                return True
        return False

    return either, " or ".join(text for _, text in known)


def _items(hint: Any, is_kind: _Test, kind: str) -> tuple[_Test, str]:
    """Return the test of several things of one type; what an array holds is left to the function."""
    args = [arg for arg in get_args(hint) if arg is not Ellipsis]
    inner = _test(args[0]) if len(args) == 1 else None
    if inner is None:
        return is_kind, f"a {kind}"
    test, expected = inner
    numbers = args[0] in (int, float)

    def all_of(value: Any) -> bool:
        if not is_kind(value):
            return False
        if isinstance(value, np.ndarray):
            return numbers
        return not isinstance(value, Sequence) or all(map(test, value))  # an iterator is not used up

    return all_of, f"a {kind}, each {expected}"


def _protocol(kind: type) -> tuple[_Test, str] | None:
    """Return the test of a protocol: whether all its methods are there; those of NumPy have none by name."""
    methods = [name for base in kind.__mro__ for name, held in vars(base).items() if _is_method(name, held)]
    if not methods:
        return None
    return (
        lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in methods),
        f"{_article(kind.__name__)} {kind.__name__}, with {', '.join(methods)}",
    )


def _is_method(name: str, held: Any) -> bool:
    return not name.startswith("_") and inspect.isfunction(held)


def _article(name: str) -> str:
    return "an" if name[:1].lower() in "aeiou" else "a"
