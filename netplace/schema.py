"""The schema of result files: kinds of values that check data key by key, and dataclasses as plain data.

A kind is a function of a value and of its place, such as ``"out/cosim.json: jobs[3].start_cycle"``. It raises
``ValueError`` with the found and the expected value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints, overload

import msgspec

from netplace.inputs import MOST, abbreviate
from netplace.settings import read_back

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Validator = Callable[[Any, str], None]

_SENTENCE = 2000  # characters
_LONGEST_KEY = 40  # characters of a key in a sentence


def number(least: int = 0, most: int = MOST) -> Validator:
    """Return a kind: the integers from `least` to `most`."""

    def check(value: Any, where: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise unexpected(value, where, f"a whole number from {least} to {most}")

    return check


def amount(least: float = -math.inf, most: float = math.inf) -> Validator:
    """Return the kind of finite numbers from `least` to `most`, whole or not."""
    bounds = "" if least == -math.inf else f" of at least {least:g}"
    bounds += "" if most == math.inf else f" and at most {most:g}" if bounds else f" of at most {most:g}"

    def check(value: Any, where: str) -> None:
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not right or not -1e308 < value < 1e308 or not least <= value <= most:
            raise unexpected(value, where, f"a number{bounds}")

    return check


def text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise unexpected(value, where, "text")


def sentence(value: Any, where: str) -> None:
    """Check that a value is text of a readable length."""
    text(value, where)
    if len(value) > _SENTENCE:
        raise unexpected(value, where, f"text of at most {_SENTENCE} characters")


def truth(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise unexpected(value, where, "true or false")


def anything(value: Any, where: str) -> None:
    """Accept any value, for data that is only displayed."""


def choice(*names: Any) -> Validator:
    """Return the kind of values among `names`."""

    def check(value: Any, where: str) -> None:
        if type(value) not in {type(name) for name in names} or value not in names:
            raise unexpected(value, where, " or ".join(abbreviate(name) for name in names))

    return check


def maybe(kind: Validator) -> Validator:
    def check(value: Any, where: str) -> None:
        if value is not None:
            kind(value, where)

    return check


def listed(kind: Validator, least: int = 0) -> Validator:
    """Return the kind of lists of at least the given number of values of a kind."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise unexpected(value, where, "a list")
        if len(value) < least:
            raise ValueError(f"{where}: a list of {len(value)} found, expected at least {least}")
        for place, member in enumerate(value):
            kind(member, f"{where}[{place}]")

    return check


def row(*kinds: Validator) -> Validator:
    """Return the kind of lists with one value of each kind, in order."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) != len(kinds):
            raise unexpected(value, where, f"a list of {len(kinds)} values")
        for place, (kind, member) in enumerate(zip(kinds, value, strict=True)):
            kind(member, f"{where}[{place}]")

    return check


def table(
    required: Mapping[str, Validator], optional: Mapping[str, Validator] | None = None, others: bool = False
) -> Validator:
    """Return the kind of tables with these keys; `others`: ignore unknown keys."""
    known = {**required, **(optional or {})}

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise unexpected(value, where, "a table")
        for key in required:
            if key not in value:
                raise ValueError(f"{_at(where, key)}: is missing, expected a value")
        for key, member in value.items():
            if key in known:
                known[key](member, _at(where, key))
            elif not others:
                raise ValueError(f"{_at(where, key)}: is not a known key")

    return check


def table_of(kind: Validator) -> Validator:
    """Return the kind of tables with any keys, and values of one kind."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise unexpected(value, where, "a table")
        for key, member in value.items():
            kind(member, _at(where, key))

    return check


