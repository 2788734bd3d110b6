"""Arrays from users: numbers, with the expected number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from netplace.checks.display import abbreviate


def array_of(values: ArrayLike, what: str) -> NDArray[Any]:
    """Return `values` as an array."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{what}: {abbreviate(values)} is not an array of numbers") from None


def integers_as(kind: DTypeLike, values: Any, what: str, dims: int = 1) -> NDArray[Any]:
    """Return an array of whole numbers with the type `kind`, itself if possible."""
    if not isinstance(values, np.ndarray):
        raise ValueError(f"{what}: is {abbreviate(values)}, expected an array of whole numbers")
    if values.ndim != dims:
        raise ValueError(f"{what}: has {values.ndim} dimensions, expected {dims}")
    if values.dtype == kind:
        return values
    if values.dtype.kind not in "iu":
        raise ValueError(f"{what}: is an array of {values.dtype}, expected whole numbers")
    info = np.iinfo(kind)
    if values.size and (int(values.min()) < info.min or int(values.max()) > info.max):
        raise ValueError(f"{what}: contains numbers outside {info.min}..{info.max}")
    return values.astype(kind)
