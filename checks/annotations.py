"""The check of a value against an annotation, with words for the expected values.

For most values, the type alone decides. A `Check` remembers passing types, so that the next check is a set
lookup.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

Test = Callable[[Any], bool]


@dataclass(frozen=True, eq=False)
class Check:
    """The check of a value against an annotation."""

    test: Test  # test of a value
    expected: str  # description of passing values
    by_type: bool = True  # whether all values of a type pass if one does
    # Types whose values have passed, if `by_type`; without NumPy scalars, which are converted to Python
    # numbers.
    passing: set[type] = field(default_factory=set)
    is_array: bool = False  # whether an array is expected, to which numbers and lists are converted

    def passes(self, value: Any) -> bool:
        kind = type(value)
        if kind in self.passing:
            return True
        if not self.test(value):
            return False
        if self.by_type and not issubclass(kind, np.generic):
            self.passing.add(kind)
        return True

    def settled(self, value: Any) -> Any:
        """Return a passing value in its final form: a NumPy scalar as a Python number."""
        if self.is_array and not isinstance(value, np.ndarray):
            made = np.asarray(value)
            return made if made.size else made.astype(np.int64)
        return value.item() if isinstance(value, np.integer | np.floating | np.bool_) else value

    def all_pass(self, values: Any) -> bool:
        return self.passing.issuperset(map(type, values)) or all(map(self.passes, values))


ANYTHING = Check(lambda value: True, "anything")


def hints_of(holder: Any) -> dict[str, Any]:
    """Return the types of arguments or fields; types unknown at run time match by name."""
    known: dict[str, Any] = {}
    while True:
        try:
            return get_type_hints(holder, localns=known or None)
        except NameError as error:
            name = str(error.name)
            known[name] = _Named(name)
        except (AttributeError, TypeError):  # such as one of a module that only type checkers import
            return {}


class _Named:
    """Placeholder for a type of which only the name is known."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> None:
        """Let `typing` take it for a type."""

    def __getitem__(self, _: Any) -> _Named:
        return self

    def __getattr__(self, name: str) -> _Named:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Named(name)

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007


def check_of(hint: Any) -> Check:
    try:
        return _kept(hint)
    except TypeError:  # one that has no hash
        return _made(hint)