def kind_of(
    hint: Any,
    undefined: bool = False,
    given: Mapping[str, Validator] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Validator:
    """Return the kind of the JSON form of a type; the check inserts defaults of absent fields."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return partial(_readable, hint)
    if is_dataclass(hint):
        return _record(hint, undefined, given or {})
    least, most = bounds or (-math.inf, math.inf)
    if hint is int:
        return number(int(max(least, -MOST)), int(min(most, MOST)))
    if hint is float:
        return maybe(amount(least, most)) if undefined else amount(least, most)
    simple = {Any: anything, str: text, bool: truth}
    if hint in simple:
        return simple[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either(
            [kind_of(part, undefined, None, bounds) for part in parts if part is not NoneType],
            NoneType in parts,
        )
    if origin is dict:
        return table_of(kind_of(parts[1], undefined, None, bounds))
    if origin is list or parts[-1:] == (...,):
        return listed(kind_of(parts[0], undefined, None, bounds))
    if origin is tuple:
        return row(*(kind_of(part, undefined, None, bounds) for part in parts))
    raise TypeError(f"no kind of values is known for {hint}")


def _readable(kind: type[msgspec.Struct], value: Any, where: str) -> None:
    read_back(kind, value, where)


def fields_of(
    hint: Any, undefined: bool = False, given: Mapping[str, Validator] | None = None
) -> tuple[dict[str, Validator], dict[str, Validator]]:
    """Return the kinds of a dataclass's fields without and with a default; parameters as of `kind_of`."""
    hints = get_type_hints(hint)
    every = {item.name: _field(hints[item.name], undefined, item.metadata) for item in fields(hint)}
    every |= given or {}
    optional = {item.name: every[item.name] for item in fields(hint) if _has_default(item)}
    return {name: kind for name, kind in every.items() if name not in optional}, optional


def _record(hint: Any, undefined: bool, given: Mapping[str, Validator]) -> Validator:
    """Return the kind of tables of a dataclass's fields, those with a default being optional."""
    check = table(*fields_of(hint, undefined, given))
    defaults = {item.name: to_builtins(_default(item)) for item in fields(hint) if _has_default(item)}

    def check_and_fill(value: Any, where: str) -> None:
        check(value, where)
        for name, default in defaults.items():
            if name not in value and default is not None:  # None is what is not written
                value[name] = deepcopy(default)

    return check_and_fill


def _field(hint: Any, undefined: bool, metadata: Mapping[str, Any]) -> Validator:
    """Return the kind of a field's values, which its metadata may say or restrict."""
    if "kind" in metadata:
        kind: Validator = metadata["kind"]
        return kind
    if metadata.get("choices"):
        return choice(*metadata["choices"])
    return kind_of(hint, undefined, None, metadata.get("bounds"))


def _has_default(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


def _default(item: Field[Any]) -> Any:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _either(kinds: list[Validator], null: bool) -> Validator:
    """Return the kind of values of one of several kinds; messages quote the expectation of the last."""

    def check(value: Any, where: str) -> None:
        if value is None and null:
            return
        for kind in kinds[:-1]:
            try:
                return kind(value, where)
            except ValueError:
                continue
        kinds[-1](value, where)

    return check


def _at(where: str, key: str) -> str:
    """Return the place of a key in a table, with the file and the outer keys before it."""
    word = key if key.isidentifier() and len(key) <= _LONGEST_KEY else abbreviate(key, _LONGEST_KEY)
    return f"{where}{'.' if ': ' in where else ': '}{word}"


def unexpected(value: Any, where: str, expected: str) -> ValueError:
    """Return the error about an unexpected value in a file."""
    return ValueError(f"{where}: {abbreviate(value)} found, expected {expected}")


Made = TypeVar("Made")


@overload
def to_builtins(value: DataclassInstance) -> dict[str, Any]: ...
@overload
def to_builtins(value: Any) -> Any: ...
def to_builtins(value: Any) -> Any:
    """Return a value as data for JSON; a dataclass is a dict without fields that are None by default."""
    if is_dataclass(value):
        held = [(name, getattr(value, name), usual) for name, usual in _defaults(value.__class__)]
        return {
            name: to_builtins(each) for name, each, usual in held if each is not None or usual is not None
        }
    if isinstance(value, Mapping):
        return {name: to_builtins(held) for name, held in value.items()}
    return [to_builtins(held) for held in value] if isinstance(value, list | tuple) else value


@cache
def _defaults(kind: Any) -> list[tuple[str, Any]]:
    """Return the names and defaults of the fields of a dataclass."""
    return [(item.name, item.default) for item in fields(kind)]


def from_builtins(kind: type[Made], plain: Any) -> Made:
    """Return what `to_builtins` described; absent fields get defaults, others are dropped, null is nan."""
    made: Made = _made(kind, plain)
    return made


def _made(hint: Any, plain: Any) -> Any:
    if is_dataclass(hint):
        assert isinstance(hint, type)
        hints = get_type_hints(hint)
        names = [item.name for item in fields(hint) if item.name in plain]
        return hint(**{name: _made(hints[name], plain[name]) for name in names})
    if hint is float:
        return math.nan if plain is None else plain
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        [other] = [part for part in parts if part is not NoneType]
        return None if plain is None else _made(other, plain)
    if origin is dict:
        return {name: _made(parts[1], held) for name, held in plain.items()}
    if origin in (list, tuple):
        return origin(_made(parts[0], held) for held in plain)
    return plain
