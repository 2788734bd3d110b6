"""All algorithms by operation and name, and users' algorithms.

Names are Open MPI's, where it has the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from netplace.apps.collectives import (
    bine,
    halving_doubling,
    hierarchical,
    linear,
    recursive_doubling,
    ring,
    tree_based,
    trees,
)
from netplace.apps.collectives.call import (
    COMBINING,
    OPERATIONS,
    Algorithm,
    Call,
    Phase,
    Round,
    Rounds,
    in_rounds,
)
from netplace.apps.collectives.decisions import shipped_table
from netplace.inputs import check_choice
from netplace.registry import Registry


def _two(ranks: int) -> str:
    return "" if ranks == 2 else "2 ranks"


def _power_of_two(ranks: int) -> str:
    below = 1 << (ranks.bit_length() - 1)
    return "" if ranks == below else f"a power of two, such as {below} or {2 * below}"


def _by_default(call: Call, library: str = "openmpi") -> Rounds:
    chosen = shipped_table(library).choose(call)
    default = ALGORITHMS[call.operation, chosen.algorithm]
    yield from default.rounds(call.having(chosen.options))


def _mpich_recursive_doubling(call: Call) -> Rounds:
    """Execute an allgather by recursive doubling, or by default where the ranks are no power of two."""
    if _power_of_two(call.ranks):
        return _by_default(call, "mpich")
    return recursive_doubling.allgather_recursive_doubling(call)


def _mpich_pairwise(call: Call) -> Rounds:
    """Exchange with p xor k in an all-to-all, or with p + k and p - k where the ranks are no power of two."""
    return (in_rounds(linear.pairwise) if _power_of_two(call.ranks) else linear.pairwise_exchange)(call)


_LINEAR = "directly to or from all ranks"
_DOUBLED = "exchanges all received data with p xor 2^k; bruck if ranks are no power of two"
_shifting = Algorithm.shifting

# Operations, name and algorithm; the algorithms of an operation are listed in this order.
_ROWS = (
    ("allgather", "linear", Algorithm(
        partial(hierarchical.allgather_linear, _by_default), "gather to rank 0, then broadcast")),
    ("allgatherv", "default", Algorithm(
        partial(hierarchical.allgatherv_default, _by_default), "to rank 0, then broadcast")),
    ("allgather allgatherv", "bruck", _shifting(
        recursive_doubling.bruck, "all received data to p - 2^k; any number of ranks")),
    ("allgather allgatherv", "recursive_doubling", Algorithm(
        recursive_doubling.allgather_recursive_doubling, _DOUBLED)),
    ("allgather", "ring", _shifting(ring.ring, "blocks around a ring")),
    ("allgatherv", "ring", _shifting(ring.ring_of_pieces, "blocks around a ring")),
    ("allgather allgatherv", "neighbor_exchange", Algorithm(
        ring.neighbor_exchange, "two blocks alternately with each neighbor; ring if ranks are odd")),
    ("allgather allgatherv", "two_proc", _shifting(ring.ring, "two ranks exchange blocks", _two)),
    ("allgather", "hierarchical", Algorithm(
        hierarchical.allgather, "to group leaders, around a ring of leaders, and back", grouped=True)),
    ("allgather", "bine", Algorithm(bine.allgather, "a Bine butterfly, far ranks first", _power_of_two)),
    ("allgather", "mpich_recursive_doubling", Algorithm(
        _mpich_recursive_doubling, "recursive_doubling; MPICH's default if ranks are no power of two")),

    ("allreduce", "basic_linear", Algorithm(linear.basic_linear_allreduce, "directly to rank 0 and back")),
    ("allreduce", "nonoverlapping", Algorithm(
        partial(hierarchical.nonoverlapping, _by_default), "reduce, then broadcast")),
    ("allreduce", "recursive_doubling", Algorithm(
        recursive_doubling.allreduce_recursive_doubling, "exchanges the whole vector with p xor 2^k")),
    ("allreduce", "ring", Algorithm(ring.allreduce_ring, "reduce-scatter and allgather around a ring")),
    ("allreduce", "segmented_ring", Algorithm(
        ring.segmented_ring, "ring with the reduction in phases of segments")),
    ("allreduce", "rabenseifner", Algorithm(
        halving_doubling.allreduce_rabenseifner, "halving at distances 1, 2, .., then doubling")),
    ("allreduce", "reduce_scatter_allgather", Algorithm(
        halving_doubling.reduce_scatter_allgather,
        "rabenseifner, with whole vectors for ranks beyond a power of two (MPICH)")),
    ("allreduce", "halving_doubling", Algorithm(
        halving_doubling.halving_doubling, "halving at distances .., 2, 1, then doubling")),
    ("allreduce", "halving_doubling_rounded", Algorithm(
        halving_doubling.halving_doubling_rounded,
        "halving_doubling, with shares rounded down as published")),
    ("allreduce", "double_binary_tree", Algorithm(
        tree_based.allreduce_double_binary_tree, "one half of the vector up and down each of two trees")),
    ("allreduce", "hierarchical", Algorithm(
        hierarchical.allreduce, "within groups, among leaders, within groups", grouped=True)),
    ("allreduce", "bine", Algorithm(bine.allreduce, "reduce-scatter and allgather by Bine", _power_of_two)),
    ("allreduce", "bine_doubling", Algorithm(
        bine.doubling, "exchanges the whole vector with Bine partners", _power_of_two)),
    ("allreduce", "swing", Algorithm(
        ring.swing, "as bine, in parts, one for each direction of a torus", _power_of_two)),

    ("alltoall", "linear", _shifting(linear.backward, "everything at once", together=True)),
    ("alltoallv", "basic_linear", _shifting(
        linear.pairwise, "everything at once, including empty blocks", together=True)),
    ("alltoall alltoallv", "pairwise", _shifting(
        linear.pairwise, "exchanges with p + k and p - k in round k")),
    ("alltoallv", "scattered", _shifting(
        linear.scattered, "everything at once except empty blocks", together=True)),
    ("alltoall", "pairwise_exchange", Algorithm(
        linear.pairwise_exchange, "exchanges with p xor k in round k", _power_of_two)),
    ("alltoall", "mpich_pairwise", Algorithm(
        _mpich_pairwise, "pairwise_exchange; pairwise if ranks are no power of two (MPICH)")),
    ("alltoall", "modified_bruck", Algorithm(
        recursive_doubling.modified_bruck, "blocks move 2^k ranks in round k")),
    ("alltoall", "linear_sync", _shifting(
        linear.backward, "everything, with a limited number of open requests", together=True)),
    ("alltoall", "random_order", Algorithm(
        ring.alltoall_in_random_order, "everything at once, each rank in an order of its own")),
    ("alltoall", "bine", Algorithm(
        bine.alltoall, "half of the blocks with each Bine partner", _power_of_two)),
    ("alltoall", "two_proc", _shifting(linear.pairwise, "two ranks exchange blocks", _two)),

    ("barrier", "linear", Algorithm(linear.barrier_linear, "directly to rank 0 and back")),
    ("barrier", "double_ring", Algorithm(ring.double_ring, "a token twice around the ring")),
    ("barrier", "recursive_doubling", Algorithm(
        recursive_doubling.barrier_recursive_doubling, "with p xor 2^k")),
    ("barrier", "bruck", _shifting(recursive_doubling.dissemination, "dissemination: to p + 2^k")),
    ("barrier", "two_proc", _shifting(
        recursive_doubling.dissemination, "two ranks exchange a message", _two)),
    ("barrier", "tree", Algorithm(linear.barrier_tree, "up and down a binomial tree")),
    ("barrier", "hierarchical", Algorithm(
        hierarchical.barrier, "within groups, among leaders, within groups", grouped=True)),

    ("bcast", "linear", Algorithm(tree_based.tree_bcast(trees.linear), _LINEAR)),
    ("bcast", "chain", Algorithm(tree_based.tree_bcast(trees.chain), "segments down several chains")),
    ("bcast", "pipeline", Algorithm(tree_based.tree_bcast(trees.pipeline), "segments down one chain")),
    ("bcast", "split_binary_tree", Algorithm(
        tree_based.split_binary_tree, "one half down each subtree, then an exchange of halves")),
    ("bcast", "binary_tree", Algorithm(
        tree_based.tree_bcast(trees.binary), "segments down a binary tree")),
    ("bcast", "binomial", Algorithm(
        tree_based.tree_bcast(trees.binomial), "from p to p + 2^k above p, nearest first")),
    ("bcast", "in_order_binomial", Algorithm(
        trees.bcast_by_distance, "from p to p + 2^k, largest subtree first")),
    ("bcast", "knomial", Algorithm(tree_based.tree_bcast(trees.knomial), "a tree of any radix")),
    ("bcast", "knomial4", Algorithm(
        tree_based.tree_bcast(partial(trees.knomial, radix=4)), "a tree of radix 4")),
    ("bcast", "scatter_allgather", Algorithm(
        tree_based.scatter_allgather, "scatter, then recursive doubling")),
    ("bcast", "scatter_allgather_ring", Algorithm(
        tree_based.scatter_allgather_ring, "scatter, then a ring")),
    ("bcast", "scatter_recursive_doubling_allgather", Algorithm(
        tree_based.scatter_recursive_doubling_allgather,
        "scatter_allgather for any number of bytes (MPICH)")),
    ("bcast", "scatter_ring_allgather", Algorithm(
        tree_based.scatter_ring_allgather, "scatter_allgather_ring for any number of bytes (MPICH)")),
    ("bcast", "double_binary_tree", Algorithm(
        tree_based.double_tree_bcast, "one half down each of two trees")),
    ("bcast", "hierarchical", Algorithm(
        hierarchical.bcast, "among leaders, then within groups", grouped=True)),
    ("bcast", "bine", Algorithm(bine.bcast, "down a Bine tree, far ranks first", _power_of_two)),
    ("bcast", "bine_scatter_allgather", Algorithm(
        bine.scatter_allgather, "scatter and allgather by Bine", _power_of_two)),

    ("exscan scan", "linear", Algorithm(linear.chain_scan, "from p to p + 1, one after another")),
    ("exscan scan", "recursive_doubling", Algorithm(
        recursive_doubling.scan_recursive_doubling, "exchanges sums of groups with p xor 2^k")),

    ("gather", "basic_linear", Algorithm(tree_based.gather(trees.linear), _LINEAR)),
    ("gather", "binomial", Algorithm(tree_based.gather(trees.in_order_binomial), "up a binomial tree")),
    ("gather", "in_order_binomial", Algorithm(
        trees.gather_by_distance, "up a binomial tree, child by child")),
    ("gather", "linear_sync", Algorithm(
        tree_based.gather_linear_sync, "requested by the root, in two messages")),
    ("gather", "bine", Algorithm(bine.gather, "up a Bine tree", _power_of_two)),

    ("reduce", "linear", Algorithm(tree_based.reduce_linear, _LINEAR)),
    ("reduce", "chain", Algorithm(tree_based.tree_reduce(trees.chain), "segments up several chains")),
    ("reduce", "pipeline", Algorithm(tree_based.tree_reduce(trees.pipeline), "segments up one chain")),
    ("reduce", "binary", Algorithm(tree_based.tree_reduce(trees.binary), "segments up a binary tree")),
    ("reduce", "binomial", Algorithm(
        tree_based.tree_reduce(trees.in_order_binomial), "up a binomial tree")),
    ("reduce", "in_order_binomial", Algorithm(
        trees.reduce_by_distance, "up a binomial tree, child by child")),
    ("reduce", "in_order_binary", Algorithm(
        tree_based.in_order_binary_reduce, "up a binary tree to the last rank")),
    ("reduce", "knomial", Algorithm(tree_based.tree_reduce(trees.knomial), "up a tree of any radix")),
    ("reduce", "rabenseifner", Algorithm(
        halving_doubling.reduce_rabenseifner, "halving at distances 1, 2, .., then gather")),
    ("reduce", "reduce_scatter_gather", Algorithm(
        halving_doubling.reduce_scatter_gather,
        "rabenseifner, with whole vectors for ranks beyond a power of two (MPICH)")),
    ("reduce", "double_binary_tree", Algorithm(
        tree_based.double_tree_reduce, "one half up each of two trees")),
    ("reduce", "hierarchical", Algorithm(
        hierarchical.reduce, "within groups, then among leaders", grouped=True)),
    ("reduce", "bine", Algorithm(bine.reduce, "up a Bine tree, near ranks first", _power_of_two)),
    ("reduce", "bine_reduce_scatter_gather", Algorithm(
        bine.reduce_scatter_gather, "reduce-scatter and gather by Bine", _power_of_two)),

    ("reduce_scatter", "non_overlapping", Algorithm(
        partial(hierarchical.reduce_scatter_non_overlapping, _by_default),
        "reduce to rank 0, then scatter")),
    ("reduce_scatter_block", "basic_linear", Algorithm(
        partial(hierarchical.reduce_scatter_block_basic_linear, _by_default),
        "reduce to rank 0, then scatter")),
    ("reduce_scatter_block", "recursive_doubling", Algorithm(
        recursive_doubling.reduce_scatter_block_recursive_doubling,
        "exchanges all incomplete blocks with p xor 2^k")),
    ("reduce_scatter reduce_scatter_block", "recursive_halving", Algorithm(
        recursive_doubling.recursive_halving, "halving at distances .., 2, 1")),
    ("reduce_scatter_block", "butterfly", Algorithm(
        recursive_doubling.reduce_scatter_block_butterfly, "halving at distances 1, 2, ..")),
    ("reduce_scatter reduce_scatter_block", "ring", _shifting(
        ring.reduce_scatter_ring, "blocks around a ring", phase=Phase("ahead", combines=True))),
    ("reduce_scatter", "butterfly", Algorithm(
        recursive_doubling.butterfly, "halving at distances 1, 2, .., then to the owner")),
    ("reduce_scatter reduce_scatter_block", "pairwise", _shifting(
        linear.reduce_scatter_pairwise, "blocks directly to their owners", phase=COMBINING)),
    ("reduce_scatter reduce_scatter_block", "bine", Algorithm(
        bine.reduce_scatter, "a Bine butterfly, near ranks first", _power_of_two)),

    ("scatter", "basic_linear", Algorithm(tree_based.scatter(trees.linear), _LINEAR)),
    ("scatter", "binomial", Algorithm(
        tree_based.scatter(partial(trees.knomial, radix=2)), "down a binomial tree, largest subtree first")),
    ("scatter", "in_order_binomial", Algorithm(
        trees.scatter_by_distance, "down a binomial tree, largest subtree first")),
    ("scatter", "linear_nb", Algorithm(
        tree_based.scatter(trees.linear, blocking=False), _LINEAR)),
    ("scatter", "bine", Algorithm(bine.scatter, "down a Bine tree", _power_of_two)),
)  # fmt: skip
# How many times its vector each rank copies: Bruck's rotate it and, in an all-to-all, pack and unpack half of
# it in each round; allreduces copy the vector to the buffer of the result. The others copy little.
_COPIES: dict[str, Callable[[int], float]] = {
    "allgather bruck": lambda ranks: 2.0,
    "alltoall modified_bruck": lambda ranks: 2.0 + (ranks - 1).bit_length(),
    "alltoall bine": lambda ranks: 2.0 + (ranks - 1).bit_length(),
} | {f"allreduce {name}": lambda ranks: 1.0 for of, name, _ in _ROWS if of == "allreduce"}
ALGORITHMS: dict[tuple[str, str], Algorithm] = {
    (operation, name): replace(made, copies=_COPIES.get(f"{operation} {name}", made.copies))
    for operation in sorted(OPERATIONS)
    for operations, name, made in _ROWS
    if operation in operations.split()
}
"""Every algorithm, by (operation, name)."""

ALIASES = {
    "basic_linear": ("linear",),
    "neighbor": ("neighbor_exchange",),
    "in-order_binary": ("in_order_binary",),
    "non-overlapping": ("non_overlapping",),
    "brucks": ("bruck", "modified_bruck"),
    "dissemination": ("bruck",),
    "scattered": ("linear",),
    "smp": ("hierarchical",),
}
"""Synonyms of names, from the tables of Open MPI and MPICH."""


def _own(function: Callable[[Call], Iterable[Round]], name: str, description: str) -> Algorithm:
    return Algorithm(function, description)


_OF: dict[str, Registry[Algorithm]] = {
    operation: Registry(
        f"algorithm of {operation}",
        "netplace.collectives",
        Algorithm,
        {name: entry for (of, name), entry in ALGORITHMS.items() if of == operation},
        _own,
    )
    for operation in OPERATIONS
}


def algorithms_of(operation: str) -> Registry[Algorithm]:
    """Return the algorithms of an operation by name, to which users add their own."""
    return _OF[check_choice(operation, OPERATIONS, "collective operation")]


def algorithm(operation: str, name: str, ranks: int | None = None, label: str = "") -> tuple[str, Algorithm]:
    """Return an algorithm and its name in `ALGORITHMS`.

    Your own algorithm is a function that takes a `Call` and yields rounds of messages, added to
    `algorithms_of` the operation.
    """
    entry = ALGORITHMS.get((operation, name))
    if entry is None:
        name, entry = _searched(operation, name, label or f"algorithm of {operation}")
    if ranks is not None and (needed := entry.needs(ranks)):
        raise ValueError(
            f"{label or 'algorithm of ' + operation} {name!r}: does not support {ranks} ranks, expected "
            f"{needed}"
        )
    return name, entry


def _searched(operation: str, name: str, label: str) -> tuple[str, Algorithm]:
    """Return an algorithm that tables call otherwise, or one of the user's own."""
    known = algorithms_of(operation)
    name = _without_alias(name, known)
    entry, rest = known.find(name, label)
    if rest:
        raise ValueError(f"{label} {name!r}: unexpected text after its name")
    return name, entry


def _without_alias(name: str, known: Iterable[str]) -> str:
    """Return the name in `ALGORITHMS` of an algorithm that tables call otherwise."""
    if name in known or ":" in name:
        return name
    short = name.rpartition("_intra_")[2]
    # MPICH's binomial trees are in order, and what some of its algorithms hand over to is its own choice.
    own = () if short == name else (f"in_order_{short}", f"mpich_{short}")
    return next(
        (candidate for candidate in (*own, short, *ALIASES.get(short, ())) if candidate in known), name
    )
