"""Thin trees, k-ary n-trees and extended generalized fat trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from netplace.inputs import abbreviate, check_int, shortened
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.limits import MOST_WIDTH, check_size
from netplace.topologies.tree import Tree, tree


def thin_tree(down: int, up: int, stages: int) -> Tree:
    """Return the thin tree of ``down**stages`` nodes; stage s has ``down**(stages-1-s) * up**s`` switches.

    A switch has `down` ports down (at least 2) and `up` ports up (fewer than `down`); if the numbers were
    equal, the tree would be a k-ary n-tree. J. Navaridas, J. Miguel-Alonso, F. J. Ridruejo and W. Denzel,
    "Reducing complexity in tree-like computer interconnection networks", Parallel Computing 36 (2010) 71-85.

    Examples
    --------
    >>> thin_tree(4, 2, 3).switches_per_stage
    (16, 8, 4)
    """
    text = shortened(f"thintree:{down},{up},{stages}")
    down, up = check_int(down, f"{text}: ports down", 2), check_int(up, f"{text}: ports up")
    stages = check_int(stages, f"{text}: stages")
    if up >= down:
        raise ValueError(
            f"{text}: {up} ports up are too many, expected fewer than the {down} down "
            f"(as many: tree:{down},{stages})"
        )
    return tree(f"thintree:{down},{up},{stages}", down, up, stages)


def kary_ntree(k: int, n: int) -> Tree:
    """Return the k-ary n-tree: ``k**n`` nodes under `n` stages of ``k**(n-1)`` switches; `k` is at least 2.

    F. Petrini and M. Vanneschi, "k-ary n-trees: high performance networks for massively parallel
    architectures", IPPS 1997.

    Examples
    --------
    >>> kary_ntree(4, 3).switches_per_stage
    (16, 16, 16)
    """
    text = f"tree:{abbreviate(k)},{abbreviate(n)}"
    k, n = check_int(k, f"{text}: k", 2), check_int(n, f"{text}: n")
    return tree(f"tree:{k},{n}", k, k, n)


def xgft(down: Sequence[int], up: Sequence[int], width: Sequence[int] | None = None) -> Graph:
    """Return the extended generalized fat tree XGFT(h; m1, .., mh; w1, .., wh).

    S. R. Öhring, M. Ibel, S. K. Das and M. J. Kumar, "On generalized fat trees", IPPS 1995. Level 0 contains
    the m1 .. mh nodes. A switch of level l has m_l children and, below the top, w_(l+1) parents. Each switch
    has one digit per level, first those of its subtree, then those of its copy within the subtree. A switch
    of level l is connected to the switches of level l - 1 whose numbers differ from its own only in digit l.

    Parameters
    ----------
    down, up : sequence of int
        m1, .., mh and w1, .., wh. w1 is 1: a node has one link.
    width : sequence of int, optional
        p1, .., ph: number of cables between two connected switches of levels l - 1 and l; p1 is 1, and all
        are 1 by default. With larger widths, the tree is the parallel ports generalized fat tree of E.
        Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
        collectives", JPDC 72 (2012).

    Examples
    --------
    >>> xgft((4, 4, 4), (1, 2, 2)).nodes
    64
    """
    form = f"xgft:{len(down)};{','.join(map(str, down))};{','.join(map(str, up))}"
    given = [1] * len(down) if width is None else width
    p = [check_int(n, f"{form}: p{i}", 1, MOST_WIDTH) for i, n in enumerate(given, 1)]
    if any(n != 1 for n in p):
        form += f";{','.join(map(str, p))}"
    m = [check_int(n, f"{form}: m{i}") for i, n in enumerate(down, 1)]
    w = [check_int(n, f"{form}: w{i}") for i, n in enumerate(up, 1)]
    if not m or not len(m) == len(w) == len(p):
        raise ValueError(f"{form}: {len(m)} m, {len(w)} w and {len(p)} p given, expected equal numbers")
    for name, ways in (("w1", w[0]), ("p1", p[0])):
        if ways != 1:
            raise ValueError(f"{form}: {name} is {ways}, expected 1: a node has one link")
    levels = len(m)
    count = [math.prod(m[level:]) * math.prod(w[:level]) for level in range(levels + 1)]
    ports = [p[i] * m[i] + (p[i + 1] * w[i + 1] if i + 1 < levels else 0) for i in range(levels)]
    check_size(form, sum(count), max(ports))
    first = np.cumsum([0, *count[1:]])  # of the switches of levels 1, 2, ..
    ends = []
    for level in range(2, levels + 1):
        # A switch of level l - 1: subtree digits m_h .. m_l, then copy digits w_(l-1) .. w_1.
        lower = np.arange(count[level - 1])
        copies = math.prod(w[: level - 1])
        subtree, copy = np.divmod(lower, copies)
        for parent in range(w[level - 1]):
            upper = subtree // m[level - 1] * (copies * w[level - 1]) + parent * copies + copy
            pairs = np.stack((first[level - 2] + lower, first[level - 1] + upper), axis=1)
            ends += [pairs] * p[level - 1]
    cables = np.concatenate(ends) if ends else np.zeros((0, 2), np.int64)
    cables = cables[np.lexsort((cables[:, 1], cables[:, 0]))]
    level_of = np.repeat(np.arange(1, levels + 1), count[1:])
    number = np.arange(sum(count[1:])) - first[level_of - 1]
    return graph(
        form, Cables(cables), np.where(level_of == 1, m[0], 0),
        places=np.stack((level_of, number), axis=1), default_routing="d-mod-k",
    )  # fmt: skip
