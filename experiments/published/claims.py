"""What stored tables of studies say of the claims of the sources.

A row of ``claims.csv`` names the table and the test. `rows` selects rows of the table, `unit` names what one
value is of (every row, if empty), `by` the column of contestants (the columns themselves, if empty), and
`measure` the columns compared, each in units of its own (without `by`, words for pages). A test is one of:

``A < B`` or ``A > B``, ``A < B < C``, ``A not < B``
    the contestants of the left before those of the right (``;`` between names, ``*``: all others), or not;
``A / B in LEAST..MOST``
    the ratio of two contestants lies between bounds;
``A - B in LEAST..MOST`` and ``A in LEAST..MOST``
    their difference, or the value itself, does.

``each:`` in front demands it of every unit, ``any:`` of a single one, and ``share 0.9:`` of at least that
share (binomial interval); ``counts: A > B`` compares two counts of like cases (likewise). Otherwise, the mean
over the units is tested by its 95 % interval: of ratios by their logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.experiments.published import open_file
from netplace.scheduling.metrics.interval import half_width

STATES = ("upheld", "reversed", "undecided")
POWER = 0.8
# Before a measure: of the rows of a unit and a contestant, else the mean.
_WAYS = {"least": "min", "most": "max"}
_HOW = ("each: ", "any: ", "share ", "counts: ")
_SAME = 0.001  # share by which one or two units differ that the printed digits hardly tell apart
_TIE = 0.01  # share by which a unit may fail, or hold, without deciding a claim of each unit, or of any
Tables = Callable[[str], pd.DataFrame]  # from the name of a stored table


@dataclass(frozen=True)
class Verdict:
    """The state of a claim.

    Attributes
    ----------
    state : str
        One of `STATES`.
    effect, low, high : float
        Mean ratio or value, and its 95 % interval; of a test of each unit, the least and the most.
    ratio : bool
        Whether the effect is a ratio.
    held, units : int
        Number of units for which the claim holds, and number of units.
    chance : float
        Probability that contestants in random order meet the test; of bounds, 1 or 0: whether no effect
        (a ratio of 1) meets them; NaN for values.
    shown : float
        Smallest difference from a bound that so many units show with a power of `POWER`, a share if a ratio;
        without an interval, the difference below which a claim is undecided, or NaN.
    """

    state: str
    effect: float
    low: float
    high: float
    ratio: bool
    held: int
    units: int
    chance: float
    shown: float


def claims() -> pd.DataFrame:
    """Return the claims of all sources, those first that have a test."""
    frame = open_file("claims.csv")
    return frame.sort_values("test", key=lambda test: test == "", kind="stable")


def judge(claim: Mapping[str, str], tables: Tables) -> Verdict:
    """Return the verdict on a claim that has a test."""
    how, _, test = (
        claim["test"].partition(": ") if claim["test"].startswith(_HOW) else ("", "", claim["test"])
    )
    frame = pd.concat([tables(name).assign(table=name) for name in claim["file"].split("; ")])
    if claim["rows"]:
        frame = frame.query(claim["rows"])
    if frame.empty:
        raise ValueError(f"claim {claim['id']}: no rows of {claim['file']} are selected, expected some")
    groups, relation = parsed(test)
    if how == "counts":
        first, second = (int(frame[group[0]].sum()) for group in groups)
        return _share(first, first + second, 0.5, 0.5)
    try:
        values, minimum, maximum, chance = _effects(_wide(frame, claim), groups, relation)
    except KeyError as error:
        raise KeyError(f"claim {claim['id']}, {claim['file']}: {error.args[0]}") from None
    ratio = relation != "in" or " / " in groups[0][0]
    held = (values >= minimum) & (values <= maximum)
    if how.startswith("share"):
        least = float(how.removeprefix("share "))
        by_chance = stats.binom.sf(math.ceil(least * len(held)) - 1, len(held), chance)
        return _share(int(held.sum()), len(held), least, float(by_chance))
    if how:
        low, high, centre, shown = values.min(), values.max(), _mean(values, ratio), _TIE
        slack = _TIE if ratio else _TIE * max(map(abs, (b for b in (minimum, maximum) if math.isfinite(b))))
        inside = (values >= minimum + slack) & (values <= maximum - slack)
        near = (values >= minimum - slack) & (values <= maximum + slack)
        sure, open_yet = (held.all(), near.all()) if how == "each" else (inside.any(), held.any())
        state = STATES[0] if sure else STATES[2] if open_yet else STATES[1]
        chance = chance ** len(values) if how == "each" else 1 - (1 - chance) ** len(values)
    else:
        centre, low, high, shown = _interval(values, ratio)
        outside = high < minimum or low > maximum
        state = STATES[0] if low >= minimum and high <= maximum else STATES[1] if outside else STATES[2]
        if relation != "in" and len(values) < 3:
            shown = _SAME
            state = STATES[2] if abs(centre - 1) < _SAME else state
    return Verdict(state, centre, float(low), float(high), ratio, int(held.sum()), len(values), chance, shown)


def parsed(test: str) -> tuple[list[list[str]], str]:
    """Return the contestants, group by group, and the relation: ``not <``, ``<``, ``>`` or ``in``."""
    for relation in (" not < ", " < ", " > ", " in "):
        if relation in test:
            return [group.split("; ") for group in test.split(relation)], relation.strip()
    raise ValueError(f"test {test!r}: expected A < B, A > B or A in LEAST..MOST")


def _wide(frame: pd.DataFrame, claim: Mapping[str, str]) -> pd.DataFrame:
    """Return a row for each unit and a column for each contestant."""
    units = claim["unit"].split("; ") if claim["unit"] else []
    word, _, rest = claim["measure"].partition(" ")
    way, measure = (_WAYS[word], rest) if word in _WAYS else ("mean", claim["measure"])
    if not claim["by"]:
        return frame.groupby(units, sort=False).agg(way, numeric_only=True) if units else frame
    keys = [frame[name].fillna("") for name in units] or [pd.Series(0, frame.index)]
    wide = frame.pivot_table(measure.split("; "), keys, claim["by"], way, sort=False)
    return wide.stack(0, future_stack=True).rename(columns=str)


def _effects(
    wide: pd.DataFrame, groups: list[list[str]], relation: str
) -> tuple[NDArray[np.float64], float, float, float]:
    """Return the effect of each unit, its bounds, and what chance or no effect gives."""
    if relation == "in":
        (left,), (right,) = groups
        above, slash, below = left.partition(" / ")
        first, minus, other = left.partition(" - ")
        values = wide[above] / wide[below] if slash else wide[first]
        if minus:
            values = values - wide[other]
        minimum, maximum = (
            float(bound or sign * math.inf) for bound, sign in zip(right.split(".."), (-1, 1), strict=True)
        )
        chance = float(minimum <= 1 <= maximum) if slash else math.nan
        return values.dropna().to_numpy(float), minimum, maximum, chance
    others = [name for name in wide if not any(name in group for group in groups)]
    groups = [others if group == ["*"] else group for group in groups]
    far, near = ("min", "max") if relation == ">" else ("max", "min")
    ends = [[wide[group].agg(way, 1, skipna=False) for way in (far, near)] for group in groups]
    values = pd.concat([one[0] / two[1] for one, two in pairwise(ends)], axis=1).agg(far, 1, skipna=False)
    sizes = [len(group) for group in groups]
    orders = math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    bounds = (0.0, 1.0) if relation == "<" else (1.0, math.inf)
    return values.dropna().to_numpy(float), *bounds, abs((relation == "not <") - 1 / orders)


def _share(held: int, count: int, least: float, chance: float) -> Verdict:
    """Return whether a claim holds in more than the least share of cases that are alike."""
    low, high = stats.binomtest(held, count).proportion_ci()
    state = STATES[0] if low > least else STATES[1] if high < least else STATES[2]
    shown = float(stats.norm.ppf(0.975) + stats.norm.ppf(POWER)) * math.sqrt(least * (1 - least) / count)
    return Verdict(state, held / count, low, high, False, held, count, chance, shown)


def _mean(values: NDArray[np.float64], ratio: bool) -> float:
    return float(np.exp(np.log(values).mean()) if ratio else values.mean())


def _interval(values: NDArray[np.float64], ratio: bool) -> tuple[float, float, float, float]:
    """Return the mean, its interval, and what is shown with power; of two values, the interval is theirs."""
    count, centre = len(values), _mean(values, ratio)
    if count < 3:
        return centre, float(values.min()), float(values.max()), math.nan
    scaled = np.log(values) if ratio else values
    half = half_width(scaled)
    error = float(scaled.std(ddof=1)) / math.sqrt(count)
    shown = float(stats.t.ppf(0.975, count - 1) + stats.t.ppf(POWER, count - 1)) * error
    if ratio:
        return centre, centre * math.exp(-half), centre * math.exp(half), math.expm1(shown)
    return centre, centre - half, centre + half, shown
