"""Arithmetic of finite fields, in tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Field", "field", "prime_power"]

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Field:
    """A finite field of q elements, numbered from 0; 0 and 1 are the neutral ones.

    Attributes
    ----------
    plus, times : ndarray of int64, shape (q, q)
        Sums and products.
    powers : ndarray of int64, shape (q - 1,)
        Powers of a primitive element, starting with the zeroth: all elements except 0.
    """

    plus: Int
    times: Int
    powers: Int


def prime_power(q: int) -> tuple[int, int]:
    """Return p and k with q = p^k and p prime; (0, 0) if there are none."""
    for p in range(2, q + 1):
        if q % p == 0:
            k = 1
            while p**k < q:
                k += 1
            return (p, k) if p**k == q else (0, 0)
    return 0, 0


def field(q: int) -> Field:
    """Return the field of q elements, where q is a prime power.

    With q = p^k, element e stands for the polynomial whose coefficients are the digits of e to the base p,
    modulo the first primitive polynomial of degree k. With a prime q, the primitive element is the smallest
    one.
    """
    p, k = prime_power(q)
    digits = np.arange(q)[:, None] // p ** np.arange(k) % p
    plus = (digits[:, None, :] + digits) % p @ p ** np.arange(k)
    if k == 1:
        times = np.outer(np.arange(q), np.arange(q)) % q
        powers = next(candidate for root in range(1, q) if len(candidate := _powers(times, root)) == q - 1)
    else:
        times, powers = _extension(p, k, digits, plus)
    return Field(plus, times, np.array(powers))


def _extension(p: int, k: int, digits: Int, plus: Int) -> tuple[Int, list[int]]:
    """Return the products, and the powers of x, modulo the first polynomial under which x is primitive."""
    q = p**k
    scale = p ** np.arange(k)
    for rest in itertools.product(range(p), repeat=k):  # x^k = rest
        by_x = np.empty(q, np.int64)
        for element in range(q):
            shifted = np.concatenate([[0], digits[element, :-1]])
            by_x[element] = (shifted + digits[element, -1] * np.array(rest)) % p @ scale
        powers = [1]
        while len(powers) < q and (after := int(by_x[powers[-1]])) not in (0, 1):
            powers.append(after)
        if len(powers) != q - 1 or len(set(powers)) != q - 1:
            continue
        times = np.zeros((q, q), np.int64)
        log = {element: place for place, element in enumerate(powers)}
        for a, b in itertools.product(range(1, q), repeat=2):
            times[a, b] = powers[(log[a] + log[b]) % (q - 1)]
        assert (plus[times[1], 0] == np.arange(q)).all()
        return times, powers
    raise AssertionError(f"no primitive polynomial of degree {k} over {p} elements")


def _powers(times: Int, root: int) -> list[int]:
    """Return the different powers of an element."""
    powers = [1]
    while (after := int(times[powers[-1], root])) != 1:
        powers.append(after)
    return powers
