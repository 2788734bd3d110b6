"""Records: dataclasses whose arrays are read-only and whose numbers and texts are what is annotated."""

from __future__ import annotations

import functools
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from netplace.inputs import abbreviate

# The types that are checked, by annotation, and their names in messages.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "text"),
    "bool": ((bool,), "True or False"),
    "None": ((type(None),), "None"),
}


def freeze_arrays(record: Any) -> None:
    """Let a frozen record hold read-only copies of its arrays, whatever becomes of the caller's."""
    for name in record.__dataclass_fields__:
        value = getattr(record, name)
        frozen = _frozen(value)
        if frozen is not value:
            object.__setattr__(record, name, frozen)


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value = value.copy()
            value.flags.writeable = False
    elif isinstance(value, tuple) and any(isinstance(one, np.ndarray) for one in value):
        return tuple(map(_frozen, value))
    elif isinstance(value, dict) and any(isinstance(one, np.ndarray) for one in value.values()):
        return {key: _frozen(one) for key, one in value.items()}
    return value


def check_fields(record: Any) -> None:
    """Check the numbers, texts and flags of a dataclass; NumPy scalars become Python's."""
    for name, types, expected in _scalars(record.__class__):
        value = getattr(record, name)
        if type(value) in types:
            continue
        if isinstance(value, np.generic):
            value = value.item()
            object.__setattr__(record, name, value)
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise ValueError(f"{type(record).__name__}: {name}: {abbreviate(value)} is not {expected}")


@functools.cache
def _scalars(kind: type) -> list[tuple[str, tuple[type, ...], str]]:
    """Return name, types and description of each field that holds a number, a text or a flag."""
    found = []
    for item in fields(kind):
        parts = str(item.type).split(" | ")
        if all(part in _TYPES for part in parts):
            types = tuple(one for part in parts for one in _TYPES[part][0])
            found.append((item.name, types, " or ".join(_TYPES[part][1] for part in parts)))
    return found


def array_of(values: ArrayLike, label: str) -> NDArray[Any]:
    """Return `values` as an array."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{label}: {abbreviate(values)} is not an array of numbers") from None


def integers_as(kind: DTypeLike, values: Any, label: str, dims: int = 1) -> NDArray[Any]:
    """Return an array of whole numbers with the type `kind`, itself if possible."""
    if not isinstance(values, np.ndarray):
        raise ValueError(f"{label}: is {abbreviate(values)}, expected an array of whole numbers")
    if values.ndim != dims:
        raise ValueError(f"{label}: has {values.ndim} dimensions, expected {dims}")
    if values.dtype == kind:
        return values
    if values.dtype.kind not in "iu":
        raise ValueError(f"{label}: is an array of {values.dtype}, expected whole numbers")
    info = np.iinfo(kind)
    if values.size and (int(values.min()) < info.min or int(values.max()) > info.max):
        raise ValueError(f"{label}: contains numbers outside {info.min}..{info.max}")
    return values.astype(kind)
