"""Schedules or co-simulations of one study side by side: their means and what differs, for all outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.inputs import check_choice
from netplace.report.terminal.screen import number, table
from netplace.report.terminal.units import time_unit
from netplace.scheduling.metrics import Contest, Contestant
from netplace.scheduling.metrics.comparison import SCALES
from netplace.scheduling.metrics.interval import UNITS

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from netplace.report.plots.figure import Figure

_SPEAK = ("machine", "policy", "partition", "fidelity", "mapping")  # whose words say what they are
Measures = Mapping[str, tuple[str, int, float | None]]  # by measure: title, digits, factor (None: a time)

Columns = Iterable[Sequence[object]]
Others = Mapping[str, tuple[Sequence[float], int, float | None]]  # by title: values, digits, factor


@dataclass(frozen=True)
class Compared:
    """Plans of one study side by side."""

    kind: str  # what they are, as in ``"co-simulations"``
    frame: pd.DataFrame  # a row of figures for each plan
    contestants: Sequence[Contestant]
    contests: Sequence[Contest]
    measures: Measures
    main: str  # the measure that is tested unless others are asked for
    others: Others  # further columns of the table of means

    def to_dict(self) -> dict[str, Any]:
        return {
            "means": [one.to_dict() for one in self.contestants],
            "differences": [contest.to_dict() for contest in self.contests],
        }

    def tables(self) -> list[Table]:
        return [self._means(), *contest_tables(self.contests)]

    def _means(self) -> Table:
        """Return the table of means with intervals, with what tells contestants apart."""
        contestants, measures, others = self.contestants, self.measures, self.others
        differing = _differing(contestants)
        times = [value for values, _, factor in others.values() if factor is None for value in values]
        units = _units(contestants, measures, times)
        head = [f"{name} %" if unit == "%" else name for name, (_, unit) in units.items()]
        size, time = next(units[name] for name, (*_, factor) in measures.items() if factor is None)
        columns_of_others = [
            [number(value * (size if factor is None else factor), digits) for value in values]
            for values, digits, factor in others.values()
        ]
        rows = []
        for place, one in enumerate(contestants):
            cells = []
            for name, (_, digits, _) in measures.items():
                found, factor = one.estimate(name) if len(one.values[name]) else None, units[name][0]
                half = found.half_width * factor if found else math.nan
                width = "" if math.isnan(half) else f" ± {number(half, digits)}"
                cells.append(f"{number(found.mean * factor, digits)}{width}" if found else "-")
            more = [column[place] for column in columns_of_others]
            rows.append([*(one.words[name] for name in differing), *cells, *more])
        over = UNITS[contestants[0].unit] if contestants else ""
        columns = ["time" if name == "fidelity" else name for name in differing]
        title = f"{len(self.frame)} {self.kind}; times in {time}; ± 95 % intervals over {over}"
        return table(title, [*columns, *head, *others], rows, texts=range(len(differing)))

    def frames(self) -> dict[str, tuple[str, pd.DataFrame]]:
        """Return the tables of a folder with their titles, by name."""
        return {
            self.kind.replace("-", ""): (f"{self.kind.capitalize()}; times in seconds", self.frame),
            "means": (
                "Means with half of their 95 % intervals; times in seconds",
                mean_frame(self.contestants),
            ),
            "differences": (
                "Differences: p values after Holm's correction",
                contest_frame(self.contests),
            ),
        }

    def sentences(self) -> list[str]:
        """Return what the contrasts say: that of the largest effect first, of those that are clear if any."""
        if not self.contests:
            known = [one for one in self.contestants if len(one.values[self.main])]
            if not known:
                return ["Nothing was compared: 0 jobs finished in all of them."]
            mean, one = min(
                ((float(np.mean(one.values[self.main])), one) for one in known), key=itemgetter(0)
            )
            words = ", ".join(one.words[name] for name in _differing(self.contestants))
            amount = self._amount(self.main, mean)
            return [f"{words} has the lowest mean {self.main}, {amount}; differences were not tested."]

        def order(contest: Contest) -> tuple[bool, float]:
            return not contest.judgement.clear, -abs(contest.difference.share or 0.0)

        ranked = sorted(self.contests, key=order)
        measured = dict.fromkeys(f"{SCALES[one.difference.scale]} {one.measure}" for one in ranked)
        over = dict.fromkeys(UNITS[one.unit] for one in ranked)
        return [
            *map(self._change, ranked),
            f"Tested by the {' and the '.join(measured)} over {' and '.join(over)}: each setting against the "
            f"first, as a mean over the others, {len(ranked)} in all (Holm).",
        ]

    def _change(self, contest: Contest) -> str:
        difference, words = contest.difference, contest.judgement.words
        before, after = (
            self._amount(contest.measure, mean) for mean in (difference.first, difference.second)
        )
        instead = f"{_title(contest, self.contests)} instead of {contest.first}"
        if difference.equal:
            return f"{instead}: the {contest.measure} stays at {before}."
        span = f", from {before} to {after}" if before != after else ""
        return f"{instead} changes the {contest.measure} by {_share(contest, ' %')}{span}: {words}."

    def _amount(self, measure: str, value: float) -> str:
        factor, unit = _units(self.contestants, self.measures)[measure]
        return f"{number(value * factor, self.measures[measure][1])} {unit}".strip()

    def contrast_figures(self) -> list[Figure]:
        """Return the contrasts in per cent, with their intervals; nothing where none is known."""
        from netplace.report.plots.charts import interval_figure
        from netplace.report.plots.figure import HELD

        known = [one for one in self.contests if one.difference.share is not None]
        if all(one.difference.equal for one in known):
            return []
        several = len({one.measure for one in known}) > 1
        shares = [100 * (one.difference.share or 0.0) for one in known]
        ends = [one.difference.share_interval for one in known]
        return [
            interval_figure(
                "Changes of means" if several else f"Change of the mean {known[0].measure}",
                [_title(one, known) + (f": {one.measure}" if several else "") for one in known],
                shares,
                [
                    (share - 100 * both[0], 100 * both[1] - share) if both else None
                    for share, both in zip(shares, ends, strict=True)
                ],
                [one.judgement.words for one in known],
                unit=f"% of the mean with {', '.join(dict.fromkeys(one.first for one in known))}",
                colours={"clearly less": 0, "clearly more": 1, "within chance": HELD, "equal": HELD},
                whiskers=f"95 % intervals over {UNITS[known[0].unit]}, in pairs",
            )
        ]

    def figure(self, measures: Sequence[str]) -> Figure:
        """Return the means of measures with their intervals: groups by policy, bars by what else differs."""
        from netplace.report.plots.charts import comparison_figure

        contestants, differing = self.contestants, _differing(self.contestants)
        first = "policy" if "policy" in differing else differing[0]
        frame = mean_frame(contestants)
        series = [", ".join(one.words[name] for name in differing if name != first) for one in contestants]
        frame = frame.assign(group=[one.words[first] for one in contestants], series=series)
        units = _units(contestants, self.measures)
        shown = []
        for name in measures:
            title, _, factor = self.measures[name]
            if name in frame:
                heading = title if factor else f"{title} ({units[name][1]})"
                shown.append((heading, name, f"{name}_half_width", units[name][0]))
        words = contestants[0].words
        same = ", ".join(Path(words[name]).name for name in ("workload", "machine") if name not in differing)
        whiskers = f"95 % intervals over {UNITS[contestants[0].unit]}"
        return comparison_figure(same, frame, shown, whiskers=whiskers)

    def draw(self, path: Path) -> None:
        """Draw the means of all measures."""
        from netplace.report.plots import write_figure

        write_figure(path, self.figure([*self.measures]))


def tested_measures(figures: Sequence[str], measures: Measures, default: str, unpaired: bool) -> list[str]:
    """Return the measures whose contrasts are tested: those of --figure, or the default."""
    asked = [check_choice(figure, measures, "--figure") for figure in figures] or [default]
    return [] if unpaired else [*dict.fromkeys(asked)]


def contestants_of(
    words: Sequence[Mapping[str, str]],
    by_seed: Callable[[list[int]], Columns],
    values: Callable[[list[int], bool], tuple[dict[str, list[float]], str]],
    same_jobs: bool,
) -> list[Contestant]:
    """Return a contestant for all plans with the same words.

    `by_seed` returns each measure of a contestant's places by seed; `values` the values of each measure and
    their unit, given places and whether seeds can be compared: if all have the same jobs, those of a log,
    only where seeds have a part in any result.
    """
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for place, own in enumerate(words):
        groups.setdefault(tuple(own.items()), []).append(place)
    differ = not same_jobs or any(
        one != column[0] for places in groups.values() for column in by_seed(places) for one in column
    )
    return [Contestant(dict(own), *values(places, differ)) for own, places in groups.items()]


def seed_means(
    frame: pd.DataFrame,
    words: Sequence[Mapping[str, str]],
    shown: Mapping[str, tuple[str, int, float | None]],
) -> Others:
    """Return means over the rows of each contestant: by title, of the column with its digits and factor."""
    means = frame.groupby([str(own) for own in words], sort=False)
    return {
        title: (means[column].mean().tolist(), digits, factor)
        for title, (column, digits, factor) in shown.items()
    }


def mean_frame(contestants: Sequence[Contestant]) -> pd.DataFrame:
    """Return one row a contestant: its words, the unit of its values, and each mean with its half-width."""
    import pandas as pd

    rows = []
    for one in contestants:
        plain = one.to_dict()
        means = plain.pop("means")
        flat = {f"{name}{end}": mean[key] for name, mean in means.items() for key, end in _MEANS.items()}
        rows.append(plain | flat)
    return pd.DataFrame(rows)


def contest_tables(contests: Sequence[Contest]) -> list[Table]:
    """Return the table of the contests, the clearest first; none where nothing was compared."""
    if not contests:
        return []
    rows = [
        [
            f"{_title(one, contests)} / {one.first}",
            one.measure,
            _share(one),
            _p_value(one.judgement.p_value),
            one.judgement.words,
        ]
        for one in sorted(contests, key=_order)
    ]
    title = (
        f"What differs from the first? 95 % intervals over {UNITS[contests[0].unit]}, in pairs; p after Holm"
    )
    return [table(title, ["", "mean", "difference %", "p", "verdict"], rows, texts=(0, 1, 4))]


def _title(contest: Contest, contests: Sequence[Contest]) -> str:
    """Return what was contrasted, with what tells it from other contrasts."""
    keys = [key for key in contest.case if len({one.case[key] for one in contests if key in one.case}) > 1]
    case = ", ".join(_named(key, contest.case[key]) for key in keys)
    return f"{case + ': ' if case else ''}{_named(contest.key, contest.second)}"


def contest_notes(contests: Sequence[Contest]) -> list[str]:
    """Return what keeps intervals from being known."""
    if not contests or any(contest.judgement.words not in ("one run", "equal") for contest in contests):
        return []
    return ["no interval is known: take more jobs or, where a model draws them, seeds = 5"]


def contest_frame(contests: Sequence[Contest]) -> pd.DataFrame:
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for contest in contests:
        plain = contest.to_dict()
        rows.append(plain | {"case": ", ".join(f"{name}={word}" for name, word in contest.case.items())})
    return pd.DataFrame(rows)


_MEANS = {"mean": "", "half_width": "_half_width"}  # what is kept of a mean, and how its column ends


def _differing(contestants: Sequence[Contestant]) -> list[str]:
    names = dict.fromkeys(name for one in contestants for name in one.words)
    return [name for name in names if len({one.words.get(name) for one in contestants}) > 1] or ["policy"]


def _units(
    contestants: Sequence[Contestant], measures: Measures, others: Sequence[float] = ()
) -> dict[str, tuple[float, str]]:
    """Return by which factor each measure is shown, and in which unit, which is one for all times.

    Where all times are zero, `others` decide on the unit.
    """
    names = [name for name, (*_, factor) in measures.items() if factor is None]
    times = [float(np.mean(one.values[name])) for one in contestants for name in names if one.values[name]]
    size, unit = time_unit(times if any(times) else others)
    return {
        name: (1 / size, unit) if factor is None else (factor, "%" if factor == 100 else "")
        for name, (*_, factor) in measures.items()
    }


def _named(key: str, word: str) -> str:
    return word if key in _SPEAK else f"{key} {word}"


def _share(contest: Contest, unit: str = "") -> str:
    difference = contest.difference
    if difference.share is None:
        return "-"
    ends = difference.share_interval if not difference.equal else None
    low, high = (f"{100 * end:+,.1f}" for end in ends or (0.0, 0.0))
    interval = f"95 % interval {low} to {high}{unit}" if unit else f"{low} to {high}"
    return f"{100 * difference.share:+,.1f}{unit}" + (f" ({interval})" if ends else "")


def _p_value(value: float) -> str:
    return (
        "-" if math.isnan(value) else "<.001" if value < 0.001 else f"{value:.3f}"[1:] if value < 1 else "1"
    )


def _order(contest: Contest) -> float:
    return math.inf if math.isnan(contest.judgement.p_value) else contest.judgement.p_value
