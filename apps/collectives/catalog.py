"""All algorithms by operation and name, and users' algorithms.

Names are Open MPI's, where it has the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from netplace.apps.collectives import trees
from netplace.apps.collectives.bine import (
    bine_allgather,
    bine_allreduce,
    bine_alltoall,
    bine_bcast,
    bine_doubling,
    bine_gather,
    bine_reduce,
    bine_reduce_scatter,
    bine_reduce_scatter_gather,
    bine_scatter,
    bine_scatter_allgather,
)
from netplace.apps.collectives.call import OPERATIONS, Algorithm, Call, Round, Rounds
from netplace.apps.collectives.decisions import shipped_table
from netplace.apps.collectives.halving import butterfly, recursive_halving, reduce_scatter_block_butterfly
from netplace.apps.collectives.halving_doubling import (
    allreduce_rabenseifner,
    divides,
    halving_doubling,
    halving_doubling_rounded,
    reduce_rabenseifner,
    reduce_scatter_allgather,
    reduce_scatter_gather,
)
from netplace.apps.collectives.hierarchical import (
    allgather_linear,
    allgatherv_default,
    hierarchical_allgather,
    hierarchical_allreduce,
    hierarchical_barrier,
    hierarchical_bcast,
    hierarchical_reduce,
    nonoverlapping,
    reduce_scatter_block_basic_linear,
    reduce_scatter_non_overlapping,
)
from netplace.apps.collectives.linear import (
    barrier_linear,
    barrier_tree,
    basic_linear_allreduce,
    chain_scan,
    pairwise,
    pairwise_exchange,
    reduce_scatter_pairwise,
    scattered,
)
from netplace.apps.collectives.recursive_doubling import (
    allgather_recursive_doubling,
    allreduce_recursive_doubling,
    barrier_recursive_doubling,
    bruck,
    dissemination,
    modified_bruck,
    reduce_scatter_block_recursive_doubling,
    scan_recursive_doubling,
)
from netplace.apps.collectives.ring import (
    allreduce_ring,
    double_ring,
    neighbor_exchange,
    reduce_scatter_ring,
    ring,
    ring_of_pieces,
    segmented_ring,
)
from netplace.apps.collectives.torus import alltoall_in_random_order, alltoall_in_two_phases, swing
from netplace.apps.collectives.tree_based import (
    allreduce_double_binary_tree,
    double_tree_bcast,
    double_tree_reduce,
    gather,
    gather_linear_sync,
    in_order_binary_reduce,
    scatter,
    scatter_allgather,
    scatter_allgather_ring,
    scatter_recursive_doubling_allgather,
    scatter_ring_allgather,
    split_binary_tree,
    tree_bcast,
    tree_reduce,
)
from netplace.apps.collectives.trees import (
    bcast_by_distance,
    gather_by_distance,
    reduce_by_distance,
    scatter_by_distance,
)
from netplace.checks import check_choice
from netplace.extensions import Registry

__all__ = ["ALGORITHMS", "algorithm", "algorithms_of"]


def _two(ranks: int) -> str:
    return "" if ranks == 2 else "2 ranks"


def _power_of_two(ranks: int) -> str:
    below = 1 << (ranks.bit_length() - 1)
    return "" if ranks == below else f"a power of two, such as {below} or {2 * below}"


def _even(ranks: int) -> str:
    return "" if ranks % 2 == 0 else f"an even number, such as {ranks - 1} or {ranks + 1}"


def _by_default(call: Call, library: str = "openmpi") -> Rounds:
    chosen = shipped_table(library).choose(call)
    default = ALGORITHMS[call.operation, chosen.algorithm]
    yield from default.rounds(call.having(chosen.options))


def _mpich_recursive_doubling(call: Call) -> Rounds:
    """Execute an allgather by recursive doubling, or by default where the ranks are no power of two."""
    if _power_of_two(call.ranks):
        return _by_default(call, "mpich")
    return allgather_recursive_doubling(call)


_LINEAR = "directly to or from all ranks"
_RING = "blocks around a ring"

ALGORITHMS: dict[tuple[str, str], Algorithm] = {
    ("allgather", "linear"): Algorithm(
        partial(allgather_linear, _by_default), "gather to rank 0, then broadcast"
    ),
    ("allgather", "bruck"): Algorithm.shifting(bruck, "all received data to p - 2^k; any number of ranks"),
    ("allgather", "recursive_doubling"): Algorithm(
        allgather_recursive_doubling,
        "exchanges all received data with p xor 2^k; bruck if ranks are no power of two",
    ),
    ("allgather", "ring"): Algorithm.shifting(ring, _RING),
    ("allgather", "neighbor_exchange"): Algorithm(
        neighbor_exchange, "two blocks alternately with each neighbor; ring if ranks are odd"
    ),
    ("allgather", "two_proc"): Algorithm.shifting(ring, "two ranks exchange blocks", _two),
    ("allgather", "hierarchical"): Algorithm(
        hierarchical_allgather, "to group leaders, around a ring of leaders, and back", grouped=True
    ),
    ("allgather", "bine"): Algorithm(bine_allgather, "a Bine butterfly, far ranks first", _power_of_two),
    ("allgather", "mpich_recursive_doubling"): Algorithm(
        _mpich_recursive_doubling, "recursive_doubling; MPICH's default if ranks are no power of two"
    ),
    ("allgatherv", "default"): Algorithm(
        partial(allgatherv_default, _by_default), "to rank 0, then broadcast"
    ),
    ("allgatherv", "bruck"): Algorithm.shifting(bruck, "all received data to p - 2^k; any number of ranks"),
    ("allgatherv", "recursive_doubling"): Algorithm(
        allgather_recursive_doubling,
        "exchanges all received data with p xor 2^k; bruck if ranks are no power of two",
    ),
    ("allgatherv", "ring"): Algorithm.shifting(ring_of_pieces, _RING),
    ("allgatherv", "neighbor_exchange"): Algorithm(
        neighbor_exchange, "two blocks alternately with each neighbor; ring if ranks are odd"
    ),
    ("allgatherv", "two_proc"): Algorithm.shifting(ring, "two ranks exchange blocks", _two),
    ("allreduce", "basic_linear"): Algorithm(basic_linear_allreduce, "directly to rank 0 and back"),
    ("allreduce", "nonoverlapping"): Algorithm(
        partial(nonoverlapping, _by_default), "reduce, then broadcast"
    ),
    ("allreduce", "recursive_doubling"): Algorithm(
        allreduce_recursive_doubling, "exchanges the whole vector with p xor 2^k"
    ),
    ("allreduce", "ring"): Algorithm(allreduce_ring, "reduce-scatter and allgather around a ring"),
    ("allreduce", "segmented_ring"): Algorithm(
        segmented_ring, "ring with the reduction in phases of segments"
    ),
    ("allreduce", "rabenseifner"): Algorithm(
        allreduce_rabenseifner, "halving at distances 1, 2, .., then doubling"
    ),
    ("allreduce", "reduce_scatter_allgather"): Algorithm(
        reduce_scatter_allgather, "the same, with whole vectors for ranks beyond a power of two (MPICH)"
    ),
    ("allreduce", "halving_doubling"): Algorithm(
        halving_doubling, "halving at distances .., 2, 1, then doubling"
    ),
    ("allreduce", "halving_doubling_rounded"): Algorithm(
        halving_doubling_rounded, "the same, with shares rounded down as in published figures", exact=divides
    ),
    ("allreduce", "double_binary_tree"): Algorithm(
        allreduce_double_binary_tree, "one half of the vector up and down each of two trees"
    ),
    ("allreduce", "hierarchical"): Algorithm(
        hierarchical_allreduce, "within groups, among leaders, within groups", grouped=True
    ),
    ("allreduce", "bine"): Algorithm(bine_allreduce, "reduce-scatter and allgather by Bine", _power_of_two),
    ("allreduce", "bine_doubling"): Algorithm(
        bine_doubling, "exchanges the whole vector with Bine partners", _power_of_two
    ),
    ("allreduce", "swing"): Algorithm(
        swing, "as bine, in parts, one for each direction of a torus", _power_of_two
    ),
    ("alltoall", "linear"): Algorithm.shifting(pairwise, "everything at once", together=True),
    ("alltoall", "pairwise"): Algorithm.shifting(pairwise, "exchanges with p + k and p - k in round k"),
    ("alltoall", "pairwise_exchange"): Algorithm(
        pairwise_exchange, "exchanges with p xor k in round k", _power_of_two
    ),
    ("alltoall", "modified_bruck"): Algorithm(modified_bruck, "blocks move 2^k ranks in round k"),
    ("alltoall", "linear_sync"): Algorithm.shifting(
        pairwise, "everything, with a limited number of open requests", together=True
    ),
    ("alltoall", "random_order"): Algorithm(
        alltoall_in_random_order, "everything at once, each rank in an order of its own"
    ),
    ("alltoall", "two_phase"): Algorithm(
        alltoall_in_two_phases, "along one side of a torus, then across the others"
    ),
    ("alltoall", "bine"): Algorithm(
        bine_alltoall, "half of the blocks with each Bine partner", _power_of_two
    ),
    ("alltoall", "two_proc"): Algorithm.shifting(pairwise, "two ranks exchange blocks", _two),
    ("alltoallv", "basic_linear"): Algorithm.shifting(
        pairwise, "everything at once, including empty blocks", together=True
    ),
    ("alltoallv", "pairwise"): Algorithm.shifting(pairwise, "exchanges with p + k and p - k in round k"),
    ("alltoallv", "scattered"): Algorithm.shifting(
        scattered, "everything at once except empty blocks", together=True
    ),
    ("barrier", "linear"): Algorithm(barrier_linear, "directly to rank 0 and back"),
    ("barrier", "double_ring"): Algorithm(double_ring, "a token twice around the ring"),
    ("barrier", "recursive_doubling"): Algorithm(barrier_recursive_doubling, "with p xor 2^k"),
    ("barrier", "bruck"): Algorithm.shifting(dissemination, "dissemination: to p + 2^k"),
    ("barrier", "two_proc"): Algorithm.shifting(dissemination, "two ranks exchange a message", _two),
    ("barrier", "tree"): Algorithm(barrier_tree, "up and down a binomial tree"),
    ("barrier", "hierarchical"): Algorithm(
        hierarchical_barrier, "within groups, among leaders, within groups", grouped=True
    ),
    ("bcast", "linear"): Algorithm(tree_bcast(trees.linear), _LINEAR),
    ("bcast", "chain"): Algorithm(tree_bcast(trees.chain), "segments down several chains"),
    ("bcast", "pipeline"): Algorithm(tree_bcast(trees.pipeline), "segments down one chain"),
    ("bcast", "split_binary_tree"): Algorithm(
        split_binary_tree, "one half down each subtree, then an exchange of halves"
    ),
    ("bcast", "binary_tree"): Algorithm(tree_bcast(trees.binary), "segments down a binary tree"),
    ("bcast", "binomial"): Algorithm(tree_bcast(trees.binomial), "from p to p + 2^k above p, nearest first"),
    ("bcast", "in_order_binomial"): Algorithm(bcast_by_distance, "from p to p + 2^k, largest subtree first"),
    ("bcast", "knomial"): Algorithm(tree_bcast(trees.knomial), "a tree of any radix"),
    ("bcast", "knomial4"): Algorithm(tree_bcast(partial(trees.knomial, radix=4)), "a tree of radix 4"),
    ("bcast", "scatter_allgather"): Algorithm(scatter_allgather, "scatter, then recursive doubling"),
    ("bcast", "scatter_allgather_ring"): Algorithm(scatter_allgather_ring, "scatter, then a ring"),
    ("bcast", "scatter_recursive_doubling_allgather"): Algorithm(
        scatter_recursive_doubling_allgather, "scatter_allgather for any number of bytes (MPICH)"
    ),
    ("bcast", "scatter_ring_allgather"): Algorithm(
        scatter_ring_allgather, "scatter_allgather_ring for any number of bytes (MPICH)"
    ),
    ("bcast", "double_binary_tree"): Algorithm(double_tree_bcast, "one half down each of two trees"),
    ("bcast", "hierarchical"): Algorithm(
        hierarchical_bcast, "among leaders, then within groups", grouped=True
    ),
    ("bcast", "bine"): Algorithm(bine_bcast, "down a Bine tree, far ranks first", _power_of_two),
    ("bcast", "bine_scatter_allgather"): Algorithm(
        bine_scatter_allgather, "scatter and allgather by Bine", _power_of_two
    ),
    ("exscan", "linear"): Algorithm(chain_scan, "from p to p + 1, one after another"),
    ("exscan", "recursive_doubling"): Algorithm(
        scan_recursive_doubling, "exchanges sums of groups with p xor 2^k"
    ),
    ("gather", "basic_linear"): Algorithm(gather(trees.linear), _LINEAR),
    ("gather", "binomial"): Algorithm(gather(trees.in_order_binomial), "up a binomial tree"),
    ("gather", "in_order_binomial"): Algorithm(gather_by_distance, "up a binomial tree, child by child"),
    ("gather", "linear_sync"): Algorithm(gather_linear_sync, "requested by the root, in two messages"),
    ("gather", "bine"): Algorithm(bine_gather, "up a Bine tree", _power_of_two),
    ("reduce", "linear"): Algorithm(tree_reduce(trees.linear), _LINEAR),
    ("reduce", "chain"): Algorithm(tree_reduce(trees.chain), "segments up several chains"),
    ("reduce", "pipeline"): Algorithm(tree_reduce(trees.pipeline), "segments up one chain"),
    ("reduce", "binary"): Algorithm(tree_reduce(trees.binary), "segments up a binary tree"),
    ("reduce", "binomial"): Algorithm(tree_reduce(trees.in_order_binomial), "up a binomial tree"),
    ("reduce", "in_order_binomial"): Algorithm(reduce_by_distance, "up a binomial tree, child by child"),
    ("reduce", "in_order_binary"): Algorithm(in_order_binary_reduce, "up a binary tree to the last rank"),
    ("reduce", "knomial"): Algorithm(tree_reduce(trees.knomial), "up a tree of any radix"),
    ("reduce", "rabenseifner"): Algorithm(reduce_rabenseifner, "halving at distances 1, 2, .., then gather"),
    ("reduce", "reduce_scatter_gather"): Algorithm(
        reduce_scatter_gather, "the same, with whole vectors for ranks beyond a power of two (MPICH)"
    ),
    ("reduce", "double_binary_tree"): Algorithm(double_tree_reduce, "one half up each of two trees"),
    ("reduce", "hierarchical"): Algorithm(
        hierarchical_reduce, "within groups, then among leaders", grouped=True
    ),
    ("reduce", "bine"): Algorithm(bine_reduce, "up a Bine tree, near ranks first", _power_of_two),
    ("reduce", "bine_reduce_scatter_gather"): Algorithm(
        bine_reduce_scatter_gather, "reduce-scatter and gather by Bine", _power_of_two
    ),
    ("reduce_scatter", "non_overlapping"): Algorithm(
        partial(reduce_scatter_non_overlapping, _by_default), "reduce to rank 0, then scatter"
    ),
    ("reduce_scatter", "recursive_halving"): Algorithm(recursive_halving, "halving at distances .., 2, 1"),
    ("reduce_scatter", "ring"): Algorithm.shifting(reduce_scatter_ring, _RING),
    ("reduce_scatter", "butterfly"): Algorithm(butterfly, "halving at distances 1, 2, .., then to the owner"),
    ("reduce_scatter", "pairwise"): Algorithm.shifting(
        reduce_scatter_pairwise, "blocks directly to their owners"
    ),
    ("reduce_scatter", "bine"): Algorithm(
        bine_reduce_scatter, "a Bine butterfly, near ranks first", _power_of_two
    ),
    ("reduce_scatter_block", "basic_linear"): Algorithm(
        partial(reduce_scatter_block_basic_linear, _by_default), "reduce to rank 0, then scatter"
    ),
    ("reduce_scatter_block", "recursive_doubling"): Algorithm(
        reduce_scatter_block_recursive_doubling, "exchanges all incomplete blocks with p xor 2^k"
    ),
    ("reduce_scatter_block", "recursive_halving"): Algorithm(
        recursive_halving, "halving at distances .., 2, 1"
    ),
    ("reduce_scatter_block", "butterfly"): Algorithm(
        reduce_scatter_block_butterfly, "halving at distances 1, 2, .."
    ),
    ("reduce_scatter_block", "ring"): Algorithm.shifting(reduce_scatter_ring, _RING),
    ("reduce_scatter_block", "pairwise"): Algorithm.shifting(
        reduce_scatter_pairwise, "blocks directly to their owners"
    ),
    ("reduce_scatter_block", "bine"): Algorithm(
        bine_reduce_scatter, "a Bine butterfly, near ranks first", _power_of_two
    ),
    ("scan", "linear"): Algorithm(chain_scan, "from p to p + 1, one after another"),
    ("scan", "recursive_doubling"): Algorithm(
        scan_recursive_doubling, "exchanges sums of groups with p xor 2^k"
    ),
    ("scatter", "basic_linear"): Algorithm(scatter(trees.linear), _LINEAR),
    ("scatter", "binomial"): Algorithm(scatter(trees.in_order_binomial), "down a binomial tree"),
    ("scatter", "in_order_binomial"): Algorithm(
        scatter_by_distance, "down a binomial tree, largest subtree first"
    ),
    ("scatter", "linear_nb"): Algorithm(scatter(trees.linear), _LINEAR),
    ("scatter", "bine"): Algorithm(bine_scatter, "down a Bine tree", _power_of_two),
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


def algorithms_of(operation: str) -> dict[str, Algorithm]:
    """Return the algorithms of an operation by name."""
    check_choice(operation, OPERATIONS, "collective operation")
    return {name: entry for (of, name), entry in ALGORITHMS.items() if of == operation}


def algorithm(operation: str, name: str, ranks: int | None = None, what: str = "") -> tuple[str, Algorithm]:
    """Return an algorithm and its name in `ALGORITHMS`.

    Your own algorithm is a function that takes a `Call` and yields rounds of messages, given as
    ``"module:function"`` or ``"folder/file.py:function"``.
    """
    entry = ALGORITHMS.get((operation, name))
    if entry is None:
        name, entry = _searched(operation, name, what or f"algorithm of {operation}")
    if ranks is not None and (needed := entry.needs(ranks)):
        raise ValueError(
            f"{what or 'algorithm of ' + operation} {name!r}: does not support {ranks} ranks, expected "
            f"{needed}"
        )
    return name, entry


def _searched(operation: str, name: str, what: str) -> tuple[str, Algorithm]:
    """Return an algorithm that tables call otherwise, or one of the user's own."""
    known = algorithms_of(operation)
    kind = f"algorithm of {operation}"
    choice: Registry[Algorithm] = Registry(kind, known, "netplace.collectives", _own)
    name = _without_alias(name, known)
    entry, rest = choice.find(name, what)
    if rest:
        raise ValueError(f"{what} {name!r}: unexpected text after its name")
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


def _own(function: Callable[[Call], Iterable[Round]], name: str, description: str) -> Algorithm:
    return Algorithm(function, description)
