"""Mapping by routed link load: avoids high loads on links, with the actual routing."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.checks import check_choice
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.mapping.qap import QapResult
from netplace.placement.mapping.qap.budget import Budget

__all__ = ["OBJECTIVES", "OPTION", "link_load"]

OPTION = "OBJECTIVE,routing=R,iterations=N,seconds=S"
OBJECTIVES = {
    "squares": "the sum of the squares of the loads of all links",
    "max": "the load of the fullest link",
}
_WORDS = ("routing", "iterations", "seconds")


def link_load(problem: MappingProblem) -> QapResult:
    """Return a mapping with low loads on links between switches, never worse than the consecutive one.

    The load of a link is the sum of the bytes that the routing sends over it, times its cycles per phit; see
    `netplace.placement.mapping.routed_links.routed_links`. The search is simulated annealing with swaps of
    two tasks, or of a task and a free node; for ``max``, a descent follows. The sum of squares is small if
    loads are few and even. It is not a quadratic assignment problem, because many pairs share a link.
    """
    # What is large is imported where it is first used.
    from scipy import sparse

    from netplace.placement.mapping.link_load_search import LinkLoadSearch
    from netplace.placement.mapping.routed_links import routed_links

    options = _read(problem.option)
    objective, routing = options.pop("objective", "squares"), options.pop("routing", "")
    budget = Budget(**options)
    with budget.stopped():  # time limits the search, not what is made before it
        W: Any = problem.traffic("mapping link-load")
        routed = routed_links(problem.topology, problem.nodes, routing)
        search = LinkLoadSearch(routed, W if sparse.issparse(W) else np.asarray(W), problem.rng)
    best = search.run(budget, fullest=objective == "max")
    return QapResult(
        problem.nodes[best.places],
        best.most if objective == "max" else best.squares,
        f"annealing, {objective}",
        budget.spent,
        budget.seconds,
    )


def _read(option: str) -> dict[str, Any]:
    """Return the objective, the routing and the limits that an option such as ``"max,routing=dor"`` names."""
    settings: dict[str, Any] = {}
    for word in option.split(",") if option else []:
        key, equals, value = (part.strip() for part in word.partition("="))
        if equals:
            settings[check_choice(key, _WORDS, "mapping link-load: option")] = value
        else:
            settings["objective"] = check_choice(key, OBJECTIVES, "mapping link-load: objective")
    return settings
