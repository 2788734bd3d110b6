"""Orders of the nodes of a network: curves through a grid, files, and searches for locality."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.files import text_of
from netplace.inputs import check_int
from netplace.placement.mapping.qap import solve_qap
from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology


def row(topology: Topology) -> Nodes:
    return np.arange(topology.nodes)


def snake(topology: Topology) -> Nodes:
    """Return the nodes row by row, every other row and plane backwards, each next to the one before."""
    grid = grid_of(topology, "order snake")
    order = np.zeros(1, np.int64)
    for size in grid.sizes:
        stride = len(order)
        slices = np.tile(order, (size, 1))
        slices[1::2] = order[::-1]
        order = (slices + stride * np.arange(size)[:, None]).ravel()
    return order


# Hilbert's curve through boxes of any sides and any number of dimensions.
#
# The curve of a box goes from its corner at the origin to the corner at the far end of one axis, its
# length. A long box is cut across its length. Any other is cut in two along its length and along the
# *fold*, the largest other axis, and along the other axes that are about as large; the parts are visited as
# in Hilbert's curve: a Gray code of the halves, two parts in line being one box. In a square this is up,
# across, down.
#
# Such a curve can do without jumps only if its length is even, or all sides are odd: color the nodes like a
# chessboard, every step changes the color. Cuts keep to that: lengths are cut to an even part and the rest,
# the fold to an even part first, and only even axes are cut in addition. Since every box has an even side
# or none, the whole curve has no jump in any box. In boxes of sides 2^k it is Hilbert's.
#
# Sources: D. Hilbert, "Über die stetige Abbildung einer Linie auf ein Flächenstück", Math. Annalen 38
# (1891); J. Alber, R. Niedermeier, "On multidimensional Hilbert indexings", COCOON 1998 (Gray code of the
# halves). The rules for sides that are no powers of two are our own.

_Box = tuple[int, ...]
_Walk = NDArray[np.int32]


def hilbert(topology: Topology) -> Nodes:
    """Return the nodes along Hilbert's curve, from node 0 to the far corner of the longest (even) side."""
    grid = grid_of(topology, "order hilbert")
    sizes = grid.sizes
    length = max(range(grid.dims), key=lambda axis: (sizes[axis] % 2 == 0, sizes[axis], -axis))
    axes = [length, *(axis for axis in range(grid.dims) if axis != length)]
    walk = _walk(tuple(sizes[axis] for axis in axes), {})
    return grid.node(walk[:, np.argsort(axes)])


def _walk(box: _Box, known: dict[_Box, _Walk]) -> _Walk:
    """Return the coordinates along the curve of a box, shape (nodes, axes)."""
    # The curve starts at the origin, and its length is axis 0. `known` keeps the curves of boxes seen before:
    # there are few different ones.
    if box not in known:
        if max(box[1:], default=1) == 1:
            walk = np.zeros((box[0], len(box)), np.int32)
            walk[:, 0] = np.arange(box[0])
        else:
            walk = _joined(box, known)
        known[box] = walk
    return known[box]


def _joined(box: _Box, known: dict[_Box, _Walk]) -> _Walk:
    walk = np.empty((math.prod(box), len(box)), np.int32)
    at = np.zeros(len(box), np.int32)
    done = 0
    for low, sides, length in _parts(box):
        at = np.clip(at, low, np.add(low, sides) - 1)
        axes = [length, *(axis for axis in range(len(box)) if axis != length)]
        part = _walk(tuple(sides[axis] for axis in axes), known)[:, np.argsort(axes)]
        walk[done : done + len(part)] = at + np.where(at == low, 1, -1) * part
        done += len(part)
        at = walk[done - 1]
    return walk