@functools.lru_cache(maxsize=4096)
def _kept(hint: Any) -> Check:
    return _made(hint)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_) or (type(value) is int and 0 <= value <= 1)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_sequence(value: Any) -> bool:
    """Return whether a value is a sequence, such as a list, a tuple or an array, but not text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_iterable(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


_PLAIN: dict[Any, Check] = {
    bool: Check(_is_flag, "True or False", passing={bool}, by_type=False),
    int: Check(_is_whole, "a whole number", passing={int}),
    float: Check(_is_real, "a number", passing={float, int}),
    str: Check(lambda value: isinstance(value, str), "text", passing={str}),
    bytes: Check(lambda value: isinstance(value, bytes), "bytes", passing={bytes}),
    type(None): Check(lambda value: value is None, "None", passing={type(None)}),
    Any: ANYTHING,
    object: ANYTHING,
    inspect.Parameter.empty: ANYTHING,
}


def _made(hint: Any) -> Check:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint == ArrayLike:
        return Check(_is_array_like, "numbers or an array of them", by_type=False)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union([check_of(part) for part in args])
    if origin is Literal:
        return Check(lambda value: value in args, " or ".join(map(repr, args)), by_type=False)
    if origin is np.ndarray:
        return _array(hint)
    if origin is tuple and args and args[-1] is not Ellipsis:
        return _tuple([check_of(part) for part in args])
    if origin in (Sequence, list, tuple):
        return _items(args[:1], is_sequence, "sequence")
    if origin is Iterable:
        return _items(args[:1], _is_iterable, "number of things")
    if origin in (Set, set, frozenset):
        return _items(args[:1], lambda value: isinstance(value, Set), "set")
    if origin in (Mapping, dict):
        return _mapping([check_of(part) for part in args])
    if origin is Callable:
        return Check(callable, "something that can be called")
    if origin is type:
        return Check(lambda value: isinstance(value, type), "a class")
    if isinstance(hint, TypeVar):
        return check_of(hint.__bound__) if hint.__bound__ is not None else ANYTHING
    return _class(origin or hint)


def _class(kind: Any) -> Check:
    if isinstance(kind, _Named):
        name = kind.name
        named = f"{_article(name)} {name}"
        return Check(lambda value: any(base.__name__ == name for base in type(value).__mro__), named)
    if not isinstance(kind, type):
        return ANYTHING
    if getattr(kind, "_is_protocol", False):
        return _protocol(kind)
    return Check(lambda value: isinstance(value, kind), f"{_article(kind.__name__)} {kind.__name__}")


def _union(parts: list[Check]) -> Check:
    if ANYTHING in parts:
        return ANYTHING
    passing: set[type] = set().union(*(part.passing for part in parts))

    def either(value: Any) -> bool:
        for part in parts:
            if type(value) in part.passing or part.passes(value):
                passing.update(part.passing)
                return True
        return False

    expected = " or ".join(part.expected for part in parts)
    arrays = [part.is_array for part in parts if part is not _PLAIN[type(None)]]
    return Check(either, expected, by_type=False, passing=passing, is_array=all(arrays))


def _items(args: tuple[Any, ...], is_kind: Test, kind: str) -> Check:
    """Return the check of several things of one type; what an array holds must be what they are."""
    inner = check_of(args[0]) if args else ANYTHING
    if inner is ANYTHING:
        return Check(is_kind, f"a {kind}", by_type=False)
    held = {int: "iu", float: "iuf", bool: "b"}.get(args[0], "")

    def all_of(value: Any) -> bool:
        if type(value) in _SEQUENCES and inner.passing.issuperset(map(type, value)):
            return True
        if not is_kind(value):
            return False
        if isinstance(value, np.ndarray):
            return value.dtype.kind in held or (not held and len(value) > 0 and inner.all_pass(value))
        if isinstance(value, range):  # of up to 10**9 members, all of one kind
            return not value or inner.all_pass((value[0], value[-1]))
        return not isinstance(value, Sequence | Set) or inner.all_pass(value)  # an iterator is not used up

    return Check(all_of, f"a {kind}, each {inner.expected}", by_type=False)


_SEQUENCES = (tuple, list)


def _tuple(parts: list[Check]) -> Check:
    def fits(value: Any) -> bool:
        if (type(value) not in _SEQUENCES and not is_sequence(value)) or len(value) != len(parts):
            return False
        for part, item in zip(parts, value, strict=True):
            if type(item) not in part.passing and not part.passes(item):
                return False
        return True

    expected = ", ".join(part.expected for part in parts)
    size = "a pair" if len(parts) == 2 else f"a sequence of {len(parts)}"
    return Check(fits, f"{size}: {expected}", by_type=False)


def _mapping(parts: list[Check]) -> Check:
    key, held = parts if len(parts) == 2 else (ANYTHING, ANYTHING)
    if key is held is ANYTHING:
        return Check(lambda value: isinstance(value, Mapping), "a mapping")

    def fits(value: Any) -> bool:
        return isinstance(value, Mapping) and key.all_pass(value) and held.all_pass(value.values())

    return Check(fits, f"a mapping of {key.expected} to {held.expected}", by_type=False)


# Kinds of arrays, in NumPy's letters, by what is annotated: whole numbers may stand for real ones.
_KINDS: dict[Any, tuple[str, str]] = {
    np.integer: ("iu", "an array of whole numbers"),
    np.floating: ("iuf", "an array of numbers"),
    np.bool_: ("b", "an array of flags"),
    np.str_: ("U", "an array of text"),
}


def _array(hint: Any) -> Check:
    scalar = (get_args(get_args(hint)[-1]) or (None,))[0]
    for base, (kinds, expected) in _KINDS.items():
        if isinstance(scalar, type) and issubclass(scalar, base):
            return Check(functools.partial(_is_array, kinds), expected, by_type=False, is_array=True)
    return Check(functools.partial(_is_array, "biufcUSOmMV"), "an array", by_type=False, is_array=True)


def _is_array(kinds: str, value: Any) -> bool:
    if not isinstance(value, np.ndarray):
        if not isinstance(value, int | float | np.number | list | tuple | range):
            return False
        try:
            value = np.asarray(value)
        except (ValueError, TypeError, OverflowError):  # rows of different lengths
            return False
        return value.dtype.kind in kinds or (value.size == 0 and value.ndim == 1)
    return value.dtype.kind in kinds


def _is_array_like(value: Any) -> bool:
    """Return whether NumPy makes an array of numbers, flags or text of a value."""
    if type(value) in (int, float, range):
        return True
    if value is None or isinstance(value, str | bytes | Mapping | Set | type):
        return False
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except (ValueError, TypeError, OverflowError):
        return False


def _protocol(kind: type) -> Check:
    """Return the check of a protocol: whether all its methods are there; those of NumPy have none by name."""
    methods = [name for base in kind.__mro__ for name, held in vars(base).items() if _is_method(name, held)]
    if not methods:
        return ANYTHING
    return Check(
        lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in methods),
        f"{_article(kind.__name__)} {kind.__name__}, with {', '.join(methods)}",
    )


def _is_method(name: str, held: Any) -> bool:
    return not name.startswith("_") and inspect.isfunction(held)


def _article(name: str) -> str:
    return "an" if name[:1].lower() in "aeiou" else "a"
