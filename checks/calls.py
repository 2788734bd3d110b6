"""Calls from Python: an unusable argument gives an error with a sentence that names it.

The requirements follow from the signature, which is read on the first call of a function. The functions
themselves check ranges, shapes and names.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import FrameType, TracebackType
from typing import Any, Generic, TypeVar

import numpy as np

from netplace.checks.annotations import ANYTHING, Check, check_of, hints_of, is_sequence
from netplace.checks.display import abbreviate, shortened

_RAISE = dis.opmap["RAISE_VARARGS"]
_LIBRARIES = {
    *sys.stdlib_module_names,
    *("click", "distributed", "duckdb", "matplotlib", "networkx", "numpy", "otf2"),
    *("pandas", "pyarrow", "rich", "rich_click", "scipy", "simpy"),
}


def is_ours(frame: FrameType) -> bool:
    """Return whether a frame runs code of netplace."""
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("netplace.")


def is_accident(error: Exception, trace: TracebackType | None) -> bool:
    """Return whether an error is not an intended message to the user; `trace` begins at the call."""
    if isinstance(error, OSError | ImportError) or _root(type(error).__module__) not in _LIBRARIES:
        return False  # among them those of classes of netplace's, or the user's own
    if trace is None:  # Python's own sentence on names and numbers of arguments
        return "argument" not in str(error)
    while True:
        frame = trace.tb_frame
        if not is_ours(frame) and _root_of(frame) not in _LIBRARIES:
            return False  # code of the user's own, such as a rule
        if trace.tb_next is None:
            break
        trace = trace.tb_next
    if _root_of(frame) == "simpy" and isinstance(error.__cause__, Exception):  # which raises it once more
        return is_accident(error.__cause__, error.__cause__.__traceback__)
    if not is_ours(frame) or frame.f_code.co_code[trace.tb_lasti] != _RAISE:
        return True
    if isinstance(error, AssertionError):  # what `netplace.testing` says; elsewhere, a statement that failed
        return not frame.f_globals["__name__"].startswith("netplace.testing.")
    return isinstance(error, KeyError | IndexError | AttributeError | ArithmeticError)


def _root_of(frame: FrameType) -> str:
    return _root(frame.f_globals.get("__name__", ""))


def _root(module: str) -> str:
    return module.partition(".")[0]


R = TypeVar("R")


class ArgumentError(ValueError, TypeError):
    """An argument of the wrong type: both an ordinary mistake and a TypeError of Python."""


class Guard(Generic[R]):
    """The requirements of a function on its arguments; `kind` is the class whose instances it initializes."""

    def __init__(self, function: Callable[..., R], title: str, kind: type | None = None) -> None:
        self.function, self.title, self._kind = function, title, kind
        self._keeps = is_dataclass(kind) and getattr(kind, _PARAMETERS).frozen
        self._checks: dict[str, tuple[Check, Any]] = {}
        self._in_order: list[str] = []
        self._rest: list[str] = []

    def _read(self) -> None:
        """Read the signature."""
        hints = hints_of(self._kind if self._kind and is_dataclass(self._kind) else self.function)
        for name, parameter in inspect.signature(self.function).parameters.items():
            self._checks[name] = check_of(hints.get(name, Any)), parameter.default
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                self._in_order.append(name)
            elif parameter.kind is parameter.VAR_POSITIONAL:
                self._rest.append(name)

    def check(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments, checked and converted: Python numbers, and arrays where expected."""
        settled = []
        for name, value in self._by_name(args, kwargs):
            check, default = self._checks.get(name, (ANYTHING, None))
            if type(value) not in check.passing and value is not default:
                if not check.passes(value):
                    raise ArgumentError(
                        f"{self._called(args)}: {name}: {_said(value)} is not {check.expected}"
                    )
                settled.append(check.settled(value))
            else:
                settled.append(value)
        return settled

    def _called(self, args: tuple[Any, ...]) -> str:
        """Return the name of the function in messages; a method has the class of its object."""
        if self._in_order[:1] != ["self"] or not args:
            return self.title
        return type(args[0]).__name__ + "".join(self.title.partition(".")[1:])

    def _by_name(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        if not self._checks:
            self._read()
        more = len(args) - len(self._in_order)
        names = self._in_order + (self._rest or ["argument"]) * more  # too many: Python says so
        return itertools.chain(zip(names, args, strict=False), kwargs.items())

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        """Check arguments and call the function; see `tell` for its errors."""
        settled = self.check(args, kwargs)
        if self._keeps:  # what a record holds is its own, whatever becomes of the caller's array
            settled = [value.copy() if isinstance(value, np.ndarray) else value for value in settled]
        args, kwargs = tuple(settled[: len(args)]), dict(zip(kwargs, settled[len(args) :], strict=True))
        try:
            return self.function(*args, **kwargs)
        except Exception as error:
            self.tell(error, args, kwargs)
            raise

    def tell(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Shorten the message of an error, whatever it quotes."""
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        if is_accident(error, trace):
            given = ", ".join(
                f"{name}={_said(value)}" for name, value in self._by_name(args, kwargs) if name != "self"
            )
            reason = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
            raise ArgumentError(shortened(f"{self._called(args)}: cannot use {given} ({reason})")) from error
        if isinstance(error, ValueError | LookupError):
            error.args = tuple(shortened(part) if isinstance(part, str) else part for part in error.args)


def _said(value: Any) -> str:
    return " ".join(abbreviate(value).split())


_PARAMETERS = "__dataclass_params__"


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any], title: str) -> None:
    """Check that arguments, by name, are of the types that the signature of a function says."""
    _guard_of(function, title).check((), given)


@functools.lru_cache(maxsize=1024)
def _guard_of(function: Callable[..., Any], title: str) -> Guard[Any]:
    return Guard(function, title)


def check_fields(made: Any, kind: type | None = None) -> None:
    """Check every field of a dataclass against its annotation; NumPy scalars become Python numbers."""
    for name, check, usual in _checks_of_fields(kind or type(made)):
        value = getattr(made, name)
        if type(value) in check.passing or value is usual:
            continue
        if not check.passes(value):
            raise ArgumentError(f"{type(made).__name__}: {name}: {_said(value)} is not {check.expected}")
        if isinstance(value, np.generic):
            object.__setattr__(made, name, value.item())


@functools.cache
def _checks_of_fields(kind: type) -> list[tuple[str, Check, Any]]:
    """Return the check of each field, and the default, which needs none."""
    hints = hints_of(kind)
    return [(item.name, check_of(hints.get(item.name, Any)), item.default) for item in fields(kind)]


def check_keys(kind: type, plain: Any, what: str) -> None:
    """Check that a mapping has a key for every field of a dataclass that needs one, and no others."""
    if not isinstance(plain, Mapping):
        raise ArgumentError(f"{what}: is {abbreviate(plain)}, expected a mapping")
    known = {item.name: item for item in fields(kind)}
    for name in plain:
        if name not in known:
            raise ArgumentError(f"{what}: unknown key {abbreviate(name)}, expected {', '.join(known)}")
    for name, item in known.items():
        if name not in plain and item.default is MISSING and item.default_factory is MISSING:
            raise ArgumentError(f"{what}: {name} is missing")


def check_takes(function: Callable[..., Any], count: int, what: str) -> None:
    """Check that a user's function can be called with the given number of arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some that are compiled do not say what they take
        return
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        raise ArgumentError(f"{what}: cannot be called with {count} argument(s), {error}") from None


def pairs_of(given: Any, what: str) -> tuple[tuple[Any, Any], ...]:
    """Return pairs, such as a list of lists that JSON held, as a tuple of tuples."""
    if type(given) is tuple and {tuple}.issuperset(map(type, given)) and {2}.issuperset(map(len, given)):
        return given
    if not is_sequence(given) or not all(is_sequence(pair) and len(pair) == 2 for pair in given):
        raise ArgumentError(f"{what}: is {abbreviate(given)}, expected pairs")
    return tuple((name, value) for name, value in given)
