"""Butterflies: networks of stages through which packets pass in one direction."""

from __future__ import annotations

import numpy as np

from netplace.inputs import check_int
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_memory, check_size


def butterfly(k: int, n: int) -> Graph:
    """Return the k-ary n-fly, whose k^n nodes send to the first of n stages and receive from the last.

    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", chapter 4. A stage has
    k^(n-1) switches of k inputs and k outputs. The switch of stage i passes packets on by digit i of their
    destination, counted from the most significant one, so that there is one route between two nodes, of n
    switches. Each node is a router of its own, and all links lead in one direction.

    Raises
    ------
    ValueError
        If k is less than 2, or the network is too large for memory.

    Examples
    --------
    >>> butterfly(2, 3).nodes, butterfly(2, 3).diameter
    (8, 4)
    """
    k, n = check_int(k, "fly: k", 2), check_int(n, f"fly:{k}: n")
    text = f"fly:{k},{n}"
    check_size(text, k**n, k)
    nodes, wide = k**n, k ** (n - 1)
    routers = nodes + n * wide
    check_memory(text, 4 * routers**2, "its table of routes")
    node = np.arange(nodes)
    place = k ** np.arange(n)[::-1]  # values of the digits
    digit = node[:, None] // place % k
    switch = nodes + np.arange(n) * wide + node[:, None] // (k * place) * place + node[:, None] % place
    neighbor, entry = np.full((2, routers, k), -1)
    neighbor[:nodes, 0], entry[:nodes, 0] = switch[:, 0], digit[:, 0]
    ways = np.full((routers, routers), -1, np.int16)
    ways[:nodes, :nodes] = 0
    for stage in range(n):
        last = stage == n - 1
        port = switch[:, stage], digit[:, stage]  # that leads to this node, or to the next switch on its way
        neighbor[port] = node if last else switch[:, stage + 1]
        entry[port] = 0 if last else digit[:, stage + 1]
        before = node // (k * place[stage])  # digits that a packet has when it comes to this stage
        at, target = np.nonzero(before[:, None] == before)
        ways[switch[at, stage], target] = digit[target, stage]
    return Graph(
        text, nodes, routers, neighbor, entry,
        first_switch=0, home=node, cycles=np.ones((routers, k), np.int32),
        delay=np.zeros((routers, k), np.int32), default_routing="given", ways=ways,
    )  # fmt: skip
