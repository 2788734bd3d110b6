"""Which kind of mapping is fastest: searches and simulations within a budget, and verdicts on their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from netplace.netsim import SimulationError
from netplace.placement.mapping import MAPPINGS
from netplace.placement.mapping.cost import has_dimensions
from netplace.placement.mapping.link_load import MOST_SWITCHES
from netplace.placement.rule import Nodes
from netplace.runs.chance import network_is_random, rule_is_random
from netplace.runs.mapping_search import MappingPlan, Search
from netplace.scheduling.metrics.comparison import Paired, judged, unpaired
from netplace.scheduling.metrics.interval import Estimate, estimate
from netplace.topologies.routing import Switches

CANDIDATES = ("consecutive", "classic", "td", "link-load", "random")  # in the order of their first runs
ENOUGH = 5  # times from which a verdict on something random follows
# Where the network is random: how many mappings are simulated again, and how often, in each round.
_ROUNDS = ((8, 5), (3, 15))
_FINAL_SEED = 1_000_000  # seeds of these simulations begin so far from those of the searches

Outcomes = Callable[[list[MappingPlan]], list[dict[str, Any]]]


@dataclass(frozen=True)
class Candidate:
    """The simulated times of one kind of mapping."""

    mapping: str
    cycles: tuple[int, ...]  # of the job with each mapping that was found, in the order of the seeds
    exact: bool = False  # whether neither the mapping nor the network is random: there is a single time
    # Seed and nodes of each mapping; empty where only times are known.
    seeds: tuple[int, ...] = ()
    mappings: tuple[Nodes, ...] = ()
    failure: str = ""  # why the job did not end with a mapping of this kind
    rule: str = ""  # the mapping rule with its options, if the name lacks these

    @property
    def decides(self) -> bool:
        """Whether there are enough times for a verdict."""
        return bool(self.cycles) and (self.exact or len(self.cycles) >= ENOUGH)

    @cached_property
    def estimate(self) -> Estimate:
        """Mean time in cycles."""
        return estimate(self.cycles)

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of the mean; NaN if unknown."""
        if self.exact:
            return 0.0
        return self.estimate.half_width if self.decides else math.nan

    @property
    def fastest(self) -> int:
        """Index of the mapping with the least time."""
        return int(np.argmin(self.cycles))


@dataclass(frozen=True)
class Verdict:
    """A comparison of two kinds of mapping."""

    mapping: str
    than: str
    faster: float  # share of the mean time with `than` that `mapping` saves; negative if it takes longer
    half_width: float  # of the 95 % interval of `faster`; NaN if not decided
    # Probability of such a difference by chance, corrected by Holm's method for all pairs of kinds.
    p_value: float
    words: str  # ``"faster"``, ``"slower"``, ``"equal"``, ``"not clear"`` or ``"not decided"``

    def reversed(self) -> Verdict:
        """Return the verdict from the point of view of the other mapping."""
        ratio = 1 / (1 - self.faster)
        words = {"faster": "slower", "slower": "faster"}.get(self.words, self.words)
        return Verdict(self.than, self.mapping, 1 - ratio, self.half_width * ratio**2, self.p_value, words)


_WORDS = {
    "clearly less": "faster",
    "clearly more": "slower",
    "within chance": "not clear",
    "equal": "equal",
    "one run": "not decided",
}


def verdicts(candidates: Sequence[Candidate]) -> list[Verdict]:
    """Return a verdict on every pair of candidates with times, as one family: Welch's t-test, and Holm."""
    pairs = list(combinations([one for one in candidates if one.cycles], 2))
    differences = [_difference(one, than) for one, than in pairs]
    return [
        Verdict(
            one.mapping,
            than.mapping,
            1 - one.estimate.mean / than.estimate.mean,
            _half_width(one, than),
            judgement.p_value,
            _WORDS[judgement.words],
        )
        for (one, than), difference, judgement in zip(pairs, differences, judged(differences), strict=True)
    ]


def _difference(one: Candidate, than: Candidate) -> Paired:
    first, second = ((each.estimate.mean, _spread(each), len(each.cycles)) for each in (than, one))
    if one.decides and than.decides:
        return unpaired(first, second, known=True)  # what is the same in every search is certain
    return Paired(second[0] - first[0], math.nan, math.nan, 1, first[0])


