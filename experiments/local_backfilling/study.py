"""Costs and gains of contiguous and local backfilling: ``docs/studies/local-backfilling.md``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.local_backfilling.simulator import (
    Platform,
    backfill,
    draw_jobs,
    draw_weeks,
    place_figures,
)
from netplace.experiments.shared.archive_logs import FOLDER, MODEL, ArchiveLog, logs_of
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes

# Whether a stronger constraint places jobs better, among rules of one kind: best effort, or forced.
#
# F. Mendonca, thesis, Université Grenoble Alpes, 2017, figures 5.13 to 5.16: the rules of a constraint
# stand best in its figure. A forced rule refuses places that a best-effort one takes, so that the two kinds
# cannot be set beside each other: each rule is compared with the other two of its kind.

_Figures = Mapping[str, Mapping[str, NDArray[np.float64]]]  # by name and rule, a value an instance
KINDS = {"best effort": ("becont", "beloc", "beplat"), "forced": ("cont", "loc", "plat")}
# Rules that stand for those of the thesis, by reading.
READINGS: dict[str, dict[str, str]] = {
    "as told": {},
    "longest pieces first": {"becont": "becont-largest"},
    "tightest fit": {name: f"{name}-tightest" for name in ("beloc", "beplat", "loc", "plat")},
}
# Figure of the thesis: what it shows, which rule of each kind is best in it, and 1 if least is best, else -1.
_FIGURES = {
    "5.13": ("contiguity", ("becont", "cont"), 1),
    "5.14": ("locality", ("beloc", "loc"), 1),
    "5.15": ("level", ("beplat", "plat"), 1),
    "5.16": ("success", ("beplat", "plat"), -1),
}


def orders_within_kinds(logs: Mapping[str, _Figures], reading: str) -> pd.DataFrame:
    """Return a row for each log, figure and kind of rules: whether the rule of the constraint stands best."""
    standing = READINGS[reading]
    lines = []
    for log, figures in logs.items():
        for number, (metric, best, sign) in _FIGURES.items():
            for (kind, rules), name in zip(KINDS.items(), best, strict=True):
                rule = standing.get(name, name)
                others = [standing.get(other, other) for other in rules if other != name]
                order = _order(figures[metric], rule, others, sign)
                lines.append({"on": log, "figure": number, "metric": metric, "kind": kind, **order})
    return pd.DataFrame(lines)


def _order(
    values: Mapping[str, NDArray[np.float64]], rule: str, others: list[str], sign: int
) -> dict[str, Any]:
    """Return how a rule stands to the best of others, over ``basic``, and if it is before them all.

    It is if its mean is, and if it is in most instances; equal ones count for neither.
    """
    gaps = sign * np.array([values[other] - values[rule] for other in others])
    favour, against = int((gaps > 0).sum()), int((gaps < 0).sum())
    means = {name: float(values[name].mean() / values["basic"].mean()) for name in (rule, *others)}
    nearest = min(others, key=lambda name: sign * means[name])
    before = sign * means[rule] < sign * means[nearest] and favour > against
    return {
        "rule": rule,
        "over basic": means[rule],
        "next": nearest,
        "next over basic": means[nearest],
        "verdict": "held" if before else "not held",
        "for": favour,
        "against": against,
    }


PARTS = {
    "weeks": f"weeks of the logs in the folder swf, or in the folder named by {FOLDER} (chapter 5)",
    "drawn": "jobs drawn from these logs, all submitted at time 0 (chapter 4)",
    "sizes": "the same jobs on machines and clusters of other sizes (section 4.6)",
    "linear": "some of the weeks, linear penalty of 0.5 (no published results)",
    "unpenalised": "some of the weeks without a penalty (no published results)",
    "tightest": "the weeks, with the tightest-fitting clusters and blocks (one interpretation)",
}
BASE = "basic"
_WEEKS = (BASE, "becont", "becont-largest", "beloc", "beplat", "cont", "loc", "plat")
_OF_WEEKS = ("sum_flow", "sum_stretch", "contiguity", "locality", "level", "success")
# Penalty of each part that is of weeks.
PENALTIES = {
    "weeks": "geometric:2",
    "linear": "linear:0.5",
    "unpenalised": "geometric:1",
    "tightest": "geometric:2",
}
RULES = {
    **dict.fromkeys(PENALTIES, _WEEKS),
    **dict.fromkeys(("drawn", "sizes"), (BASE, "becont", "beloc", "cont", "loc")),
    "tightest": (
        BASE,
        *(READINGS["tightest fit"].get(rule, rule) for kind in KINDS.values() for rule in kind),
    ),
}
_READ = {"weeks": ("as told", "longest pieces first"), "tightest": ("tightest fit",)}
FIGURES = {
    **dict.fromkeys(PENALTIES, _OF_WEEKS),
    "drawn": ("makespan", "contiguous_jobs", "local_jobs", "locality_ratio"),
}
# Machines of part "sizes": 64 to 992 processors in clusters of 16, and 512 in clusters of up to 128.
SIZES = (
    "1-4-64", "1-8-128", "1-16-256", "1-32-512", "1-62-992", "1-16-512", "1-8-512", "1-4-512",
)  # fmt: skip
_JOBS, _LEAST = 300, 100  # drawn in chapter 4; fewest jobs of a week


@dataclass(frozen=True)
class BackfillingCase(CachedCase):
    study: ClassVar[str] = "local-backfilling"

    part: str
    log: ArchiveLog
    instance: int
    instances: int
    rule: str
    platform: str
    weeks: int = 1

    def run(self) -> dict[str, Any]:
        platform, log = Platform.read(self.platform), self.log.read()
        if self.part in PENALTIES:
            jobs = draw_weeks(log, self.weeks, self.instances, seed=0, minimum=_LEAST)[self.instance]
            made = backfill(platform, jobs, self.rule, PENALTIES[self.part])
        else:
            jobs = draw_jobs(log, _JOBS, platform.processors, seed=self.instance)
            made = backfill(platform, jobs, self.rule)
        left_out = {"jobs": len(made), "too_large": len(made.rejected), "no_wall_time": made.without_estimate}
        return {**asdict(place_figures(made, platform)), **left_out}


def cases(request: StudyRequest) -> list[BackfillingCase]:
    return [case for part in request.parts for log in logs_of(request) for case in _cases(part, log, request)]


def _cases(part: str, log: ArchiveLog, request: StudyRequest) -> Iterator[BackfillingCase]:
    count = {"weeks": 30, "drawn": 512, "sizes": 16, "linear": 10, "unpenalised": 10, "tightest": 30}
    if request.quick:
        count = dict.fromkeys(count, 4)
    if log.name == "LLNL-Thunder" and not request.quick:
        count |= dict.fromkeys(_READ, 20)  # it has 21 weeks of so many jobs
    if log.name == MODEL:
        count |= dict.fromkeys(PENALTIES, 2)
    platforms = {"drawn": ("1-32-512",), "sizes": SIZES}.get(part) or (_levels(log),)
    for platform, instance, rule in itertools.product(platforms, range(count[part]), RULES[part]):
        yield BackfillingCase(part, log, instance, count[part], rule, platform, _weeks(log))


def _levels(log: ArchiveLog) -> str:
    if not log.levels:
        raise ValueError(
            f"--log {log.path}: the level vector of its machine is not known, expected levels=.. such as "
            "levels=1-2-10-240"
        )
    return log.levels


def _weeks(log: ArchiveLog) -> int:
    """Return the weeks of an instance: those requested, else those of table 5.2: three of Curie, else one."""
    return log.weeks or (3 if log.name == "Curie" else 1)


def run(request: StudyRequest, context: StudyContext) -> Report:
    rows = [
        {"part": case.part, "log": case.log.name, "platform": case.platform, "rule": case.rule}
        | {"instance": case.instance, **outcome}
        for case, outcome in case_outcomes(cases(request), context)
    ]
    frame = pd.DataFrame(rows)
    tables, sentences, notes, values = [], [], [], {}
    for part, own in frame.groupby("part", sort=False):
        kept = FIGURES.get(str(part), FIGURES["drawn"])
        values[f"values_{part}"] = own[["log", "platform", "rule", "instance", *kept]]
        if part == "sizes":
            by_size = _by_size(own)
            tables.append(ReportTable("sizes", f"{PARTS['sizes']}: means over basic", by_size, _SIZE_DIGITS))
            sentences += _worst_sizes(by_size)
            continue
        for log, group in own.groupby("log", sort=False):
            tables.append(_ratios(str(part), str(log), group))
            notes.append(_left_out(str(part), str(log), group))
        archived = own[own["log"] != MODEL]
        for reading in _READ.get(str(part), ()) if len(archived) else ():
            orders = _orders(archived, reading)
            tables.append(ReportTable(_KINDS_TABLE[reading], f"{_ORDERS}, {reading}", orders, _ORDER_DIGITS))
            met = int((orders["verdict"] == "held").sum())
            sentences.append(
                f"{part}, {reading}: {met} of {len(orders)} orders among rules of one kind hold."
            )
    return Report(tuple(tables), tuple(sentences), points=values, notes=tuple(notes))


_SIZE_DIGITS = {
    f"{rule}, {figure}": 3 for rule in RULES["sizes"][1:] for figure in ("makespan", "local jobs")
}


def _by_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean makespan and local jobs of each rule over those of basic, by log and machine."""
    lines = []
    for (log, platform), group in frame.groupby(["log", "platform"], sort=False):
        _, clusters, processors = map(int, str(platform).split("-"))
        line = {"log": log, "processors": processors, "cluster": processors // clusters}
        for rule in RULES["sizes"][1:]:
            for name, figure in (("makespan", "makespan"), ("local jobs", "local_jobs")):
                own, base = (_values(group, variant, figure).mean() for variant in (rule, BASE))
                line[f"{rule}, {name}"] = own / base if base else np.nan
        lines.append(line)
    return pd.DataFrame(lines)


def _worst_sizes(by_size: pd.DataFrame) -> list[str]:
    sentences = []
    for rule in RULES["sizes"][1:]:
        worst = by_size.loc[by_size[f"{rule}, makespan"].idxmax()]
        sentences.append(
            f"sizes: {rule} lengthens makespans most, {worst[f'{rule}, makespan']:.3f} times, with "
            f"{worst['processors']} processors in clusters of {worst['cluster']} ({worst['log']})."
        )
    return sentences


_ORDERS = "Figures 5.13 to 5.16, the rule of a constraint among those of its kind"
_ORDER_DIGITS = {"over basic": 3, "next over basic": 3}
_KINDS_TABLE = {reading: f"kinds-{reading.replace(' ', '-')}" for reading in READINGS}


def _orders(frame: pd.DataFrame, reading: str) -> pd.DataFrame:
    logs = {
        str(log): {
            name: {rule: _values(own, rule, name) for rule in own["rule"].unique()} for name in _OF_WEEKS
        }
        for log, own in frame.groupby("log", sort=False)
    }
    return orders_within_kinds(logs, reading)


def _ratios(part: str, log: str, group: pd.DataFrame) -> ReportTable:
    """Return each figure of each rule against basic, in both normalizations."""
    lines = []
    for rule in RULES[part][1:]:
        for figure in FIGURES[part]:
            own, base = (_values(group, variant, figure) for variant in (rule, BASE))
            ratio = own / np.where(base > 0, base, np.nan)
            lines.append(
                {
                    "rule": rule,
                    "figure": figure,
                    "ratio of means": own.mean() / base.mean(),
                    "mean of ratios": np.nanmean(ratio),
                    "least": np.nanmin(ratio),
                    "greatest": np.nanmax(ratio),
                    "below basic": int((own < base).sum()),
                    "instances": len(own),
                }
            )
    digits = dict.fromkeys(("ratio of means", "mean of ratios", "least", "greatest"), 3)
    frame = pd.DataFrame(lines)
    return ReportTable(
        f"{part}_{log}",
        f"{log}: results relative to basic",
        frame,
        {**digits, "below basic": 0, "instances": 0},
    )


def _values(group: pd.DataFrame, rule: str, figure: str) -> NDArray[np.float64]:
    own = group[group["rule"] == rule].sort_values("instance")
    return np.asarray(own[figure], float)


def _left_out(part: str, log: str, group: pd.DataFrame) -> str:
    base = group[group["rule"] == BASE]
    jobs, large, missing = (int(base[name].sum()) for name in ("jobs", "too_large", "no_wall_time"))
    return (
        f"{part}, {log}: {len(base)} instances with {jobs} jobs in total; {large} jobs larger than the "
        f"machine are omitted, and the run time replaces the wall time of {missing} jobs that have none."
    )


STUDY = Study(
    name="local-backfilling",
    title="What contiguity and locality cost and gain under conservative backfilling",
    source="F. Mendonca, thesis, Université Grenoble Alpes, 2017, chapters 4 and 5 (orders read from plots)",
    parts=PARTS,
    default=("weeks", "drawn"),
    run=run,
    options=("logs",),
)
