"""Words of 64 bits that wrap around, for the kernel as plain Python (``NUMBA_DISABLE_JIT=1``).

NumPy's scalars keep the width of their array, where compiled code computes in 64 bits, warn where they wrap
around, and take no integer beyond their width: ``1 << 63`` is the sign bit of a compiled word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plain_words"]

_SIGN = 1 << 63
_OPERATORS = ("add", "sub", "mul", "and", "or", "xor", "lshift", "rshift")


def _cut(value: int) -> Word:
    """Return the word of the low 64 bits of an integer."""
    return Word((int(value) + _SIGN) % (2 * _SIGN) - _SIGN)


class Word(int):
    """An integer of 64 bits with sign: sums, products, shifts and masks of it are such words too."""


def _wrapping(name: str) -> Callable[[Word, int], Any]:
    """Return an operator of integers whose result is cut to 64 bits."""
    exact = getattr(int, name)

    def operator(self: Word, other: int) -> Any:
        return _cut(exact(self, int(other))) if isinstance(other, int | np.integer) else NotImplemented

    return operator


for _operator in _OPERATORS:
    setattr(Word, f"__{_operator}__", _wrapping(f"__{_operator}__"))
    setattr(Word, f"__r{_operator}__", _wrapping(f"__r{_operator}__"))


class _Words(np.ndarray):
    """An array of words of 64 bits; taken out one by one they are `Word`."""

    def __getitem__(self, index: Any) -> Any:
        taken = super().__getitem__(index)
        return Word(taken) if isinstance(taken, np.integer) else taken

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, int(_cut(value)) if isinstance(value, int) else value)


def plain_words(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of integers as one of words of 64 bits; of floats, as it is."""
    if array.dtype.kind == "f":
        return array
    return array.astype(np.int64, copy=False).view(_Words)
