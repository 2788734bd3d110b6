"""Dragonfly: groups of fully connected switches, fully connected by global links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_cables, check_size

ARRANGEMENTS = {
    "absolute": "global link k of group i leads to group k, or to group k + 1 if k >= i",
    "relative": "global link k of group i leads to group i + k + 1",
    "circulant": "global links of group i lead to groups i + 1, i - 1, i + 2, i - 2, ..",
}


def dragonfly(a: int, p: int, h: int, g: int | None = None, global_links: str | None = None) -> Graph:
    """Return the dragonfly of `g` groups of `a` switches with `p` nodes and `h` global links each.

    J. Kim, W. J. Dally, S. Scott and D. Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
    2008. All switches of a group are connected to each other. So are all groups if there are enough global
    links; each pair has the same number of links. Remaining global links are not connected. The arrangements
    are those of E. Hastings et al., "Comparing global link arrangements for dragonfly networks", CLUSTER
    2015.

    Parameters
    ----------
    g : int, optional
        Number of groups, at most a h + 1, which is the default.
    global_links : str, optional
        Arrangement of the global links (``"absolute"`` by default), a key of `ARRANGEMENTS`. Global link k
        belongs to switch k // h.

    Examples
    --------
    >>> network = dragonfly(4, 2, 2)
    >>> network.nodes, network.switches, network.diameter
    (72, 36, 5)
    """
    a, p, h = (check_int(n, f"dragonfly: {name}") for name, n in (("a", a), ("p", p), ("h", h)))
    text = f"dragonfly:a={a},p={p},h={h}"
    text, g, arrangement = _arranged(text, g, a * h, global_links)
    check_size(text, g * a * (1 + p), a - 1 + h + p)
    check_cables(text, g * a * (a - 1 + h) // 2)
    pairs = np.stack(np.triu_indices(a, 1), axis=1)
    local = (np.arange(g)[:, None, None] * a + pairs).reshape(-1, 2)
    between = [(i * a + k // h, j * a + m // h) for i, k, j, m in global_cables(text, g, a * h, arrangement)]
    cables = Cables(np.concatenate((local, np.array(between, np.int64).reshape(-1, 2))))
    return _in_groups(text, cables, np.full(g * a, p), a)


def _arranged(text: str, g: int | None, links: int, arrangement: str | None) -> tuple[str, int, str]:
    """Return the text form, the number of groups, and the arrangement of the global links of each group."""
    g = check_groups(text, g, links)
    arrangement = check_choice(arrangement or "absolute", ARRANGEMENTS, f"{text}: global links")
    text += f",g={g}" if g != links + 1 else ""
    return text + (f",links={arrangement}" if arrangement != "absolute" else ""), g, arrangement


def _in_groups(text: str, cables: Cables, nodes_at: NDArray[np.int64], size: int) -> Graph:
    switch = np.arange(len(nodes_at))
    places = np.stack(np.divmod(switch, size), axis=1)
    return graph(text, cables, nodes_at, group=switch // size, places=places, default_routing="minimal")


def check_groups(text: str, g: int | None, links: int) -> int:
    """Return the number of groups, by default the largest for `links` global links per group."""
    if g is None:
        return links + 1
    g = check_int(g, f"{text}: g")
    if g > links + 1:
        raise ValueError(
            f"{text}: {g} groups are more than {links} global links per group can connect, expected at most "
            f"g={links + 1}"
        )
    return g


def global_cables(text: str, g: int, links: int, arrangement: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield (group, its global link, other group, its global link) for every global cable.

    If there are fewer groups than the global links could connect, the whole arrangement is repeated as often
    as it fits.
    """
    if g == 1:
        return
    if arrangement == "circulant" and g % 2 == 0:
        raise ValueError(
            f"{text}: circulant global links need an odd number of groups, not {g}; "
            f"nearest: g={g - 1}" + (f" or g={g + 1}" if g < links + 1 else "")
        )
    for i in range(g):
        for k in range(links // (g - 1) * (g - 1)):
            turn, place = divmod(k, g - 1)
            j, back = _other_end(arrangement, g, i, place)
            if i < j:
                yield i, k, j, turn * (g - 1) + back


def _other_end(arrangement: str, g: int, i: int, k: int) -> tuple[int, int]:
    """Return the group to which global link k of group i leads, and the number of the link there."""
    if arrangement == "absolute":
        j = k if k < i else k + 1
        return j, i if i < j else i - 1
    if arrangement == "relative":
        return (i + k + 1) % g, g - 2 - k
    far = k // 2 + 1
    return ((i + far) % g, k + 1) if k % 2 == 0 else ((i - far) % g, k - 1)


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
    g, global_links
        As in `dragonfly`; there are at most spines h + 1 groups.

    Examples
    --------
    >>> megafly(2, 2, 2, 2).diameter
    5
    """
    given = (("leaves", leaves), ("spines", spines), ("p", p), ("h", h))
    leaves, spines, p, h = (check_int(n, f"dragonfly+: {name}") for name, n in given)
    text = f"dragonfly+:leaves={leaves},spines={spines},p={p},h={h}"
    text, g, arrangement = _arranged(text, g, spines * h, global_links)
    a = leaves + spines
    check_size(text, g * (a + leaves * p), max(spines + p, leaves + h))
    check_cables(text, g * (leaves * spines + spines * h // 2))
    local = [(i * a + x, i * a + leaves + y) for i in range(g) for x in range(leaves) for y in range(spines)]
    between = [
        (i * a + leaves + k // h, j * a + leaves + m // h)
        for i, k, j, m in global_cables(text, g, spines * h, arrangement)
    ]
    nodes_at = np.where(np.arange(g * a) % a < leaves, p, 0)
    return _in_groups(text, Cables.of([*local, *between]), nodes_at, a)
