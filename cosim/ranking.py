"""Whether partitioners or policies rank otherwise when jobs disturb each other than a table says."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netplace.cosim.plan import CosimPlan
from netplace.scheduling.metrics.comparison import Paired, judged, paired

__all__ = ["MEASURES", "Difference", "RankedPair", "Ranking", "rankings"]

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
    """How far a candidate is from another.

    Attributes
    ----------
    mean : float or None
        The difference of the means over seeds, as a share of the first's; None where only the first's is 0.
    half_width : float or None
        Of its interval at the level of 0.95; None: not known.
    seeds : int
        How many seeds there are.
    """

    mean: float | None
    half_width: float | None
    seeds: int


@dataclass(frozen=True)
class RankedPair:
    """Two candidates, under a table's times and under live ones.

    Attributes
    ----------
    first, second : str
        Names of the candidates.
    table, live : Difference
        How far they are from each other.
    turns : bool
        Whether the sign is another.
    clearly : bool
        Whether it is, and both differences are clear among all of the ranking.
    """

    first: str
    second: str
    table: Difference
    live: Difference
    turns: bool
    clearly: bool


@dataclass(frozen=True)
class Ranking:
    """Candidates in the order of a measure, the best first.

    Attributes
    ----------
    compared : str
        What the candidates are: ``partition`` or ``policy``.
    measure : str
        A key of `MEASURES`.
    case : dict
        All else that was the same of all, as a plan describes it.
    table, live : list of str
        Candidates by a table's times and by live ones.
    table_ties, live_ties : list of bool
        For each candidate but the first, whether it equals the one before.
    pairs : list of RankedPair
        Every two of them.
    """

    compared: str
    measure: str
    case: dict[str, Any]
    table: list[str]
    table_ties: list[bool]
    live: list[str]
    live_ties: list[bool]
    pairs: list[RankedPair]


def rankings(
    plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], but: Sequence[str] = ()
) -> list[Ranking]:
    """Return how candidates rank under a table's times and under live ones, and which pairs turn.

    Candidates are partitioners of one policy, and policies of one partitioner, all else equal. Of each pair
    the difference is told, as a share of the first's mean, with its half-width at the level of 0.95 (paired:
    both had the same jobs); a pair *turns* if the sign is another, *clearly* if both differences are clear
    among all of the ranking (see `netplace.scheduling.metrics.judged`). Where only the first mean is 0, the
    difference is undefined (None), and the pair does not turn.

    Parameters
    ----------
    plans, outcomes : sequence
        What was carried out, and what came of each.
    but : sequence of str
        Options of the workload that go with the seed, and so tell no cases apart.

    Returns
    -------
    list of Ranking
        For each case with several candidates, by each of `MEASURES`.
    """
    entries = []
    for compared in _COMPARED:
        for case, members in _cases(plans, outcomes, compared, but).items():
            times = {time for _, time in members}
            names = sorted({name for name, _ in members})
            live = next((time for time in times if time != "table"), None)
            if len(names) < 2 or "table" not in times or live is None:
                continue
            for measure, place in MEASURES.items():
                values = {key: [_figure(outcome, place) for outcome in some] for key, some in members.items()}
                table, table_ties = _in_order(names, "table", values)
                actual, live_ties = _in_order(names, live, values)
                entries.append(
                    Ranking(
                        compared,
                        measure,
                        json.loads(case),
                        table,
                        table_ties,
                        actual,
                        live_ties,
                        _pairs(names, live, values),
                    )
                )
    return entries


def _in_order(
    names: list[str], time: str, values: dict[tuple[str, str], list[float]]
) -> tuple[list[str], list[bool]]:
    """Return the candidates, the best first, and whether each but the first equals the one before."""
    mean = {name: float(np.mean(values[name, time])) for name in names}
    order = sorted(names, key=mean.__getitem__)
    return order, [_equal(mean[better], mean[worse]) for better, worse in itertools.pairwise(order)]


def _pairs(names: list[str], live: str, values: dict[tuple[str, str], list[float]]) -> list[RankedPair]:
    """Return every two candidates, under a table's times and under live ones."""
    two = list(itertools.combinations(names, 2))
    times = ("table", live)
    differences = [
        paired(values[first, time], values[second, time]) for first, second in two for time in times
    ]
    clear = [verdict.clear for verdict in judged(differences)]
    pairs = []
    for place, (first, second) in enumerate(two):
        both = slice(2 * place, 2 * place + 2)
        table, actual = differences[both]
        turns = table.mean * actual.mean < 0 and None not in (table.share, actual.share)
        pairs.append(
            RankedPair(
                first=first,
                second=second,
                table=_difference(table, len(values[first, "table"])),
                live=_difference(actual, len(values[first, live])),
                turns=turns,
                clearly=turns and all(clear[both]),
            )
        )
    return pairs


def _equal(first: float, other: float) -> bool:
    """Return whether two means are the same but for rounding."""
    return math.isclose(first, other, rel_tol=1e-12)


def _difference(difference: Paired, seeds: int) -> Difference:
    """Return a difference as a share of the first mean (of two zeros it is 0), and its half-width."""
    share, half = (0.0, 0.0) if not difference.mean else (difference.share, difference.share_half_width)
    return Difference(share, None if half is None or math.isnan(half) else half, seeds)


def _cases(
    plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], compared: str, but: Sequence[str]
) -> dict[str, dict[tuple[str, str], list[Outcome]]]:
    """Return outcomes by all else, then by candidate and where its times come from, in the order of seeds."""
    cases: dict[str, dict[tuple[str, str], list[Outcome]]] = {}
    ordered = sorted(zip(plans, outcomes, strict=True), key=lambda pair: pair[0].jobs.seed)
    for plan, outcome in ordered:
        plain = plan.to_dict()
        rest = {name: value for name, value in plain.items() if name not in ("jobs", "network_time")}
        rest |= {n: v for n, v in plain["jobs"].items() if n not in (compared, "seed", "digests", "times")}
        rest["options"] = [[name, value] for name, value in plain["jobs"]["options"] if name not in but]
        case = cases.setdefault(json.dumps(rest, sort_keys=True), {})
        case.setdefault((getattr(plan.jobs, compared), plan.network_time), []).append(outcome)
    return cases


def _figure(outcome: Outcome, place: tuple[str, ...]) -> float:
    value: Any = outcome["figures"]["schedule"]
    for name in place:
        value = value[name]
    return float(value)