def _half_width(one: Candidate, than: Candidate) -> float:
    """Return the half-width of the 95 % interval of the ratio of two mean times, by the delta method."""
    if not (one.decides and than.decides):
        return math.nan
    mean, ratio = than.estimate.mean, one.estimate.mean / than.estimate.mean
    parts = [
        (weight * _spread(each) / mean) ** 2 / len(each.cycles)
        for each, weight in ((one, 1.0), (than, ratio))
    ]
    squares = sum(
        part**2 / max(1, len(each.cycles) - 1) for part, each in zip(parts, (one, than), strict=True)
    )
    return Estimate(0.0, math.sqrt(sum(parts)), sum(parts) ** 2 / squares + 1).half_width if squares else 0.0


def _spread(candidate: Candidate) -> float:
    return float(np.std(candidate.cycles, ddof=1)) if len(candidate.cycles) > 1 else 0.0


def verdict_on(found: Sequence[Verdict], mapping: str, than: str) -> Verdict | None:
    """Return the verdict on a pair, from the point of view of `mapping`."""
    for each in found:
        if (each.mapping, each.than) == (mapping, than):
            return each
        if (each.mapping, each.than) == (than, mapping):
            return each.reversed()
    return None


@dataclass(frozen=True)
class Choice:
    """The candidates that were compared, and the fastest mapping."""

    candidates: tuple[Candidate, ...]
    # The fastest mapping: its kind, the seed of its search, and the node of each task.
    mapping: str
    seed: int
    nodes: Nodes
    # Its mean time, and over how many simulations.
    cycles: float
    draws: int
    repeated: bool  # whether the fastest mappings were simulated again, where the network is random
    cpu_seconds: float  # of all searches and simulations
    left: int  # searches that were not done because the budget had ended
    needed: float  # CPU seconds that `ENOUGH` searches of each kind need, about

    def candidate(self, mapping: str) -> Candidate:
        return next(one for one in self.candidates if one.mapping == mapping)


def candidates_on(search: Search) -> tuple[list[str], list[str]]:
    """Return the candidates that exist on the network of a job, and a note on each that does not."""
    topology, notes, names = search.topology, [], list(CANDIDATES)
    if not has_dimensions(topology):
        names.remove("td")
        notes.append(
            f"td is left out: {topology} has no dimensions among which to distribute traffic; link-load "
            f"distributes it among links"
        )
    if len(np.unique(Switches.of(topology).home[search.nodes])) > MOST_SWITCHES:
        names.remove("link-load")
        notes.append(f"link-load is left out: the partition has more than {MOST_SWITCHES} switches")
    return names, notes


def choose(
    search: Search, mappings: Sequence[str], searches: int, budget: float, outcomes: Outcomes
) -> Choice:
    """Compare kinds of mapping by simulation, and choose the fastest mapping.

    The first of `mappings` is always simulated; each has `searches` at most, with the seed of `search` and
    the following ones. No plan begins that would exceed the `budget` of CPU seconds, by the mean of the plans
    of its kind. `outcomes` returns the outcomes of plans (see `netplace.runs.mapping_search.find`). A
    `SimulationError` says that the job ends with none of the mappings.
    """
    is_random = network_is_random(search.topology, search.config)
    exact = {name: not is_random and not rule_is_random(name, MAPPINGS) for name in mappings}
    work = _Work(outcomes, budget)
    left = [
        MappingPlan(search, name, search.seed + number, simulated=True)
        for number in range(searches)
        for name in mappings
        if number == 0 or not exact[name]
    ]
    while batch := work.affordable(left):
        work.do(batch)
        left = [plan for plan in left[len(batch) :] if plan.mapping not in work.failures]
    kinds = [rule.partition(":")[0] for rule in mappings]
    candidates = tuple(
        _candidate(kind if kinds.count(kind) == 1 else rule, rule, exact[rule], work)
        for kind, rule in zip(kinds, mappings, strict=True)
    )
    ended = [one for one in candidates if one.cycles]
    if not ended:
        raise SimulationError(next(iter(work.failures.values())))
    needed = sum(work.cost(name) * (1 if exact[name] else ENOUGH) for name in mappings)
    chosen = _chosen(search, ended, is_random, work)
    return Choice(candidates, *chosen, work.cpu_seconds, len(left), needed)


