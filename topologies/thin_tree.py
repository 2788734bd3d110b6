"""Thin tree: a tree of switches with fewer links towards the top than a fat tree."""

from __future__ import annotations

from netplace.checks import check_int, shortened
from netplace.topologies.tree import Tree, tree

__all__ = ["thin_tree"]


def thin_tree(down: int, up: int, stages: int) -> Tree:
    """Return the thin tree of ``down**stages`` nodes; stage s has ``down**(stages-1-s) * up**s`` switches.

    J. Navaridas, J. Miguel-Alonso, F. J. Ridruejo and W. Denzel, "Reducing complexity in tree-like computer
    interconnection networks", Parallel Computing 36 (2010) 71-85.

    Parameters
    ----------
    down : int
        Down ports of a switch, at least 2.
    up : int
        Up ports of a switch, at least 1 and fewer than `down`; with equal numbers, the tree is a k-ary
        n-tree.
    stages : int
        Stages of switches, at least 1.

    Raises
    ------
    ValueError
        If a number is out of range, or the network is too large for memory.

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
