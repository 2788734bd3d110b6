"""Dragonfly+ (megafly): groups of leaf and spine switches, with global links between spines."""

from __future__ import annotations

import numpy as np

from netplace.checks import check_choice, check_int
from netplace.checks.calls import checked
from netplace.topologies.cables import Cables, graph
from netplace.topologies.dragonfly import ARRANGEMENTS, check_groups, global_cables
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_cables, check_size

__all__ = ["megafly"]


@checked
def megafly(
    leaves: int, spines: int, p: int, h: int, g: int | None = None, global_links: str | None = None
) -> Graph:
    """Return the dragonfly+ of `g` groups, in which each leaf switch is connected to each spine switch.

    A. Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017; M. Flajslik, E.
    Borch and M. A. Parker, "Megafly: a topology for exascale systems", ISC 2018.

    Parameters
    ----------
    leaves, spines : int
        Leaf and spine switches per group.
    p, h : int
        Nodes per leaf, and global links per spine.
    g : int, optional
        Number of groups; at most spines h + 1, which is the default.
    global_links : str, optional
        Arrangement of the global links (``"absolute"`` by default), a key of
        `netplace.topologies.dragonfly.ARRANGEMENTS`.

    Raises
    ------
    ValueError
        If a number is out of range, or the network is too large for memory.

    Examples
    --------
    >>> megafly(2, 2, 2, 2).diameter
    5
    """
    given = (("leaves", leaves), ("spines", spines), ("p", p), ("h", h))
    leaves, spines, p, h = (check_int(n, f"dragonfly+: {name}") for name, n in given)
    text = f"dragonfly+:leaves={leaves},spines={spines},p={p},h={h}"
    g = check_groups(text, g, spines * h)
    global_links = check_choice(global_links or "absolute", ARRANGEMENTS, f"{text}: global links")
    if g != spines * h + 1:
        text += f",g={g}"
    if global_links != "absolute":
        text += f",links={global_links}"
    a = leaves + spines
    check_size(text, g * (a + leaves * p), max(spines + p, leaves + h))
    check_cables(text, g * (leaves * spines + spines * h // 2))
    local = [(i * a + x, i * a + leaves + y) for i in range(g) for x in range(leaves) for y in range(spines)]
    between = [
        (i * a + leaves + k // h, j * a + leaves + m // h)
        for i, k, j, m in global_cables(text, g, spines * h, global_links)
    ]
    switch = np.arange(g * a)
    return graph(
        text,
        Cables.of([*local, *between]),
        np.where(switch % a < leaves, p, 0),
        group=switch // a,
        places=np.stack(np.divmod(switch, a), axis=1),
        usual="minimal",
    )
