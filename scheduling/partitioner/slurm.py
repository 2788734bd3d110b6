"""Nodes as Slurm chooses them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks import abbreviate, check_choice
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.topologies import Graph, Grid, Topology, hierarchy
from netplace.topologies.slurm_grid import listed_placements

__all__ = ["SLURM_RULES", "Placement", "default_slurm_rule", "read_placements", "slurm_choice"]


# Boxes as Slurm's plug-in ``topology/torus3d`` gives them: of listed shapes, at listed places.
#
# Source: Slurm's Topology Guide (slurm.schedmd.com/topology.html), section on 3-D tori, and topology.yaml(5);
# which of several free boxes is taken is as in the plug-in (``eval_nodes_torus3d.c``, Slurm 26.11).

Int = NDArray[np.int64]
_PLACEMENT = re.compile(r"(\d+(?:x\d+)*)(?:/(\d+(?:x\d+)*))?(?:@(\d+(?:x\d+)*))?")


@dataclass(frozen=True)
class Placement:
    """A shape that jobs may have, and where it may stand.

    Attributes
    ----------
    dims : tuple of int
        Sides, X first.
    spacing : tuple of int
        Steps from one place to the next, in each dimension, round the ring.
    seed : tuple of int
        One of the places.
    """

    dims: tuple[int, ...]
    spacing: tuple[int, ...]
    seed: tuple[int, ...]

    @property
    def size(self) -> int:
        """Nodes of the shape."""
        return int(np.prod(self.dims))

    def __str__(self) -> str:
        text = "x".join(map(str, self.dims))
        if self.spacing != self.dims:
            text += "/" + "x".join(map(str, self.spacing))
        return text + ("@" + "x".join(map(str, self.seed)) if any(self.seed) else "")


def read_placements(text: str, sizes: tuple[int, ...], where: str) -> list[Placement]:
    """Return the placements of a text such as ``"2x2x1+4x2x1/2x2x1@1x0x0"``, the smallest first.

    After a slash stands the spacing, by default the sides; after an at sign the seed, by default all 0.

    Parameters
    ----------
    text : str
        Placements, with ``+`` between.
    sizes : tuple of int
        Sides of the torus.
    where : str
        What the text is, for messages.
    """
    placements = []
    for word in text.split("+"):
        match = _PLACEMENT.fullmatch(word)
        if not match:
            raise ValueError(f"{where}: {abbreviate(word)} is no placement, expected one such as 2x2x1")
        dims, spacing, seed = (
            None if part is None else tuple(map(int, part.split("x"))) for part in match.groups()
        )
        assert dims is not None
        made = Placement(dims, spacing or dims, seed or (0,) * len(dims))
        parts = (
            ("sides", made.dims, 1),
            ("spacing", made.spacing, 1),
            ("seed", made.seed, 0),
        )
        for what, values, least in parts:
            if len(values) != len(sizes):
                raise ValueError(f"{where}: {word}: {len(values)} {what}, expected {len(sizes)}")
            if any(not least <= value < side + least for value, side in zip(values, sizes, strict=True)):
                bounds = ", ".join(f"{least} to {side + least - 1}" for side in sizes)
                raise ValueError(f"{where}: {word}: {what} of {bounds} expected")
        placements.append(made)
    return sorted(placements, key=lambda placement: placement.size)


class _SlurmPlacements(PlainPartitioner):
    """Gives a job one of the listed boxes, of the smallest listed size that holds it.

    Of free boxes of a shape the one is taken that overlaps fewest free boxes of the next larger size; of
    several shapes of a size the first that has a free box. A job of more nodes than any box has no place.

    Parameters
    ----------
    topology : Topology
        The machine.
    placements : str
        As `read_placements` takes them.
    """

    by_count = False

    def __init__(self, topology: Topology, placements: str) -> None:
        super().__init__(topology, placements)
        if not isinstance(topology, Grid) or not topology.wraps or topology.twist:
            raise ValueError(f"partitioner slurm:torus3d: is for tori, not for {topology}")
        self.placements = read_placements(placements, topology.sizes, "partitioner slurm:torus3d")
        self._boxes = [_boxes(placement, topology.sizes) for placement in self.placements]

    def choose(self, job: Job) -> Allocation | None:
        """Return the box of a job, None if none of its size is free."""
        sizes = [placement.size for placement in self.placements]
        size = next((size for size in sizes if size >= job.nodes), None)
        if size is None:
            return None
        larger = next((place for place, other in enumerate(sizes) if other > size), None)
        blocked = np.zeros((0, 1), np.int64) if larger is None else self._boxes[larger]
        blocked = blocked[self.is_free[blocked].all(axis=1)]
        for placement, boxes in zip(self.placements, self._boxes, strict=True):
            free = boxes[self.is_free[boxes].all(axis=1)] if placement.size == size else boxes[:0]
            if len(free):
                cost = [int(np.isin(blocked, box).any(axis=1).sum()) for box in free]
                return Allocation(free[int(np.argmin(cost))])
        return None


def _boxes(placement: Placement, sizes: tuple[int, ...]) -> Int:
    """Return the nodes of each box, X fastest in a box, and places with X slowest, as Slurm lists them."""
    strides = np.cumprod([1, *sizes[:-1]])
    inside = np.array([node[::-1] for node in np.ndindex(*placement.dims[::-1])])
    places = [
        [*dict.fromkeys((seed + step * n) % side for n in range(side))]
        for seed, step, side in zip(placement.seed, placement.spacing, sizes, strict=True)
    ]
    boxes = [((np.array(at) + inside) % sizes) @ strides for at in itertools.product(*places)]
    return np.array(boxes, np.int64)


# What Slurm gives a job where nobody says otherwise: consecutive nodes, few leaf switches, many, or boxes.
#
# Source: Slurm's Topology Guide (slurm.schedmd.com/topology.html), sections on one-dimensional, hierarchical
# and 3-D torus topologies; ties and comparisons of switches above are those of its plug-in ``topology/tree``
# (``eval_nodes_tree.c``), for nodes of equal weight that a job has for itself. This is what Slurm 22.05 does
# with ``SelectType=select/cons_tres`` and ``TopologyPlugin=topology/tree``; ``select/linear``, which chooses
# otherwise, is not modeled.

SLURM_RULES = {
    "flat": "runs of consecutive free nodes: the shortest that suffices, else the longest first",
    "tree": "leaf switches: the one with fewest free nodes that suffices, else the fullest, then near ones",
    "dragonfly": "the leaf switch with most free nodes if it suffices, else a node of each in turn",
    "torus3d": "boxes of listed shapes, as in torus3d=2x2x1+2x2x2, or as topology.yaml lists them",
}


def default_slurm_rule(topology: Topology) -> str:
    """Return Slurm's rule on a network, as its Topology Guide advises: that of trees, dragonflies, or none.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> [default_slurm_rule(parse(text)) for text in ("tree:4,2", "dragonfly:a=4,p=2,h=2", "torus:4x4")]
    ['tree', 'dragonfly', 'flat']
    """
    if not _subtrees(topology):
        return "torus3d" if listed_placements(topology.text) else "flat"
    return "dragonfly" if isinstance(topology, Graph) and topology.group is not None else "tree"


def slurm_choice(topology: Topology, option: str = "", seed: int = 0) -> _SlurmChoice | _SlurmPlacements:
    """Return the partitioner of an empty machine that chooses as Slurm does; see `SLURM_RULES`."""
    rule, equals, shapes = option.partition("=")
    rule = rule or default_slurm_rule(topology)
    if rule == "torus3d":
        return _SlurmPlacements(topology, shapes or listed_placements(topology.text))
    if equals:
        raise ValueError(f"partitioner slurm: {option!r}, expected shapes after torus3d= alone")
    return _SlurmChoice(topology, rule)


class _SlurmChoice(PlainPartitioner):
    """Gives a job the nodes that Slurm's own rule chooses, in increasing order.

    Parameters
    ----------
    topology : Topology
        The machine.
    option : str
        A key of `SLURM_RULES` but ``torus3d``; empty: that of `default_slurm_rule`.
    """

    def __init__(self, topology: Topology, option: str = "") -> None:
        super().__init__(topology, option)
        self.rule = check_choice(
            option or default_slurm_rule(topology), SLURM_RULES, "partitioner slurm: rule"
        )
        self._subtrees = _subtrees(topology) if self.rule != "flat" else []
        if self.rule != "flat" and not self._subtrees:
            raise ValueError(
                f"partitioner slurm:{self.rule}: the nodes of {topology} are at no switches, expected flat"
            )

    def choose(self, job: Job) -> Nodes:
        """Return nodes for `job`, for which enough are free."""
        free = np.flatnonzero(self.is_free)
        if self.rule == "flat":
            return _consecutive(free, job.nodes)
        if self.rule == "dragonfly":
            return np.sort(_spread(free, job.nodes, self._subtrees[0]))
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


def _spread(free: Int, size: int, leaf: Int) -> Int:
    """Return `size` of the free nodes: of the emptiest leaf switch if it suffices, else of all in turn."""
    count = np.bincount(leaf[free])
    emptiest = int(np.argmax(count))
    if count[emptiest] >= size:
        return np.asarray(free[leaf[free] == emptiest][:size])
    order = np.argsort(leaf[free], kind="stable")
    at = leaf[free][order]
    turn = np.arange(len(free)) - (np.cumsum(count) - count)[at]
    return np.asarray(free[order][np.lexsort((at, turn))][:size])


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


def _is_better(leaf: int, other: int, size: int, above: Int, left: list[Int], distance: Int) -> bool:
    """Return whether a leaf switch is to be taken rather than another."""
    fits = False
    sign = 0
    for level, free in enumerate(left):
        mine, theirs = above[level, leaf], above[level, other]
        here, there = int(free[mine]), int(free[theirs])
        fits, fit_too = here >= size, there >= size
        if fits or fit_too:
            sign = (fits > fit_too) - (fits < fit_too) or (here < there) - (here > there)
        if fits != fit_too or (fits and here != there):
            break
        together = level + 1 == len(left) or above[level + 1, leaf] == above[level + 1, other]
        if fits or together:
            sign = (here > there) - (here < there)
            break
    closer = distance[leaf] - distance[other]
    return bool((closer < 0 and fits) or (closer == 0 and sign > 0))
