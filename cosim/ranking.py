"""Whether live times rank partitioners or policies differently than a table."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netplace.cosim.plan import CosimPlan
from netplace.scheduling.metrics.comparison import Paired, judged, paired

Outcome = dict[str, Any]

# What candidates are ranked by, the least first: name and place in the figures of the job level.
MEASURES = {
    "turnaround": ("per_job", "turnaround", "mean"),
    "wait": ("per_job", "wait", "mean"),
    "makespan": ("makespan",),
}
_COMPARED = ("partition", "policy")


@dataclass(frozen=True)
class Difference:
    """Mean difference of two candidates over seeds, as a share of the first, with its half-width (0.95)."""

    mean: float | None
    half_width: float | None
    seeds: int


@dataclass(frozen=True)
class RankedPair:
    """Two candidates; `turns`: the sign changes; `clearly`: and both differences are significant."""

    first: str
    second: str
    table: Difference
    live: Difference
    turns: bool
    clearly: bool


@dataclass(frozen=True)
class Ranking:
    """Candidates in the order of a measure, the best first; the ties say which equal the one before."""

    compared: str
    measure: str
    case: dict[str, Any]
    table: list[str]
    table_ties: list[bool]
    live: list[str]
    live_ties: list[bool]
    pairs: list[RankedPair]


def rankings(plans: Sequence[CosimPlan], outcomes: Sequence[Outcome]) -> list[Ranking]:
    """Return the rankings of candidates by a table's times and by live ones, and the pairs that turn.

    Candidates are partitioners of one policy, and policies of one partitioner, all else equal. Each pair has
    a difference, as a share of the mean of the first, with the half-width of its 95 % interval (paired,
    because both had the same jobs). A pair *turns* if the sign changes, and *clearly* if both differences are
    significant among all pairs of all rankings (see `netplace.scheduling.metrics.judged`). If only the first
    mean is 0, the difference is undefined (None), and the pair does not turn.
    """
    entries = []
    for compared in _COMPARED:
        for case, members in _cases(plans, outcomes, compared).items():
            times = {time for _, time in members}
            names = sorted({name for name, _ in members})
            live = next((time for time in times if time != "table"), None)
            if len(names) < 2 or "table" not in times or live is None:
                continue
            for measure, place in MEASURES.items():
                values = {key: [_figure(outcome, place) for outcome in some] for key, some in members.items()}
                table, table_ties = _in_order(names, "table", values)
                actual, live_ties = _in_order(names, live, values)
                pairs = _pairs(names, live, values)
                parts = (compared, measure, json.loads(case), table, table_ties, actual, live_ties)
                entries.append((parts, names, pairs, len(values[names[0], live])))
    family = [difference for _, _, pairs, _ in entries for pair in pairs for difference in pair]
    clear = iter([verdict.clear for verdict in judged(family)])
    return [Ranking(*parts, _ranked(names, pairs, seeds, clear)) for parts, names, pairs, seeds in entries]


def _in_order(
    names: list[str], time: str, values: dict[tuple[str, str], list[float]]
) -> tuple[list[str], list[bool]]:
    """Return the candidates, the best first, and whether each but the first equals the one before."""
    mean = {name: float(np.mean(values[name, time])) for name in names}
    order = sorted(names, key=mean.__getitem__)
    pairs = itertools.pairwise(order)
    return order, [math.isclose(mean[better], mean[worse], rel_tol=1e-12) for better, worse in pairs]


def _pairs(names: list[str], live: str, values: dict[tuple[str, str], list[float]]) -> list[list[Paired]]:
    """Return the differences of every two candidates: by a table's times, and by live ones."""
    return [
        [paired(values[first, time], values[second, time]) for time in ("table", live)]
        for first, second in itertools.combinations(names, 2)
    ]


def _ranked(
    names: list[str], pairs: list[list[Paired]], seeds: int, clear: Iterator[bool]
) -> list[RankedPair]:
    """Return every two candidates, given whether each difference in turn is clear."""
    made = []
    for (first, second), both in zip(itertools.combinations(names, 2), pairs, strict=True):
        turns = both[0].mean * both[1].mean < 0 and None not in (both[0].share, both[1].share)
        clearly = all([next(clear), next(clear)]) and turns
        table, live = (_difference(one, seeds) for one in both)
        made.append(RankedPair(first, second, table, live, turns, clearly))
    return made


def _difference(difference: Paired, seeds: int) -> Difference:
    """Return a difference as a share of the first mean (of two zeros it is 0), and its half-width."""
    share, half = (0.0, 0.0) if not difference.mean else (difference.share, difference.share_half_width)
    return Difference(share, None if half is None or math.isnan(half) else half, seeds)


def _cases(
    plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], compared: str
) -> dict[str, dict[tuple[str, str], list[Outcome]]]:
    """Return outcomes by all else, then by candidate and where its times come from, in the order of seeds."""
    cases: dict[str, dict[tuple[str, str], list[Outcome]]] = {}
    ordered = sorted(zip(plans, outcomes, strict=True), key=lambda pair: pair[0].jobs.seed)
    for plan, outcome in ordered:
        plain = plan.to_dict()
        rest = {name: value for name, value in plain.items() if name not in ("jobs", "fidelity")}
        left_out = (compared, "seed", "digests", "times")
        rest |= {name: value for name, value in plain["jobs"].items() if name not in left_out}
        case = cases.setdefault(json.dumps(rest, sort_keys=True), {})
        case.setdefault((getattr(plan.jobs, compared), plan.fidelity), []).append(outcome)
    return cases


def _figure(outcome: Outcome, place: tuple[str, ...]) -> float:
    value: Any = outcome["figures"]["schedule"]
    for name in place:
        value = value[name]
    return float(value)
