"""Slim Fly: McKay-Miller-Širáň graphs of diameter 2 with almost the largest possible number of switches."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace import inputs
from netplace.inputs import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_cables, check_size

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Field:
    """A finite field of q elements, numbered from 0; 0 and 1 are the neutral ones."""

    # shape (q, q): sums and products.
    plus: Int
    times: Int
    # shape (q - 1,): powers of a primitive element, starting with the zeroth: all elements except 0.
    powers: Int


def _prime_power(q: int) -> tuple[int, int]:
    """Return p and k with q = p^k and p prime; (0, 0) if there are none."""
    for p in range(2, q + 1):
        if q % p == 0:
            k = 1
            while p**k < q:
                k += 1
            return (p, k) if p**k == q else (0, 0)
    return 0, 0


def _field(q: int) -> _Field:
    """Return the field of q elements, where q is a prime power.

    With q = p^k, element e stands for the polynomial whose coefficients are the digits of e to the base p,
    modulo the first primitive polynomial of degree k; with k = 1, the primitive element is the smallest one.
    """
    p, k = _prime_power(q)
    digits = np.arange(q)[:, None] // p ** np.arange(k) % p
    plus = (digits[:, None, :] + digits) % p @ p ** np.arange(k)
    if k == 1:
        times = np.outer(np.arange(q), np.arange(q)) % q
        powers = next(candidate for root in range(1, q) if len(candidate := _powers(times, root)) == q - 1)
    else:
        times, powers = _extension(p, k, digits, plus)
    return _Field(plus, times, np.array(powers))


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
    powers = [1]
    while (after := int(times[powers[-1], root])) != 1:
        powers.append(after)
    return powers


def slim_fly(q: int, p: int | None = None) -> Graph:
    """Return the Slim Fly of 2 q² switches, where `q` is a prime power of at least 3.

    M. Besta and T. Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014; the sets of
    generators are those of P. R. Hafner, "Geometric realisation of the graphs of McKay-Miller-Širáň", J.
    Comb. Theory B 90 (2004). Switch (0, x, y) is connected to (0, x, y') if y - y' is in the first set, (1,
    m, c) to (1, m, c') if c - c' is in the second, and (0, x, y) to (1, m, c) if y = m x + c, all in the
    field of q elements. By default, a switch has half as many nodes as ports to other switches, rounded up.

    Examples
    --------
    >>> slim_fly(5).switches, slim_fly(5).nodes, slim_fly(5).diameter
    (50, 200, 4)
    """
    q = check_int(q, "slimfly: q")
    p = None if p is None else check_int(p, f"slimfly:{q}: p")
    _check_sizes(q, 3 * q // 4 if p is None else p)
    if q < 3 or not _prime_power(q)[1]:
        raise ValueError(f"slimfly:{q}: q is not a prime power of at least 3")
    numbers = _field(q)
    first, second = generators(numbers)
    default = -(-(q + len(first)) // 2)
    p = default if p is None else p
    text = f"slimfly:{q}" + (f",p={p}" if p != default else "")
    plus, times = numbers.plus.tolist(), numbers.times.tolist()
    within = [
        (side * q * q + x * q + y, side * q * q + x * q + z)
        for side, differences in enumerate((first, second))
        for x in range(q)
        for y in range(q)
        for z in sorted(plus[y][difference] for difference in differences)
        if y < z
    ]
    across = [
        (x * q + plus[times[m][x]][c], q * q + m * q + c)
        for x in range(q)
        for m in range(q)
        for c in range(q)
    ]
    switch = np.arange(2 * q * q)
    places = np.stack((switch // (q * q), switch // q % q, switch % q), axis=1)
    return graph(
        text, Cables.of([*within, *across]), np.full(2 * q * q, p),
        group=switch // q, places=places, default_routing="minimal",
    )  # fmt: skip


def generators(numbers: _Field) -> tuple[set[int], set[int]]:
    power = numbers.powers.tolist()
    q = len(power) + 1
    if q % 4 == 3:
        w = (q + 1) // 4
        first = {*power[0 : 2 * w - 1 : 2], *power[2 * w - 1 : 4 * w - 2 : 2]}
    else:
        first = set(power[::2])
    return first, {int(numbers.times[power[1], n]) for n in first}


def _check_sizes(q: int, nodes: int) -> None:
    text, switches, ports = f"slimfly:{q}", 2 * q * q, 3 * q // 2 + nodes
    check_size(text, switches * (1 + nodes), ports)
    check_cables(text, switches * (3 * q // 2) // 2)
    inputs.check_size(switches**2 * ports, 2, "entries of its table of routes", text)
