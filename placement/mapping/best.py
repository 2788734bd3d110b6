"""Best mapping: simulates the candidates and takes the fastest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from netplace.checks import check_int
from netplace.placement.mapping.link_load import link_load
from netplace.placement.mapping.optimised import classic, td
from netplace.placement.mapping.orders import column, consecutive, permuted, shuffle
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.mapping.qap import QapResult
from netplace.placement.rule import Nodes
from netplace.topologies import Grid, Topology, Tree

# The rules that are tried besides random permutations, and the kind of network that each is defined on.
CANDIDATES: dict[str, tuple[Callable[[MappingProblem], Nodes | QapResult], type[Topology]]] = {
    "consecutive": (consecutive, Topology),
    "column": (column, Grid),
    "shuffle": (shuffle, Tree),
    "classic": (classic, Topology),
    "td": (td, Grid),
    "link-load": (link_load, Topology),
}
MOST_RANDOM = 10_000  # each is simulated
RANDOM = 5  # random permutations, unless the option says otherwise


def best(problem: MappingProblem) -> QapResult:
    """Return the candidate with which the program, alone on the network, takes the fewest cycles.

    Of equally fast candidates, it takes the first, and also if no candidate reaches its end. The cost of the
    result is that number of cycles, its method is the name of the winner, and its iterations are the number
    of candidates.
    """
    if problem.run_time is None:
        raise ValueError(
            "mapping best: simulates a program on every candidate, but no program or simulator was given"
        )
    began = time.thread_time()
    tried: set[bytes] = set()
    winner: QapResult | None = None
    for name, nodes in _candidates(problem):
        if nodes.tobytes() in tried:
            continue
        tried.add(nodes.tobytes())
        limit = None if winner is None or winner.cost == np.inf else int(winner.cost)
        cycles = problem.run_time(nodes, limit)
        if cycles is not None or winner is None:
            winner = QapResult(nodes, np.inf if cycles is None else cycles, name, 0, 0.0)
    assert winner is not None, "there is a candidate on every network"
    return replace(winner, iterations=len(tried), seconds=time.thread_time() - began)


def _candidates(problem: MappingProblem) -> Iterator[tuple[str, Nodes]]:
    what = "mapping best: random permutations"
    randoms = check_int(problem.option, what, 0, MOST_RANDOM) if problem.option else RANDOM
    plain = replace(problem, option="")
    for name, (rule, kind) in CANDIDATES.items():
        if not isinstance(problem.topology, kind):
            continue
        try:
            placed = rule(plain)
        except ValueError:
            if name == "link-load":  # the network is too large for a table of the links between all pairs
                continue
            raise
        yield name, placed.mapping if isinstance(placed, QapResult) else placed
    for number in range(randoms):
        yield f"random {number + 1}", permuted(plain)
