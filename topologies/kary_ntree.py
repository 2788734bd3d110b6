"""k-ary n-tree: a fat tree of identical switches."""

from __future__ import annotations

from netplace.checks import abbreviate, check_int
from netplace.topologies.tree import Tree, tree

__all__ = ["kary_ntree"]


def kary_ntree(k: int, n: int) -> Tree:
    """Return the k-ary n-tree: ``k**n`` nodes under `n` stages of ``k**(n-1)`` switches.

    F. Petrini and M. Vanneschi, "k-ary n-trees: high performance networks for massively parallel
    architectures", IPPS 1997.

    Parameters
    ----------
    k : int
        Down ports of a switch, which also has as many up ports; at least 2.
    n : int
        Stages of switches, at least 1.

    Raises
    ------
    ValueError
        If a number is out of range, or the network is too large for memory.

    Examples
    --------
    >>> kary_ntree(4, 3).switches_per_stage
    (16, 16, 16)
    """
    text = f"tree:{abbreviate(k)},{abbreviate(n)}"
    k, n = check_int(k, f"{text}: k", 2), check_int(n, f"{text}: n")
    return tree(f"tree:{k},{n}", k, k, n)
