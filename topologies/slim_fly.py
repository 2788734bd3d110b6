"""Slim Fly: McKay-Miller-Širáň graphs, of diameter 2 with nearly as many switches as are possible."""

from __future__ import annotations

import numpy as np

from netplace.checks import whole
from netplace.topologies.graph import Cables, Graph, graph

__all__ = ["slim_fly"]


def slim_fly(q: int, p: int | None = None) -> Graph:
    """Return the Slim Fly of 2 q² switches.

    M. Besta and T. Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014; the sets of
    generators are those of P. R. Hafner, "Geometric realisation of the graphs of McKay-Miller-Širáň", J.
    Comb. Theory B 90 (2004). Switch (0, x, y) is joined to (0, x, y') if y - y' is in the first set, (1, m,
    c) to (1, m, c') if c - c' is in the second, and (0, x, y) to (1, m, c) if y = m x + c, all modulo q.

    Parameters
    ----------
    q : int
        An odd prime. (Prime powers, which have Slim Flies as well, are not supported.)
    p : int, optional
        Nodes at each switch; half of its ports to other switches, rounded up, by default.

    Raises
    ------
    ValueError
        If `q` is no odd prime, naming the nearest, or the network is too large for memory.

    Examples
    --------
    >>> slim_fly(5).switches, slim_fly(5).nodes, slim_fly(5).diameter
    (50, 200, 4)
    """
    q = whole(q, "slimfly: q")
    if q < 3 or not _is_odd_prime(q):
        nearest = [n for n in (_step(q, -1), _step(q, 1)) if n]
        raise ValueError(
            f"slimfly:{q}: q is not an odd prime; nearest: {' or '.join(f'slimfly:{n}' for n in nearest)}"
        )
    first, second = generators(q)
    usual = -(-(q + len(first)) // 2)
    p = usual if p is None else whole(p, f"slimfly:{q}: p")
    text = f"slimfly:{q}" + (f",p={p}" if p != usual else "")
    within = [
        (side * q * q + x * q + y, side * q * q + x * q + z)
        for side, differences in enumerate((first, second))
        for x in range(q)
        for y in range(q)
        for z in range(y + 1, q)
        if (z - y) % q in differences
    ]
    across = [
        (x * q + (m * x + c) % q, q * q + m * q + c) for x in range(q) for m in range(q) for c in range(q)
    ]
    switch = np.arange(2 * q * q)
    places = np.stack((switch // (q * q), switch // q % q, switch % q), axis=1)
    return graph(
        text, Cables.of([*within, *across]), np.full(2 * q * q, p),
        group=switch // q, places=places, usual="minimal",
    )  # fmt: skip


def generators(q: int) -> tuple[set[int], set[int]]:
    """Return the two sets of differences for an odd prime."""
    root = next(n for n in range(2, q) if len({pow(n, k, q) for k in range(q - 1)}) == q - 1) if q > 3 else 2
    power = [pow(root, k, q) for k in range(q - 1)]
    if q % 4 == 1:
        first = set(power[::2])
    else:
        w = (q + 1) // 4
        first = {*power[0 : 2 * w - 1 : 2], *power[2 * w - 1 : 4 * w - 2 : 2]}
    return first, {root * n % q for n in first}


def _is_odd_prime(n: int) -> bool:
    return n > 2 and all(n % k for k in range(2, int(n**0.5) + 1))


def _step(q: int, step: int) -> int:
    """Return the next odd prime in one direction; 0 if there is none below."""
    q += step
    while q > 2 or step > 0:
        if _is_odd_prime(q):
            return q
        q += step
    return 0