def _parts(box: _Box) -> Iterator[tuple[list[int], list[int], int]]:
    """Yield the parts of a box in the order of the curve: lowest corner, sides, and axis of the length."""
    fold = max(range(1, len(box)), key=lambda axis: box[axis])
    if 2 * box[0] > 3 * box[fold] and box[0] >= 4:
        cut = _even_half(box[0])
        yield [0] * len(box), [cut, *box[1:]], 0
        yield [cut] + [0] * (len(box) - 1), [box[0] - cut, *box[1:]], 0
        return
    cuts = {axis: box[axis] // 2 for axis in _others(box, fold)}
    upper = dict.fromkeys([fold, *cuts], False)

    def part(length: int, whole: bool = True) -> tuple[list[int], list[int], int]:
        low, sides = [0] * len(box), list(box)
        for axis, cut in (cuts | {fold: _even_half(box[fold])}).items():
            if axis != length or not whole:
                low[axis] = cut if upper[axis] else 0
                sides[axis] = box[axis] - cut if upper[axis] else cut
        return low, sides, length

    yield part(fold, whole=False)
    # The other axes go through their halves by a Gray code; a part leads from one to the next, in the upper
    # half of the fold and in the lower in turns.
    for count in range(1, 2 ** len(cuts)):
        axis = list(cuts)[(count & -count).bit_length() - 1]
        upper[fold] = count % 2 == 1
        yield part(axis)
        upper[axis] = not upper[axis]
    upper[fold] = False
    yield part(fold, whole=False)


def _others(box: _Box, fold: int) -> list[int]:
    """Return the axes that are cut besides the fold: even ones about as large, and the length as the last."""
    near = [axis for axis in range(1, len(box)) if box[axis] % 2 == 0 and 4 * box[axis] >= 3 * box[fold]]
    return [axis for axis in near if axis != fold] + [0]


def _even_half(size: int) -> int:
    if size == 2:
        return 1
    half = size // 2 + size // 2 % 2
    return half if half < size else half - 2


# Hilbert's curve of the smallest cube of side 2^m around a grid, cut to the grid.
#
# Nodes outside the grid are struck out and the ranks closed up, so that the curve jumps where it left the
# grid. It is there to reproduce what was published on machines that are no cubes; `hilbert` has no jumps.
#
# Source: V. J. Leung et al., CLUSTER 2002, section 2.2, which leaves open what is done on other sides; to
# cut is the plain reading. In two dimensions the curve starts at (0, 0) and ends at (2^m - 1, 0), as
# published; in others it is Hilbert's curve by J. Skilling, "Programming the Hilbert curve", AIP Conf.
# Proc. 707 (2004).

_Places = NDArray[np.int64]


def hilbert_cut(topology: Topology) -> Nodes:
    """Return the nodes of a grid in the order of the curve of the cube around it."""
    grid = grid_of(topology, "order hilbert-cut")
    bits = (max(grid.sizes) - 1).bit_length()
    if grid.dims == 1:
        return np.arange(grid.nodes)
    places = grid.coordinates(np.arange(grid.nodes))
    keys = _square(places, bits) if grid.dims == 2 else _cube(places, bits)
    return np.argsort(keys, kind="stable")


def _square(places: _Places, bits: int) -> _Places:
    """Return the ranks of places on the curve of the square of side 2^bits."""
    x, y = places[:, 0].copy(), places[:, 1].copy()
    rank = np.zeros(len(places), np.int64)
    for bit in reversed(range(bits)):
        side = 1 << bit
        right, up = x >> bit & 1, y >> bit & 1
        rank = rank << 2 | (3 * right ^ up)
        x, y = x & side - 1, y & side - 1
        turned = (up == 0) & (right == 1)
        x, y = np.where(turned, side - 1 - x, x), np.where(turned, side - 1 - y, y)
        x, y = np.where(up == 0, y, x), np.where(up == 0, x, y)
    return rank


def _cube(places: _Places, bits: int) -> _Places:
    """Return keys that grow along the curve of the cube of side 2^bits, of any number of dimensions."""
    # Skilling's transformation of coordinates, then of Gray codes; the transposed bits are read crosswise.
    x = places.T.copy()
    for bit in reversed(range(1, bits)):
        low = (1 << bit) - 1
        for axis in range(len(x)):
            high = (x[axis] >> bit & 1).astype(bool)
            change = np.where(high, 0, (x[0] ^ x[axis]) & low)
            x[0] = np.where(high, x[0] ^ low, x[0] ^ change)
            x[axis] ^= change
    for axis in range(1, len(x)):
        x[axis] ^= x[axis - 1]
    flip = np.zeros_like(x[0])
    for bit in reversed(range(1, bits)):
        flip ^= np.where(x[-1] >> bit & 1, (1 << bit) - 1, 0)
    x ^= flip
    rank = np.zeros(len(places), np.int64)
    for bit in reversed(range(bits)):
        for axis in range(len(x)):
            rank = rank << 1 | x[axis] >> bit & 1
    return rank


# H-indexing: a closed curve through a square of side 2^m, the last node beside the first.
#
# Source: R. Niedermeier, K. Reinhardt, P. Sanders, "Towards optimal locality in mesh-indexings", Discrete
# Applied Mathematics 117 (2002). The recursion over triangles, T below, is our own wording of it.


def hindex(topology: Topology) -> Nodes:
    """Return the nodes along the curve; all steps, and that from the last to the first, are of one hop."""
    grid = grid_of(topology, "order hindex")
    side = grid.sizes[0]
    if grid.dims != 2 or side != grid.sizes[1] or side < 2 or side & (side - 1):
        raise ValueError(f"order hindex: is defined on squares of side 2, 4, 8, .., not on {grid}")
    triangle = np.array([[0, 0], [0, 1]])
    size = 2
    while size < side:
        size *= 2
        x, y = triangle[::-1].T
        triangle = np.concatenate(
            [
                triangle,
                np.stack([x, size - 1 - y], axis=1),
                np.stack([size // 2 - 1 - x, y + size // 2], axis=1),
                triangle + size // 2,
            ]
        )
    return grid.node(np.concatenate([triangle, side - 1 - triangle]))


def order_from_file(path: Path, topology: Topology) -> Nodes:
    """Return the order in a file: numbers apart by blanks, commas or line ends; ``#`` begins a comment."""
    lines = text_of(path).splitlines()
    line_of: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        for word in line.partition("#")[0].replace(",", " ").split():
            node = check_int(word, f"{path}:{number}: node", 0)
            if node >= topology.nodes:
                raise ValueError(
                    f"{path}:{number}: node {node} is not in 0..{topology.nodes - 1} of {topology}"
                )
            if node in line_of:
                raise ValueError(
                    f"{path}:{number}: node {node} appears twice, the first time in line {line_of[node]}"
                )
            line_of[node] = number
    missing = sorted(set(range(topology.nodes)) - set(line_of))
    if missing:
        raise ValueError(
            f"{path}: node {missing[0]} is missing ({len(missing)} of the {topology.nodes} of {topology})"
        )
    return np.array(list(line_of), np.int64)


# The locality of orders of the nodes, and a search for better orders.
#
# Source: V. J. Leung et al., CLUSTER 2002, section 2.2. The halving weights are ours; the paper suggests
# weights that fall exponentially.

Floats = NDArray[np.float64]
_MOST = 1024  # nodes: the search holds a matrix of distances, and takes minutes beyond
_NEAR = 24  # ranks apart beyond which halving weights are left out of a search: less than one in ten million


def halving_weights(ranks: int) -> Floats:
    """Return the weights ``w[k] = 2**-(k - 1)`` of ranks k apart, with ``w[0] = 0``; shape (ranks,)."""
    weights = 0.5 ** (np.arange(ranks, dtype=float) - 1)
    weights[:1] = 0
    return weights


def curve_objective(
    topology: Topology, order: Nodes, weights: Floats | None = None, *, ring: bool = False
) -> float:
    """Return J, the sum over pairs of ranks i < j of ``w[j - i]`` times the distance of their nodes."""
    ranks = len(order)
    weights = halving_weights(ranks) if weights is None else weights
    total = 0.0
    for apart in range(1, ranks):
        weight = weights[min(apart, ranks - apart) if ring else apart]
        if weight > 0:
            total += float(weight) * int(topology.distance(order[:-apart], order[apart:]).sum())
    return total


def searched_order(topology: Topology, *, iterations: int = 30_000, seed: int = 0) -> Nodes:
    """Return an order of small J with halving weights, found by the portfolio of QAP searches."""
    from scipy import sparse

    if topology.nodes > _MOST:
        raise ValueError(f"order searched: {topology} has {topology.nodes} nodes, expected at most {_MOST}")
    if topology.nodes == 1:
        return np.zeros(1, np.int64)
    near = range(1, min(_NEAR, topology.nodes - 1) + 1)
    weights = halving_weights(_NEAR + 1)
    bands = [np.full(topology.nodes - apart, weights[apart]) for apart in near]
    flow = sparse.diags_array(bands, offsets=list(near), shape=(topology.nodes,) * 2)
    solution = solve_qap(sparse.coo_array(flow), topology.distances(), iterations=iterations, seed=seed)
    return solution.mapping


# The smallest J, with a proof: prefixes of orders, longer by a node at a time.
#
# With halving weights, node v costs the sum of 2**-(steps back) times the distance to each node before it:
# the *pull* of the prefix on v, which halves with every step. Whatever follows, a prefix of the same nodes
# is no better than another if its cost exceeds the other's by at least the most that the other's pulls can
# cost more. By the rearrangement inequality, that is the sorted differences times the weights.

_PROVEN = 12  # nodes, which take seconds; each node more takes over twice as long
_Prefix = tuple[float, Floats, tuple[int, ...]]  # cost, pull on each node, nodes


def optimal_order(topology: Topology) -> Nodes:
    """Return an order of the smallest J with halving weights, proved by enumeration."""
    count, every = topology.nodes, frozenset(range(topology.nodes))
    if count > _PROVEN:
        raise ValueError(f"order optimal: {topology} has {count} nodes, expected at most {_PROVEN}")
    distances, weights = topology.distances().astype(float), halving_weights(count + 1)[1:]
    nearest = np.sort(distances, axis=1)[:, 1:].min(axis=0)
    among = np.cumsum([0.0, 0.0, *np.cumsum(weights[: count - 1] * nearest)])  # least cost among k nodes
    most = curve_objective(topology, searched_order(topology))
    kept: dict[frozenset[int], list[_Prefix]] = {frozenset(): [(0.0, np.zeros(count), ())]}
    for rest in reversed(range(count)):
        longer: dict[frozenset[int], list[_Prefix]] = {}
        for held, prefixes in kept.items():
            for node, (before, pull, order) in itertools.product(every - held, prefixes):
                cost, pulls = before + float(pull[node]), pull / 2 + distances[node]
                left = sorted(every - held - {node})
                if cost + np.sort(pulls[left]) @ weights[:rest] + among[rest] <= most:
                    longer.setdefault(held | {node}, []).append((cost, pulls, (*order, node)))
        kept = {held: _best(some, sorted(every - held), weights[:rest]) for held, some in longer.items()}
    return np.array(kept[every][0][2], np.int64)


def _best(prefixes: list[_Prefix], left: list[int], weights: Floats) -> list[_Prefix]:
    """Return the prefixes that no other makes needless, the cheapest first."""
    kept: list[_Prefix] = []
    for cost, pull, order in sorted(prefixes, key=lambda prefix: prefix[0]):
        later = (np.sort(theirs[left] - pull[left])[::-1] @ weights for _, theirs, _ in kept)
        if not any(other + most <= cost for (other, _, _), most in zip(kept, later, strict=True)):
            kept.append((cost, pull, order))
    return kept
