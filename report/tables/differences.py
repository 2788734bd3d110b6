"""Schedules or co-simulations of one study side by side: their means and what differs, for all outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.report.terminal.screen import number, table
from netplace.report.terminal.units import time_unit
from netplace.scheduling.metrics import Contest, Contestant
from netplace.scheduling.metrics.interval import UNITS

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_SHOWN = 24  # rows on the screen, and those of the last that begins before
_SPEAK = ("machine", "policy", "partition", "fidelity", "mapping")  # whose words say what they are
_WORTH = 1.5  # gain by common jobs that is worth a word
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

    def draw(self, path: Path) -> None:
        """Draw the means with their intervals: groups by policy, bars by what else differs."""
        from netplace.report.plots import write_figure
        from netplace.report.plots.charts import comparison_figure

        contestants, differing = self.contestants, _differing(self.contestants)
        first = "policy" if "policy" in differing else differing[0]
        frame = mean_frame(contestants)
        series = [", ".join(one.words[name] for name in differing if name != first) for one in contestants]
        frame = frame.assign(group=[one.words[first] for one in contestants], series=series)
        units = _units(contestants, self.measures)
        shown = [
            (title if factor else f"{title} ({units[name][1]})", name, f"{name}_half_width", units[name][0])
            for name, (title, _, factor) in self.measures.items()
            if name in frame
        ]
        words = contestants[0].words
        same = ", ".join(Path(words[name]).name for name in ("workload", "machine") if name not in differing)
        whiskers = f"95 % intervals over {UNITS[contestants[0].unit]}"
        write_figure(path, comparison_figure(same, frame, shown, whiskers=whiskers))


def contestants_of(
    words: Sequence[Mapping[str, str]],
    by_seed: Callable[[list[int]], Columns],
    values: Callable[[list[int], bool], tuple[dict[str, list[float]], str]],
    same_jobs: bool,
) -> list[Contestant]:
    """Return a contestant for all plans with the same words.

    Parameters
    ----------
    by_seed : callable
        Function that returns, given the places of a contestant's plans, each measure by seed.
    values : callable
        Function that returns the values of each measure and their unit, given places and whether seeds can be
        compared: if all have the same jobs, those of a log, only where seeds have a part in any result.
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
    keys = [key for key in contests[0].case | {contests[0].key: ""} if _differs(contests, key)]
    groups: dict[str, list[Contest]] = {}
    for contest in contests:
        at = ", ".join(_named(key, contest.case[key]) for key in keys if key in contest.case)
        groups.setdefault(f"{at + ': ' if at else ''}{contest.second} / {contest.first}", []).append(contest)
    rows: list[list[str]] = []
    for name, members in sorted(groups.items(), key=lambda item: min(map(_order, item[1]))):
        if len(rows) < _SHOWN:
            rows.append([name, "", "", ""])
            rows += [
                [
                    f"  {contest.measure}",
                    _share(contest),
                    _p_value(contest.judgement.p_value),
                    contest.judgement.words,
                ]
                for contest in members
            ]
    title = f"What differs? 95 % intervals over {UNITS[contests[0].unit]}, in pairs; p after Holm"
    return [table(title, ["", "difference %", "p", "verdict"], rows, texts=(0, 3))]


def contest_notes(contests: Sequence[Contest]) -> list[str]:
    """Return what the intervals rest on, and what the table does not show."""
    if not contests:
        return []
    said = []
    if len(contests) > _SHOWN:
        said.append(f"{len(contests):,} differences were tested together; -o writes those that are not shown")
    gains = sorted(contest.difference.gain for contest in contests if contest.difference.gain)
    if gains and gains[len(gains) // 2] >= _WORTH:
        said.append(
            f"all schedules have the same jobs: as precise as {number(gains[len(gains) // 2], 1)} times as "
            f"many runs with different jobs (median of the differences)"
        )
    if all(contest.judgement.words in ("one run", "equal") for contest in contests):
        said.append("no interval is known: take more jobs or, where a model draws them, seeds = 5")
    return said


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


def _differs(contests: Sequence[Contest], key: str) -> bool:
    words = {contest.case[key] for contest in contests if key in contest.case}
    words |= {word for contest in contests if contest.key == key for word in (contest.first, contest.second)}
    return len(words) > 1


def _share(contest: Contest) -> str:
    difference = contest.difference
    if difference.share is None or difference.share_half_width is None:
        return "-"
    half = difference.share_half_width
    width = "" if math.isnan(half) else f" ± {number(100 * half, 1)}"
    return f"{100 * difference.share:+,.1f}{width}"


def _p_value(value: float) -> str:
    return (
        "-" if math.isnan(value) else "<.001" if value < 0.001 else f"{value:.3f}"[1:] if value < 1 else "1"
    )


def _order(contest: Contest) -> float:
    return math.inf if math.isnan(contest.judgement.p_value) else contest.judgement.p_value
