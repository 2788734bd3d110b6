"""Arrays from users: numbers, with the expected number of dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from netplace.checks.calls import ArgumentError
from netplace.checks.display import abbreviate


def array_of(values: ArrayLike, what: str) -> NDArray[Any]:
    """Return `values` as an array."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise ArgumentError(f"{what}: {abbreviate(values)} is not an array of numbers") from None


def integers_as(kind: DTypeLike, values: Any, what: str, dims: int = 1) -> NDArray[Any]:
    """Return an array of whole numbers with the type `kind`, itself if possible."""
    if not isinstance(values, np.ndarray):
        raise ArgumentError(f"{what}: is {abbreviate(values)}, expected an array of whole numbers")
    if values.ndim != dims:
        raise ArgumentError(f"{what}: has {values.ndim} dimensions, expected {dims}")
    if values.dtype == kind:
        return values
    if values.dtype.kind not in "iu":
        raise ArgumentError(f"{what}: is an array of {values.dtype}, expected whole numbers")
    info = np.iinfo(kind)
    if values.size and (int(values.min()) < info.min or int(values.max()) > info.max):
        raise ArgumentError(f"{what}: contains numbers outside {info.min}..{info.max}")
    return values.astype(kind)


def make_read_only(record: Any, names: Iterable[str]) -> None:
    """Replace the arrays of a frozen record, also in mappings, by read-only views."""
    for name in names:
        held = getattr(record, name)
        if isinstance(held, np.ndarray):
            if held.flags.writeable:
                object.__setattr__(record, name, _read_only(held))
        elif isinstance(held, dict) and any(isinstance(value, np.ndarray) for value in held.values()):
            object.__setattr__(record, name, {key: _read_only(value) for key, value in held.items()})


def _read_only(array: Any) -> Any:
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()
    view.flags.writeable = False
    return view
