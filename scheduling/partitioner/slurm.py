"""Nodes as Slurm chooses them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_choice, check_int
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.scheduling.partitioner.slurm_blocks import SlurmBlocks
from netplace.topologies import Graph, Grid, Topology, hierarchy
from netplace.topologies.slurm_grid import listed_placements

# Boxes as Slurm's plug-in ``topology/torus3d`` gives them: of listed shapes, at listed places.
#
# Source: Slurm's Topology Guide (slurm.schedmd.com/topology.html), section on 3-D tori, and topology.yaml(5);
# which of several free boxes is taken is as in the plug-in (``eval_nodes_torus3d.c``, Slurm 26.11).

Int = NDArray[np.int64]
_PLACEMENT = re.compile(r"(\d+(?:x\d+)*)(?:/(\d+(?:x\d+)*))?(?:@(\d+(?:x\d+)*))?")


@dataclass(frozen=True)
class Placement:
    """A shape that jobs may have, with one place (`seed`) and steps to the next ones, round the ring."""

    dims: tuple[int, ...]
    spacing: tuple[int, ...]
    seed: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.dims))

    def __str__(self) -> str:
        text = "x".join(map(str, self.dims))
        if self.spacing != self.dims:
            text += "/" + "x".join(map(str, self.spacing))
        return text + ("@" + "x".join(map(str, self.seed)) if any(self.seed) else "")


def read_placements(text: str, sizes: tuple[int, ...], where: str) -> list[Placement]:
    """Return the placements of a text such as ``"2x2x1+4x2x1/2x2x1@1x0x0"``, the smallest first.

    After a slash stands the spacing, by default the sides; after an at sign the seed, by default all 0.
    """
    placements = []
    for word in text.split("+"):
        match = _PLACEMENT.fullmatch(word)
        if not match:
            raise ValueError(f"{where}: {abbreviate(word)} is not a placement, expected a form such as 2x2x1")
        dims, spacing, seed = (
            None if part is None else tuple(map(int, part.split("x"))) for part in match.groups()
        )
        assert dims is not None
        made = Placement(dims, spacing or dims, seed or (0,) * len(dims))
        parts = (("sides", made.dims, 1), ("spacing", made.spacing, 1), ("seed", made.seed, 0))
        for label, values, minimum in parts:
            if len(values) != len(sizes):
                raise ValueError(f"{where}: {word}: {len(values)} {label}, expected {len(sizes)}")
            if any(not minimum <= value < side + minimum for value, side in zip(values, sizes, strict=True)):
                bounds = ", ".join(f"{minimum} to {side + minimum - 1}" for side in sizes)
                raise ValueError(f"{where}: {word}: {label} of {bounds} expected")
        placements.append(made)
    return sorted(placements, key=lambda placement: placement.size)


class _SlurmPlacements(PlainPartitioner):
    """Gives a job one of the listed boxes, of the smallest listed size that holds it.

    Of free boxes of a shape it takes the one that overlaps fewest free boxes of the next larger size; of
    several shapes of a size the first with a free box.
    """

    by_count = False

    def __init__(self, topology: Topology, placements: str) -> None:
        super().__init__(topology, placements)
        if not isinstance(topology, Grid) or not topology.wraps or topology.twist:
            raise ValueError(f"partitioner slurm:torus3d: is defined on tori, not on {topology}")
        self.placements = read_placements(placements, topology.sizes, "partitioner slurm:torus3d")
        self._boxes = [_boxes(placement, topology.sizes) for placement in self.placements]

    def choose(self, job: Job) -> Allocation | None:
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
# Sources: Slurm's Topology Guide (slurm.schedmd.com/topology.html), sections on one-dimensional, hierarchical
# and 3-D torus topologies, and the choices of Slurm 22.05. Its answers in random
# states are in tests/scheduling/partitioner/slurm_cases.jsonl (scripts/slurm-cases asks for them).
# Nodes have equal weight, and a job has them for itself.

SLURM_RULES = {
    "cons_tres": "select/cons_tres of Slurm 22.05: leaf switches that fit best, then near ones; flat: runs",
    "linear": "select/linear of Slurm 22.05: below the tightest switch, leaves with fewest free nodes first",
    "flat": "runs of consecutive free nodes: the shortest sufficient one, or the longest first",
    "tree": "cons_tres on machines with leaf switches",
    "dragonfly": "the leaf switch with the most free nodes if it suffices, or one node of each in turn",
    "block": "the fewest blocks of a block topology, or block=SEGMENT: one block for each so many nodes",
    "torus3d": "boxes of listed shapes, such as torus3d=2x2x1+2x2x2, or the list in topology.yaml",
}


def default_slurm_rule(topology: Topology) -> str:
    """Return Slurm's rule on a network, as its Topology Guide advises."""
    if not _subtrees(topology):
        return "torus3d" if listed_placements(topology.text) else "flat"
    return "dragonfly" if isinstance(topology, Graph) and topology.group is not None else "tree"