class _Work:
    """Plans that were carried out, and their cost."""

    def __init__(self, outcomes: Outcomes, budget: float) -> None:
        self._outcomes, self._budget = outcomes, budget
        self.done: dict[str, list[tuple[MappingPlan, dict[str, Any]]]] = {}  # by kind
        self.failures: dict[str, str] = {}
        self.cpu_seconds = 0.0
        self._dearest = 0.0

    def cost(self, mapping: str) -> float:
        """Return the expected CPU time of a plan, by those of its kind, or else by the dearest."""
        costs = [outcome["cpu_seconds"] for _, outcome in self.done.get(mapping, ())]
        return sum(costs) / len(costs) if costs else self._dearest

    def affordable(self, plans: Sequence[MappingPlan]) -> list[MappingPlan]:
        """Return the first of the plans that fit into the budget; at the beginning a single one."""
        if not self.done:
            return list(plans[:1])
        total, count = self.cpu_seconds, 0
        for count, plan in enumerate(plans):
            total += self.cost(plan.mapping)
            if total > self._budget:
                return list(plans[:count])
        return list(plans)

    def do(self, plans: list[MappingPlan]) -> list[dict[str, Any]]:
        outcomes = self._outcomes(plans)
        for plan, outcome in zip(plans, outcomes, strict=True):
            self.done.setdefault(plan.mapping, []).append((plan, outcome))
            self.cpu_seconds += outcome["cpu_seconds"]
            self._dearest = max(self._dearest, outcome["cpu_seconds"])
            if outcome["cycles"] is None:
                self.failures.setdefault(plan.mapping, outcome["failure"])
        return outcomes


def _candidate(name: str, rule: str, exact: bool, work: _Work) -> Candidate:
    """Return a candidate; one with which the job did not always end has no times."""
    failure = work.failures.get(rule, "")
    ended = [] if failure else work.done.get(rule, [])
    return Candidate(
        name,
        tuple(outcome["cycles"] for _, outcome in ended),
        exact,
        tuple(plan.seed for plan, _ in ended),
        tuple(np.array(outcome["mapping"], np.int64) for _, outcome in ended),
        failure,
        rule,
    )


def _chosen(
    search: Search, candidates: Sequence[Candidate], is_random: bool, work: _Work
) -> tuple[str, int, Nodes, float, int, bool]:
    """Return the fastest mapping: kind, seed, nodes, mean time, number of simulations, whether repeated.

    On a random network the least of many times is too good; the fastest mappings, the fastest one of each
    kind among them, are therefore simulated again with equal seeds, the best of these once more and longer,
    and these times alone count, as far as the budget allows it. The first kind is among them to the end.
    """
    rules = {one.mapping: one.rule for one in candidates}
    found: dict[bytes, _Found] = {}
    for one in candidates:
        for seed, nodes, cycles in zip(one.seeds, one.mappings, one.cycles, strict=True):
            found.setdefault(nodes.tobytes(), _Found(one.mapping, seed, nodes, [])).cycles.append(cycles)
    ranked = sorted(found.values(), key=lambda each: each.mean)
    kinds = {each.mapping: each for each in reversed(ranked)}
    first, drawn = kinds[candidates[0].mapping], 0
    for count, draws in _ROUNDS if is_random and len(ranked) > 1 else ():
        wanted = [first, *ranked] if drawn else [*kinds.values(), *ranked]
        finalists = list({id(each): each for each in wanted}.values())[:count]
        seeds = range(search.seed + _FINAL_SEED + drawn, search.seed + _FINAL_SEED + drawn + draws)
        plans = [
            MappingPlan(search, rules[each.mapping], seed, True, tuple(each.nodes.tolist()))
            for each in finalists
            for seed in seeds
        ]
        if len(work.affordable(plans)) < len(plans):
            break
        again = [outcome["cycles"] for outcome in work.do(plans)]
        for place, each in enumerate(finalists):
            times = again[place * draws : (place + 1) * draws]
            each.cycles = [*(each.cycles if drawn else ()), *times]
        ended = [each for each in finalists if None not in each.cycles]
        ranked = sorted(ended, key=lambda each: each.mean) or ranked
        drawn += draws
    if is_random and not drawn:  # only what was simulated several times is known well enough
        ranked = [each for each in ranked if len(each.cycles) >= ENOUGH or each is first]
    best = ranked[0]
    repeated = drawn > 0 or not is_random or len(found) == 1
    return best.mapping, best.seed, best.nodes, best.mean, len(best.cycles) if is_random else 1, repeated


@dataclass
class _Found:
    """A mapping that was found, and the times of the job with it."""

    mapping: str
    seed: int
    nodes: Nodes
    cycles: list[int]

    @property
    def mean(self) -> float:
        return sum(self.cycles) / len(self.cycles)
