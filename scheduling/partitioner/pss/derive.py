"""Processor sets of a machine, from its topology: subtrees, or boxes of halved sides.

Costs have one component per level, the widest cut first, and the nodes' own cost last. Source: N. P.
Drakenberg, "Increased model-realism can make processor-selection easier", for sets and lexicographic
costs; which sets a topology has is ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_ranges
from netplace.scheduling.partitioner.pss.sets import ProcessorSets, processor_sets
from netplace.topologies import Graph, Grid, Topology, Tree

Costs = NDArray[np.int64]


def node_costs(topology: Topology, text: str) -> Costs:
    """Return the cost of each node by a key of `PREFERENCES` and nodes, such as ``io:0+63`` or ``io:0-7``."""
    name, _, option = text.partition(":")
    label = "partitioner pss:levels, cost of a node"
    make = PREFERENCES[check_choice(name, PREFERENCES, label)]
    if (name == "io") != bool(option):
        raise ValueError(f"{label}: {text!r}, expected uniform, centre or a form such as io:0+63 or io:0-7")
    return make(topology, _nodes(topology, option, text) if option else np.empty(0, np.int64))


def _nodes(topology: Topology, option: str, text: str) -> Costs:
    label = f"partitioner pss:levels,{text}: node"
    return np.unique(np.concatenate(check_ranges(option, label, topology.nodes - 1, "+")))


def _from_the_centre(topology: Topology, nodes: Costs) -> Costs:
    """Return 1 and twice the distance of each node of a mesh from the center, dimension by dimension."""
    if not isinstance(topology, Grid) or topology.wraps:
        raise ValueError(f"partitioner pss:levels,centre: is defined on meshes, not on {topology}")
    places = topology.coordinates(np.arange(topology.nodes))
    return np.asarray(1 + np.abs(2 * places - (np.array(topology.sizes) - 1)).sum(axis=1))


def _hops_to(topology: Topology, nodes: Costs) -> Costs:
    """Return 1 and the hops from each node to the nearest of `nodes`, where input and output go."""
    minimum = np.full(topology.nodes, np.iinfo(np.int64).max)
    for node in nodes:
        minimum = np.minimum(minimum, topology.distance(np.arange(topology.nodes), node))
    return np.asarray(1 + minimum)


PREFERENCES: dict[str, Callable[[Topology, Costs], Costs]] = {
    "uniform": lambda topology, nodes: np.ones(topology.nodes, np.int64),
    "centre": _from_the_centre,
    "io": _hops_to,
}


Level = list[tuple[list[int], int]]
"""Sets of one level, each with its weight."""


def levels(
    topology: Topology,
    preference: str = "uniform",
    overlap: bool = False,
    front: Sequence[Level] = (),
    behind: Sequence[Level] = (),
) -> ProcessorSets:
    """Return the processor sets of a mesh, torus, tree, or network of groups and switches.

    `preference`: cost of nodes, the last component. `overlap`: boxes at steps of half a side, round the rings
    of a torus. `front`, `behind`: other hierarchies such as racks, each a component before or after the
    levels.
    """
    costs = node_costs(topology, preference)
    if not overlap:
        return leveled([*front, *plain_levels(topology), *behind], costs)
    if not isinstance(topology, Grid) or topology.twist:
        raise ValueError(f"partitioner pss:levels,overlap: is defined on meshes and tori, not on {topology}")
    boxes = box_levels(topology, _halved(topology.sizes), overlap)
    return leveled([*front, *boxes, *behind], costs)


def plain_levels(topology: Topology) -> list[Level]:
    """Return the sets of each level of `topology`, side by side, the widest first."""
    if isinstance(topology, Tree):
        return tree_levels(topology)
    if isinstance(topology, Grid) and not topology.twist:
        if max(topology.sizes) == 2:
            return _cube_levels(topology)
        return box_levels(topology, _halved(topology.sizes))
    if isinstance(topology, Graph) and topology.first_switch:
        return wiring_levels(topology)
    raise ValueError(
        f"partitioner pss:levels: needs switches with nodes, or meshes, tori and trees, not on {topology}"
    )


def weighted(
    topology: Topology,
    weights: Sequence[int],
    preference: str,
    apart: bool,
    front: Sequence[Level] = (),
    behind: Sequence[Level] = (),
) -> ProcessorSets:
    """Return the sets of levels by measured weights, the widest first; those of weight 0 are omitted.

    All are in one component, unless each is `apart`.
    """
    costs = node_costs(topology, preference)
    weighted_levels = [
        [(members, weight) for members, _ in level]
        for level, weight in zip(plain_levels(topology), weights, strict=True)
        if weight
    ]
    own = weighted_levels if apart or not weighted_levels else [list(itertools.chain(*weighted_levels))]
    return leveled([*front, *own, *behind], costs)


def leveled(each_level: Sequence[Level], node_costs: Sequence[int] | NDArray[np.int64]) -> ProcessorSets:
    """Return sets of levels, a component each, followed by the nodes with a cost in the last component."""
    length = len(each_level) + 1

    def vector(component: int, weight: int) -> list[int]:
        return [weight if place == component else 0 for place in range(length)]

    sets: Iterable[tuple[list[int], list[int]]] = itertools.chain(
        (
            (members, vector(place, weight))
            for place, level in enumerate(each_level)
            for members, weight in level
        ),
        (([node], vector(length - 1, int(cost))) for node, cost in enumerate(node_costs)),
    )
    return processor_sets(len(node_costs), sets)


def tree_levels(tree: Tree) -> list[Level]:
    subtrees = []
    for level in range(tree.stages - 1, 0, -1):
        size = tree.down**level
        weight = -(-size // tree.up**level)
        subtrees.append([(list(range(first, first + size)), weight) for first in range(0, tree.nodes, size)])
    return subtrees


def wiring_levels(network: Graph) -> list[Level]:
    """Return the nodes of each group, if there are groups, and those at each switch; a set weighs 1."""
    at = network.home - network.first_switch
    owners = [at] if network.group is None else [network.group[at], at]
    return [
        [(np.flatnonzero(owner == number).tolist(), 1) for number in np.unique(owner)] for owner in owners
    ]


def box_levels(grid: Grid, sides: Sequence[Sequence[int]], overlap: bool = False) -> list[Level]:
    return [[(box, 1) for box in _boxes(grid, shape, overlap)] for shape in sides]


def _cube_levels(cube: Grid) -> list[Level]:
    """Return the sub-cubes of a hypercube, halves first: nodes that differ in the lowest dimensions alone."""
    sizes = [1 << dims for dims in range(cube.nodes.bit_length() - 2, 0, -1)]
    return [[(list(range(at, at + size)), 1) for at in range(0, cube.nodes, size)] for size in sizes]


def _boxes(grid: Grid, shape: Sequence[int], overlap: bool) -> list[list[int]]:
    steps = [max(1, side // 2) if overlap else side for side in shape]
    starts = [range(0, size, step) for size, step in zip(grid.sizes, steps, strict=True)]
    boxes = []
    for origin in itertools.product(*reversed(starts)):  # the first dimension fastest
        ranges = []
        for start, side, size in zip(reversed(origin), shape, grid.sizes, strict=True):
            here = range(start, start + side)
            around = overlap and grid.wraps
            ranges.append(sorted({at % size for at in here} if around else {at for at in here if at < size}))
        places = np.array(list(itertools.product(*ranges)))
        boxes.append(np.sort(grid.node(places)).tolist())
    return boxes


def _halved(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the shapes of boxes: powers of two, from half of the machine down to 2."""
    shape = [1 << max(0, (size // 2).bit_length() - 1) if size > 1 else 1 for size in sizes]
    shapes = []
    while max(shape) >= 2:
        shapes.append(tuple(shape))
        shape = [max(1, side // 2) for side in shape]
    return shapes
