"""What Slurm gives a job where nobody says otherwise: consecutive nodes, or few leaf switches.

Source: Slurm's Topology Guide (slurm.schedmd.com/topology.html), sections on one-dimensional, hierarchical
and block selection; ties and comparisons of switches above are those of its plug-in ``topology/tree``
(``eval_nodes_tree.c``), for nodes of equal weight that a job has for itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.checks import one_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.topologies import Graph, Topology, hierarchy

__all__ = ["SLURM_RULES", "SlurmChoice", "usual_slurm_rule"]

Int = NDArray[np.int64]

SLURM_RULES = {
    "flat": "runs of consecutive free nodes: the shortest that suffices, else the longest first",
    "tree": "leaf switches: the one with fewest free nodes that suffices, else the fullest, then near ones",
}


def usual_slurm_rule(topology: Topology) -> str:
    """Return Slurm's rule on a network: ``tree`` where nodes are at switches, else ``flat``."""
    return "tree" if _subtrees(topology) else "flat"


class SlurmChoice(PlainPartitioner):
    """Gives a job the nodes that Slurm's own rule chooses, in increasing order.

    Parameters
    ----------
    topology : Topology
        The machine.
    option : str
        A key of `SLURM_RULES`; empty: that of `usual_slurm_rule`.
    seed : int
        Not used: nothing is drawn.

    Raises
    ------
    ValueError
        If there is no such rule, or the nodes of the machine are its switches, and the rule is ``tree``.
    """

    def __init__(self, topology: Topology, option: str = "", seed: int = 0) -> None:
        super().__init__(topology, option, seed)
        self.rule = one_of(option or usual_slurm_rule(topology), SLURM_RULES, "partitioner slurm: rule")
        self._subtrees = _subtrees(topology) if self.rule == "tree" else []
        if self.rule == "tree" and not self._subtrees:
            raise ValueError(
                f"partitioner slurm:tree: the nodes of {topology} are at no switches, expected flat"
            )

    def choose(self, job: Job) -> Nodes:
        """Return nodes for `job`, for which enough are free."""
        free = np.flatnonzero(self.is_free)
        if self.rule == "flat":
            return _consecutive(free, job.nodes)
        return np.sort(_below_few_switches(free, job.nodes, self._subtrees))


def _consecutive(free: Int, size: int) -> Int:
    """Return `size` of the free nodes, from as few runs of consecutive ones as best fit finds."""
    runs = np.split(free, np.flatnonzero(np.diff(free) != 1) + 1)
    chosen: list[Int] = []
    while size:
        lengths = np.array([len(run) for run in runs])
        enough = np.flatnonzero(lengths >= size)
        best = int(enough[np.argmin(lengths[enough])] if len(enough) else np.argmax(lengths))
        chosen.append(runs.pop(best)[:size])
        size -= len(chosen[-1])
    return np.sort(np.concatenate(chosen))


def _subtrees(topology: Topology) -> list[Int]:
    """Return, from leaf switches to the whole network, for each node the number of its subtree."""
    if known := hierarchy(topology):
        levels = []
        for starts in known.starts[1:]:
            label = np.empty(topology.nodes, np.int64)
            label[known.order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            levels.append(label)
        return levels
    if not isinstance(topology, Graph) or not topology.first_switch:
        return []
    leaf = topology.home - topology.first_switch
    groups = [] if topology.group is None else [topology.group[leaf]]
    return [leaf, *groups, np.zeros(topology.nodes, np.int64)]


def _below_few_switches(free: Int, size: int, subtrees: list[Int]) -> Int:
    """Return `size` of the free nodes, from leaf switches that best fit takes one after another."""
    leaves, first = np.unique(subtrees[0], return_index=True)
    above = np.stack([label[first] for label in subtrees])  # subtrees of each leaf, level by level
    left = [np.bincount(label[free], minlength=int(label.max()) + 1) for label in subtrees]
    distance = np.zeros(len(leaves), np.int64)
    chosen: list[Int] = []
    while size:
        best = -1
        for leaf in range(len(leaves)):
            if not left[0][above[0, leaf]]:
                continue
            if best < 0 or _is_better(leaf, best, size, above, left, distance):
                best = leaf
        nodes = free[subtrees[0][free] == leaves[best]]
        for level, label in enumerate(above[:, best]):
            left[level][label] -= len(nodes)
        distance += 2 * (above != above[:, best : best + 1]).sum(axis=0)
        chosen.append(nodes[:size])
        size -= len(chosen[-1])
    return np.concatenate(chosen)


def _is_better(one: int, other: int, size: int, above: Int, left: list[Int], distance: Int) -> bool:
    """Tell whether a leaf switch is to be taken rather than another."""
    fits = False
    sign = 0
    for level, free in enumerate(left):
        mine, theirs = above[level, one], above[level, other]
        here, there = int(free[mine]), int(free[theirs])
        fits, fit_too = here >= size, there >= size
        if fits or fit_too:
            sign = (fits > fit_too) - (fits < fit_too) or (here < there) - (here > there)
        if fits != fit_too or (fits and here != there):
            break
        together = level + 1 == len(left) or above[level + 1, one] == above[level + 1, other]
        if fits or together:
            sign = (here > there) - (here < there)
            break
    closer = distance[one] - distance[other]
    return bool((closer < 0 and fits) or (closer == 0 and sign > 0))
