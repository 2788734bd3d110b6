"""Extended generalised fat trees: every level with an arity of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from netplace.checks import whole
from netplace.checks.calls import checked
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_size

__all__ = ["xgft"]


@checked
def xgft(down: Sequence[int], up: Sequence[int]) -> Graph:
    """Return the extended generalised fat tree XGFT(h; m1, .., mh; w1, .., wh).

    S. R. Öhring, M. Ibel, S. K. Das and M. J. Kumar, "On generalized fat trees", IPPS 1995. Level 0 holds
    the m1 .. mh nodes; a switch of level l has m_l children and, below the top, w_(l+1) parents. With digits
    (of the subtree, then of the copy of the switch) a switch of level l is joined to those of level l - 1
    that differ from it in digit l alone.

    Parameters
    ----------
    down, up : sequence of int
        m1, .., mh and w1, .., wh. w1 is 1: a node has one link.

    Raises
    ------
    ValueError
        If there are not as many of one as of the other, one is too small, or the network is too large.

    Examples
    --------
    >>> xgft((4, 4, 4), (1, 2, 2)).nodes
    64
    """
    form = f"xgft:{len(down)};{','.join(map(str, down))};{','.join(map(str, up))}"
    m = [whole(n, f"{form}: m{i}") for i, n in enumerate(down, 1)]
    w = [whole(n, f"{form}: w{i}") for i, n in enumerate(up, 1)]
    if not m or len(m) != len(w):
        raise ValueError(f"{form}: {len(m)} m and {len(w)} w given, expected as many of one as of the other")
    if w[0] != 1:
        raise ValueError(f"{form}: w1 is {w[0]}, expected 1: a node has one link")
    levels = len(m)
    count = [math.prod(m[level:]) * math.prod(w[:level]) for level in range(levels + 1)]
    check_size(form, sum(count), max(m) + max(w))
    first = np.cumsum([0, *count[1:]])  # of the switches of levels 1, 2, ..
    ends = []
    for level in range(2, levels + 1):
        # A switch of level l - 1: subtree digits m_h .. m_l, then copy digits w_(l-1) .. w_1.
        lower = np.arange(count[level - 1])
        copies = math.prod(w[: level - 1])
        subtree, copy = np.divmod(lower, copies)
        for parent in range(w[level - 1]):
            upper = subtree // m[level - 1] * (copies * w[level - 1]) + parent * copies + copy
            ends.append(np.stack((first[level - 2] + lower, first[level - 1] + upper), axis=1))
    cables = np.concatenate(ends) if ends else np.zeros((0, 2), np.int64)
    cables = cables[np.lexsort((cables[:, 1], cables[:, 0]))]
    level_of = np.repeat(np.arange(1, levels + 1), count[1:])
    number = np.arange(sum(count[1:])) - first[level_of - 1]
    return graph(
        form, Cables(cables), np.where(level_of == 1, m[0], 0),
        places=np.stack((level_of, number), axis=1), usual="d-mod-k",
    )  # fmt: skip
