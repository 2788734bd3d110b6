"""Mapping by routed link load: avoids high loads on links, with the actual routing."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native
from netplace.placement.expected_loads import flows
from netplace.placement.mapping.problem import MappingProblem, read_option
from netplace.placement.mapping.qap import QapResult
from netplace.placement.mapping.qap.problem import Budget
from netplace.placement.rule import Nodes
from netplace.topologies import Graph, Topology
from netplace.topologies.limits import check_memory
from netplace.topologies.routing import Switches, all_minimal, make_routes, reach, steps

MOST_SWITCHES = 2048  # switches: their pairs are tabulated


@dataclass(frozen=True, eq=False)
class RoutedLinks:
    """The load of a byte between two nodes on the links between switches."""

    # shape (nodes,): switch of each of the nodes, numbered among those at which any of them hangs.
    home: NDArray[np.int64]
    # shape (switches**2 + 1,): where in `link` and `share` those of a pair of switches begin: pair ``a *
    # switches + b``.
    first: NDArray[np.int64]
    link: NDArray[np.int64]  # links, numbered by switch and port
    share: NDArray[np.float64]  # cycles per phit of the link, times the share of the packets that cross it
    links: int  # how many there may be

    @property
    def switches(self) -> int:
        return int(self.home.max()) + 1

    def loads(self, places: Nodes, W: Any) -> NDArray[np.float64]:
        source, target, size = flows(W, len(places))
        link_loads = np.zeros(self.links)
        home = self.home[places]
        pair = home[source] * self.switches + home[target]
        native.add_loads(self.first, self.link, self.share, self.switches, pair, size, link_loads)
        return link_loads


def routed_links(topology: Topology, nodes: Nodes, routing: str = "") -> RoutedLinks:
    """Return the links that the packets between some nodes cross.

    `topology`: any network. `routing`: as in `netplace.topologies.routing.make_routes`. If its table lists
    several ports, each takes the same share. Routings with intermediate switches count by the direct way.
    Empty means the default of the network; on grids and trees, which choose among shortest ways, it means all
    of these.
    """
    switches = Switches.of(topology)
    here, home = np.unique(switches.home[nodes], return_inverse=True)
    if len(here) > MOST_SWITCHES:
        raise ValueError(
            f"mapping link-load: stores the routes between all switches of the available nodes, and "
            f"{len(here)} switches of {topology} are more than {MOST_SWITCHES}; set a partition"
        )
    if routing or isinstance(topology, Graph):
        switches, routes = make_routes(topology, routing, in_tables=True)
        ports = routes.ports
        reach(switches, ports, steps(switches, "none")[0], routes.name)  # it leads everywhere
    else:
        ports = all_minimal(switches)
    weight = np.ones(switches.neighbor.shape)
    if isinstance(topology, Graph):
        weight[:] = topology.cycles[switches.first :]
    table = ports, switches.neighbor, weight, here
    first = native.walk_table(*table, counted=True)[0]
    check_memory(topology.text, int(first[-1]) * 16, "the routes between all pairs of switches")
    first, link, share = native.walk_table(*table, counted=False)
    return RoutedLinks(home.astype(np.int64), first, link, share, switches.neighbor.size)


Int = NDArray[np.int64]
_STEPS = 50  # temperatures
_SLACK = 0.2  # share by which the fullest link may become fuller, at first
_WORK = 3e8  # links looked at by a search that has no limit, about
_SWEEPS = (50, 20_000)  # of such a search: least and most


@dataclass(frozen=True)
class _LinkLoadPlacement:
    """Places of the tasks, the largest link load, and the sum of the squares of all link loads."""

    places: Int
    maximum: float
    squares: float


def _by_fullest(placement: _LinkLoadPlacement) -> tuple[float, float]:
    return placement.maximum, placement.squares


class _LinkLoadSearch:
    """Search for places of tasks with low link loads."""

    def __init__(self, routed: RoutedLinks, W: Any, rng: np.random.Generator) -> None:
        from scipy import sparse

        self._routed, self._rng, self._W = routed, rng, W
        self.tasks, self._nodes = int(W.shape[0]), len(routed.home)
        source, target, size = flows(W, self.tasks)
        self._unit = float(size.mean()) if len(size) else 1.0
        shape = (self._nodes, self._nodes)  # those that no task has are places for tasks without traffic
        out = sparse.csr_array((size / self._unit, (source, target)), shape=shape)
        back = sparse.csr_array((size / self._unit, (target, source)), shape=shape)
        self._out, self._back = (
            (form.indptr.astype(np.int64), form.indices.astype(np.int64), form.data) for form in (out, back)
        )
        self._ways = routed.first, routed.link, routed.share, routed.switches
        way = len(routed.link) / max(1, len(routed.first) - 1)
        self._work = 8 * len(size) * max(1.0, way)  # of a sweep: links looked at

    def measured(self, places: Int) -> _LinkLoadPlacement:
        loads = self._routed.loads(places, self._W)
        return _LinkLoadPlacement(places, float(loads.max(initial=0.0)), float(loads @ loads))

    def run(self, budget: Budget, fullest: bool) -> _LinkLoadPlacement:
        """Return the best places found from the given order on; never worse than these."""
        start = self.measured(np.arange(self.tasks))
        if not len(self._out[2]) or self._nodes < 2:
            return start
        with budget.stopped():
            temperatures, sweeps = self._course(budget)
        best = min(start, self._cooled(temperatures, budget, sweeps), key=lambda placement: placement.squares)
        if not fullest:
            return best
        best = min(start, best, key=_by_fullest)
        return min(best, self._emptied(best, budget, max(1, sweeps // 2)), key=_by_fullest)

    def _course(self, budget: Budget) -> tuple[list[float], int]:
        """Return the temperatures of a search, and its sweeps: those that the budget has, or by the work."""
        state = self._state(np.arange(self.tasks))
        changes = np.zeros(200)
        began = time.thread_time()
        state.propose(self._rng, 0.0, changes)
        each = (time.thread_time() - began) / 200 * self.tasks
        worse = changes[changes > 0]
        high = float(worse.mean()) if len(worse) else 0.0
        temperatures = [*np.geomspace(high / 2, high / 5000, _STEPS - 1).tolist(), 0.0] if high else [0.0]
        minimum, maximum = _SWEEPS
        sweeps = min(max(minimum, _WORK / self._work), maximum)
        if budget.iterations_left < math.inf:
            sweeps = budget.iterations_left
        elif budget.timed:
            sweeps = 0.8 * budget.seconds_left / max(each, 1e-9)
        return temperatures, max(1, int(sweeps))

    def _cooled(self, temperatures: list[float], budget: Budget, sweeps: int) -> _LinkLoadPlacement:
        """Return the best places met while cooling down."""
        state = self._state(np.arange(self.tasks))
        changes = np.zeros(self.tasks)
        cost, minimum, kept = 0.0, 0.0, state.place()
        for done in range(sweeps):
            if budget.over:
                break
            temperature = temperatures[done * len(temperatures) // sweeps]
            cost += state.propose(self._rng, temperature, changes)
            budget.spend(1)
            if cost < minimum:
                minimum, kept = cost, state.place()
        return self.measured(kept[: self.tasks])

    def _emptied(self, begin: _LinkLoadPlacement, budget: Budget, sweeps: int) -> _LinkLoadPlacement:
        """Return places from which the fullest link was emptied, by threshold accepting."""
        # G. Dueck and T. Scheuer, "Threshold accepting", J. Computational Physics 90 (1990).
        state = self._state(begin.places)
        best = np.append(begin.maximum / self._unit, state.place())
        for done in range(sweeps):
            if budget.timed and budget.over:
                break
            slack = _SLACK * max(0.0, 1 - 1.25 * done / sweeps)
            state.empty(self._rng, slack, best)
        return self.measured(best[1 : self.tasks + 1].astype(np.int64))

    def _state(self, places: Int) -> native.LinkSearch:
        """Return a search from these places; those of tasks without traffic are any others."""
        others = np.setdiff1d(np.arange(self._nodes), places)
        place = np.concatenate((places, others)).astype(np.int64)
        loads = self._routed.loads(places, self._W) / self._unit
        home = self._routed.home[place]
        network: Any = (*self._out, *self._back, *self._ways)
        return native.LinkSearch(*network, place, home, loads, self.tasks)  # type: ignore[call-arg]


OPTION = "OBJECTIVE,routing=R,iterations=N,seconds=S"
OBJECTIVES = {
    "squares": "the sum of the squares of the loads of all links",
    "max": "the load of the most loaded link",
}
_WORDS = ("routing", "iterations", "seconds")


def link_load(problem: MappingProblem) -> QapResult:
    """Return a mapping with low loads on links between switches, never worse than the consecutive one.

    The load of a link is the sum of the bytes that the routing sends over it, times its cycles per phit; see
    `routed_links`. The search is simulated annealing with swaps of
    two tasks, or of a task and a free node; for ``max``, a descent follows. The sum of squares is small if
    loads are few and even. It is not a quadratic assignment problem, because many pairs share a link.
    """
    # Large modules are imported on first use.
    from scipy import sparse

    options = read_option(problem.option, _WORDS, "mapping link-load: option", "objective", OBJECTIVES)
    objective, routing = options.pop("objective", "squares"), options.pop("routing", "")
    budget = Budget(**options)
    with budget.stopped():  # the time limit applies to the search alone
        W: Any = problem.traffic("mapping link-load")
        routed = routed_links(problem.topology, problem.nodes, routing)
        search = _LinkLoadSearch(routed, W if sparse.issparse(W) else np.asarray(W), problem.rng)
    best = search.run(budget, fullest=objective == "max")
    return QapResult(
        problem.nodes[best.places],
        best.maximum if objective == "max" else best.squares,
        f"annealing, {objective}",
        budget.spent,
        budget.seconds,
    )
