"""Conversion of dataclasses to plain data for JSON, by their fields, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints, overload

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Made = TypeVar("Made")


@overload
def to_plain(value: DataclassInstance) -> dict[str, Any]: ...
@overload
def to_plain(value: Any) -> Any: ...
def to_plain(value: Any) -> Any:
    """Return a value as data for JSON; a dataclass is a dict without fields that are None by default."""
    if is_dataclass(value):
        held = {item.name: (getattr(value, item.name), item.default) for item in fields(value)}
        return {
            name: to_plain(each)
            for name, (each, usual) in held.items()
            if each is not None or usual is not None
        }
    if isinstance(value, Mapping):
        return {name: to_plain(held) for name, held in value.items()}
    return [to_plain(held) for held in value] if isinstance(value, list | tuple) else value


def from_plain(kind: type[Made], plain: Any) -> Made:
    """Return what `to_plain` described; absent fields have defaults, other keys are dropped, null is nan."""
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
