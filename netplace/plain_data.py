"""Dataclasses as plain data for JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Union, get_args, get_origin, get_type_hints, overload

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Made = TypeVar("Made")


@overload
def to_builtins(value: DataclassInstance) -> dict[str, Any]: ...
@overload
def to_builtins(value: Any) -> Any: ...
def to_builtins(value: Any) -> Any:
    """Return a value as data for JSON; a dataclass is a dict without fields that are None by default."""
    if value is None or isinstance(value, int | float | str):  # most are
        return value
    if is_dataclass(value):
        held = [(name, getattr(value, name), default) for name, default in _defaults(value.__class__)]
        return {
            name: to_builtins(each) for name, each, default in held if each is not None or default is not None
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
        hints, made = get_type_hints(hint), {}
        for item in fields(hint):
            if item.name in plain:
                made[item.name] = _made(hints[item.name], plain[item.name])
            elif item.default is MISSING and item.default_factory is MISSING:
                raise ValueError(f"{hint.__name__}: {item.name} is missing")
        return hint(**made)
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


class PlainData:
    """A dataclass that stores and files hold as plain data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form, without fields that are None by default."""
        plain: dict[str, Any] = to_builtins(self)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_dict` described, from a dict that was checked."""
        return from_builtins(cls, plain)