def slurm_choice(
    topology: Topology, option: str = "", seed: int = 0
) -> _SlurmChoice | _SlurmPlacements | SlurmBlocks:
    rule, equals, shapes = option.partition("=")
    rule = rule or default_slurm_rule(topology)
    if rule == "block":
        if not (levels := _subtrees(topology)):
            raise ValueError(f"partitioner slurm:block: the nodes of {topology} are not at switches")
        segment = check_int(shapes, "partitioner slurm:block: segment") if equals else 0
        return SlurmBlocks(topology, levels, segment)
    if rule == "torus3d":
        return _SlurmPlacements(topology, shapes or listed_placements(topology.text))
    if equals:
        raise ValueError(f"partitioner slurm: {option!r}, expected = only after torus3d and block")
    return _SlurmChoice(topology, rule)


class _SlurmChoice(PlainPartitioner):
    def __init__(self, topology: Topology, option: str) -> None:
        super().__init__(topology, option)
        self.rule = check_choice(option, SLURM_RULES, "partitioner slurm: rule")
        self._subtrees = _subtrees(topology) if self.rule != "flat" else []
        self._above = _switches_above(topology, self._subtrees) if self._subtrees else []
        if not self._subtrees and self.rule in ("cons_tres", "linear"):
            self.rule = "flat"
        if self.rule != "flat" and not self._subtrees:
            raise ValueError(
                f"partitioner slurm:{self.rule}: the nodes of {topology} are not at switches, expected flat"
            )

    def choose(self, job: Job) -> Nodes:
        free = np.flatnonzero(self.is_free)
        if self.rule == "flat":
            return _consecutive(free, job.nodes)
        if self.rule == "dragonfly":
            return np.sort(_spread(free, job.nodes, self._subtrees[0]))
        if self.rule == "linear":
            return np.sort(_smallest_leaves(free, job.nodes, self._subtrees))
        leaf = np.unique(self._subtrees[0], return_inverse=True)[1]
        count = [np.bincount(label[free], minlength=int(label.max()) + 1) for label in self._subtrees]
        nodes = _closest_leaves(free, job.nodes, leaf[free], self._above, np.concatenate(count).tolist())
        return np.sort(nodes)


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


def _smallest_leaves(free: Int, size: int, subtrees: list[Int]) -> Int:
    """Return nodes below the lowest switch that suffices, the tightest, of leaves with fewest free first."""
    for label in subtrees:
        count = np.bincount(label[free])
        enough = np.flatnonzero(count >= size)
        if len(enough):
            free = free[label[free] == enough[np.argmin(count[enough])]]
            break
    leaf = subtrees[0][free]
    return np.asarray(free[np.lexsort((free, leaf, np.bincount(leaf)[leaf]))][:size])


def _switches_above(topology: Topology, subtrees: list[Int]) -> list[list[int]]:
    """Return, for each leaf switch, the switches from itself to the top; skipped levels have none.

    The switch of subtree l of a level has the number l, plus the subtrees of lower levels.
    """
    first = np.cumsum([0, *(int(label.max()) + 1 for label in subtrees[:-1])])
    node = np.unique(subtrees[0], return_index=True)[1]
    paths = np.stack([start + label[node] for start, label in zip(first, subtrees, strict=True)], axis=1)
    if not isinstance(topology, Graph) or topology.places is None or hierarchy(topology) is None:
        return paths.tolist()  # type: ignore[no-any-return]
    level, switch = topology.places[:, 0], topology.first_switch
    above = topology.neighbor[switch:] - switch
    made = []
    for path, home in zip(paths.tolist(), topology.home[node] - switch, strict=True):
        passed, reached = {int(level[home])}, [int(home)]
        while reached:
            here = reached.pop()
            higher = [end for end in above[here].tolist() if end >= 0 and level[end] > level[here]]
            passed.update(level[higher].tolist())
            reached += higher[:1]  # all parents of a switch are one subtree's
        made.append([one for number, one in enumerate(path, int(level.min())) if number in passed])
    return made


def _closest_leaves(free: Int, size: int, leaf: Int, above: list[list[int]], count: list[int]) -> Int:
    """Return nodes of leaf switches, each next one close to those before; `count` is from before the job."""
    distance = [0] * len(above)
    left = [number for number, path in enumerate(above) if count[path[0]]]
    chosen: list[Int] = []
    while size:
        best = left[0]
        for other in left[1:]:
            if distance[other] <= distance[best]:
                sign = _preferred(above[other], above[best], size, count)
                if sign > 0 or (sign == 0 and distance[other] < distance[best]):
                    best = other
        left.remove(best)
        chosen.append(free[leaf == best][:size])
        size -= len(chosen[-1])
        height = {switch: place for place, switch in enumerate(above[best])}
        for other in left:
            for place, switch in enumerate(above[other]):
                if switch in height:
                    distance[other] += place + height[switch]
                    break
    return np.concatenate(chosen)


def _preferred(mine: list[int], theirs: list[int], size: int, count: list[int]) -> int:
    """Return 1 if a leaf switch fits better than another, -1 if worse, 0 if both fit alike.

    Decisive is the lowest level at which one of the switches above them suffices: the tighter is better; or
    else the level at which both have the same parent: the fuller is better.
    """
    for place in range(max(len(mine), len(theirs))):
        here, there = (count[path[min(place, len(path) - 1)]] for path in (mine, theirs))
        if here >= size and there >= size:
            return (here < there) - (here > there)
        if here >= size or there >= size:
            return 1 if here >= size else -1
        if mine[min(place + 1, len(mine) - 1)] == theirs[min(place + 1, len(theirs) - 1)]:
            break
    return (here > there) - (here < there)
