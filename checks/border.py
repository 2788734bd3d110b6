"""The border of netplace: every public function checks its arguments from outside.

`guarded` gives every public module this border when it is imported: its functions, and the constructors and
methods of its classes. A call from outside checks each argument against the annotations, and an unintended
error, such as an ``IndexError`` for an array that is too short, becomes a sentence that names the arguments.
Calls within netplace skip the checks: modules of netplace import the functions behind the border.
"""

from __future__ import annotations

import functools
import inspect
import re
from abc import ABCMeta
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from netplace.native import checks

Border: Any = checks.Border

F = TypeVar("F", bound=Callable[..., Any])

# Records of a trace that is being read, whose columns one step after the other puts right.
_UNDER_WAY = ("netplace.apps.formats.", "netplace.apps.recorded.")
_CACHED = type(functools.cache(lambda: None))


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module defines for others: those without an underscore, or in ``__all__``."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return [name for name in names if getattr(vars(module).get(name), "__module__", "") == module.__name__]


def guard_module(module: ModuleType) -> None:
    """Put everything public that a module defines behind the border."""
    for name in public_names(module):
        value = vars(module)[name]
        if isinstance(value, type):
            _guard_class(value)
        elif isinstance(value, FunctionType | _CACHED):
            guarded = at_border(value, name)
            if guarded is not value and isinstance(value, FunctionType):
                value.__qualname__ += ".unguarded"  # by which worker processes find it
            setattr(module, name, guarded)


def behind_border(module: ModuleType) -> None:
    """Let a module of netplace call its imports without checks; its exports keep them."""
    exported = getattr(module, "__all__", ())
    for name, value in list(vars(module).items()):
        if type(value) is not Border or value.__module__ == module.__name__ or name in exported:
            continue
        if type(value.unguarded) is FunctionType:  # by which worker processes find it; see `guard_module`
            setattr(module, name, value.unguarded)


def _guard_class(kind: type) -> None:
    """Put the constructor and the public methods of a class behind the border."""
    if type(kind) not in (type, ABCMeta) or issubclass(kind, BaseException | tuple):
        return  # enumerations, protocols, errors, and tuples with names, which hold what they are given
    for name, held in list(vars(kind).items()):
        title = f"{kind.__name__}.{name}"
        if name in ("__init__", "__call__"):
            if isinstance(held, FunctionType):
                kept = _read_only(held, kind) if name == "__init__" else held
                setattr(kind, name, at_border(kept, kind.__name__, kind))
        elif name.startswith("_"):
            continue
        elif isinstance(held, classmethod | staticmethod):
            if isinstance(held.__func__, FunctionType):
                setattr(kind, name, type(held)(at_border(held.__func__, title)))
        elif isinstance(held, property):
            if held.fset is not None:
                setattr(kind, name, held.setter(at_border(held.fset, title)))
        elif isinstance(held, FunctionType):
            setattr(kind, name, at_border(held, title))


def _read_only(init: Callable[..., None], kind: type) -> Callable[..., None]:
    """Return what initializes a frozen record and makes the arrays that it holds read-only."""
    if not is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return init
    names = tuple(one.name for one in fields(kind) if re.search(r"Array|Nodes", str(one.type)))
    if not names or kind.__module__.startswith(_UNDER_WAY):
        return init
    from netplace.checks.arrays import make_read_only

    @functools.wraps(init)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        make_read_only(self, names)

    return call


def at_border(function: Callable[..., Any], title: str, kind: type | None = None) -> Callable[..., Any]:
    """Return a function that checks arguments from outside netplace; `kind`: class that it initializes."""
    if getattr(function, "guarded", False):
        return function
    guard: Any = None
    is_generator = inspect.isgeneratorfunction(function)

    def outside(*args: Any, **kwargs: Any) -> Any:
        nonlocal guard
        if guard is None:
            from netplace.checks.calls import Guard  # which imports NumPy: not before somebody calls

            guard = Guard(function, title, kind)
        if is_generator:
            return _told(guard, guard.call(args, kwargs), args, kwargs)
        return guard.call(args, kwargs)

    call: Any = functools.update_wrapper(Border(function, outside), function)
    if isinstance(function, _CACHED):
        call.cache_clear, call.cache_info = function.cache_clear, function.cache_info
    call.guarded = True
    return call  # type: ignore[no-any-return]


def checks_itself(function: F) -> F:
    """Mark a function that is called millions of times and checks its arguments itself."""
    function.guarded = True  # type: ignore[attr-defined]
    return function


def _told(guard: Any, items: Iterator[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    """Yield the items of a generator; an unintended error becomes a sentence."""
    try:
        yield from items
    except Exception as error:
        guard.tell(error, args, kwargs)
        raise
