"""Which results of two outcomes differ, and whether by more than chance; as a page, picture, JSON or CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from netplace.csv_files import write_frame
from netplace.files import write_atomically
from netplace.inputs import check_choice
from netplace.json_files import json_text
from netplace.report.pages.html import Page, Part, render
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample
from netplace.report.plots.charts import VERDICT_COLOURS, interval_figure
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable
from netplace.report.terminal.units import measured
from netplace.scheduling.metrics.comparison import Paired, judged, paired, unpaired
from netplace.scheduling.metrics.interval import BATCHES

BETTER, WORSE = "better", "worse"
# What is said of a difference, for legends and help.
MEANINGS = {
    WORSE: "significantly worse",
    BETTER: "significantly better",
    "less": "significantly less, which is neither better nor worse",
    "more": "significantly more, which is neither better nor worse",
    "only in the first": "the second has no such result",
    "only in the second": "the first has no such result",
    "within chance": "a difference that chance alone can explain",
    "not tested": "a difference that was not asked for: --figure tests it",
    "one run": "a difference whose significance is not known, because it comes from single draws, or from "
    "jobs that are too few or not independent",
    "equal": "the same",
}
# Asked values that need no name in front of them.
_PLAIN = (
    "application", "problem", "network", "partition", "mapping", "policy", "machine", "table", "outcome",
)  # fmt: skip
_CLEAR = (WORSE, BETTER, "less", "more")


@dataclass(frozen=True)
class Difference:
    """One result in two outcomes."""

    of: str  # of which entry; empty where there is but one
    name: str  # what it is, with its unit
    # first, second: means; None where there is none.
    first: float | None
    second: float | None
    # difference, half_width: the second less the first, and half of its 95 % interval; None where that is not
    # known, 0 for what is exact.
    difference: float | None = None
    half_width: float | None = None
    p_value: float | None = None  # after Holm for all results compared; None where nothing was tested
    test: str = ""  # which test says so; ``"exact"`` if there is no randomness
    verdict: str = ""  # a key of `MEANINGS`

    @property
    def drawn(self) -> bool:
        """Whether there is a change to be drawn."""
        return self.verdict != "equal" and self.share(self.difference) is not None

    def share(self, value: float | None) -> float | None:
        """Return a value as a share of the first mean; None where that says nothing."""
        return None if value is None or not self.first else value / abs(self.first)

    def sentence(self) -> str:
        change, half = self.share(self.difference), self.share(self.half_width)
        share = ""
        if change is not None:
            size = measured(100 * abs(change), half and 100 * half)
            share = f", {'-' if change < 0 else '+'}{size} %" + (" (95 % interval)" if half else "")
        of = f"{self.of}: " if self.of else ""
        return f"{of}{self.name}: from {self.first:,.6g} to {self.second:,.6g}{share}: {self.verdict}."

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "relative": self.share(self.difference)}


@dataclass(frozen=True)
class Comparison:
    """Two outcomes side by side."""

    kind: str
    first: str
    second: str
    asked: Sequence[tuple[str, str, str]]  # what was asked differently: its name, and what each was asked
    differences: Sequence[Difference]
    # Whether the same was asked with the same seeds, so that any difference is none of chance.
    same_asked: bool

    def count(self, *verdicts: str) -> int:
        """Return how many results there are with one of these verdicts."""
        return sum(difference.verdict in verdicts for difference in self.differences)

    @property
    def changed(self) -> int:
        """How many results differ beyond chance, or are in one outcome only."""
        return self.count(*_CLEAR, "only in the first", "only in the second")

    @property
    def tested(self) -> list[str]:
        """Names of the results that were tested."""
        return [*dict.fromkeys(one.name for one in self.differences if one.p_value is not None)]

    def sentences(self) -> list[str]:
        total = len(self.differences)
        if self.count("equal") == total:
            sentences = [f"All {total} results are the same."]
        else:
            changed = [
                one for one in self.differences if one.verdict != "equal" and one.difference is not None
            ]
            known = [one for one in in_order(self) if one in changed and one.p_value is not None] or changed
            sentences = [known[0].sentence()] if known else []
            parts = [f"{count} {word}" for word in MEANINGS if (count := self.count(word))]
            sentences.append(f"Of {total} results: {', '.join(parts)}.")
        if self.same_asked and self.changed:
            sentences.append(
                "The requests and seeds are identical, so the differences come from the program."
            )
        if tests := dict.fromkeys(
            difference.test for difference in self.differences if difference.p_value is not None
        ):
            sentences.append(
                f"Significance of {', '.join(self.tested)}: {', '.join(tests)}, at the level of 0.05 after "
                f"Holm's correction for all tests."
            )
        if self.count("one run"):
            sentences.append(
                "For some differences, the significance is not known; it can be tested with more seeds."
            )
        return sentences

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "first": self.first,
            "second": self.second,
            "same_asked": self.same_asked,
            "asked": [{"name": name, "first": first, "second": other} for name, first, other in self.asked],
            "counts": {word: self.count(word) for word in MEANINGS},
            "differences": [difference.to_dict() for difference in self.differences],
        }


def compare(first: Outcome, second: Outcome, figures: Sequence[str] = ()) -> Comparison:
    """Compare two outcomes result by result: pair entries that agree in what varies within each outcome.

    Only `figures` are tested, together; by default, the main one of each entry, and with ``all``, all.
    """
    if first.kind != second.kind:
        raise ValueError(
            f"{first.name} is a {first.kind}, {second.name} a {second.kind}, expected two outcomes of the "
            f"same kind"
        )
    before, after = _settled(first), _settled(second)
    constant, entries, others = _by_labels(first, second)
    requests = [
        (name, before.get(name, ""), after.get(name, ""))
        for name in constant
        if before.get(name) != after.get(name)
    ]
    if first.versions != second.versions:
        requests.append(("versions", first.versions, second.versions))
    if not entries.keys() & others.keys():
        raise ValueError(
            f"{first.name} and {second.name} have no result in common: {next(iter(entries), 'none')} against "
            f"{next(iter(others), 'none')}"
        )
    same_asked = not [name for name, *_ in requests if name != "versions"]
    asked_figures = _asked_figures([*entries.values(), *others.values()], figures)
    compared = []
    for label in dict.fromkeys([*entries, *others]):
        ours, theirs = (
            {result.name: result for result in (own[label].results if label in own else ())}
            for own in (entries, others)
        )
        compared += [
            _difference(label, name, ours.get(name), theirs.get(name), same_asked, name in asked_figures)
            for name in dict.fromkeys([*ours, *theirs])
        ]
    return Comparison(first.kind, first.name, second.name, requests, _judged(compared), same_asked)


def _asked_figures(entries: Sequence[Entry], figures: Sequence[str]) -> set[str]:
    """Return the names of the results of entries that are asked for, with or without their units."""
    results = [result for entry in entries for result in entry.results]
    names = {name: name for name in dict.fromkeys(result.name for result in results)}
    if not figures:
        return {entry.results[0].name for entry in entries if entry.results}
    if "all" in figures:
        return {*names}
    names |= {name.rpartition(" (")[0] or name: name for name in names}
    return {names[check_choice(figure, names, "--figure")] for figure in figures}


def common_results(
    first: Outcome, second: Outcome, figures: Sequence[str] = ()
) -> Iterator[tuple[str, Result, Result]]:
    """Yield the label of the entry and both results, for each result that is asked for, as in `compare`."""
    _, entries, others = _by_labels(first, second)
    requested = _asked_figures([*entries.values(), *others.values()], figures)
    for label, entry in entries.items():
        theirs = {result.name: result for result in others[label].results} if label in others else {}
        yield from (
            (label, one, theirs[one.name]) for one in entry.results if one.name in requested & {*theirs}
        )


def _by_labels(first: Outcome, second: Outcome) -> tuple[list[str], dict[str, Entry], dict[str, Entry]]:
    """Return what varies in neither of two outcomes, and the entries of each by what tells them apart."""
    constant = list(_settled(first) | _settled(second))
    for outcome in (first, second):
        known = _settled(outcome)
        constant = [
            name
            for name in constant
            if name in known or not any(name in entry.asked for entry in outcome.entries)
        ]
    return constant, _by_label(first, constant), _by_label(second, constant)


def _settled(outcome: Outcome) -> dict[str, str]:
    """Return what is the same for all entries of an outcome."""
    if not outcome.entries:
        raise ValueError(f"{outcome.name}: contains no results to compare")
    kept = dict(outcome.entries[0].asked)
    for entry in outcome.entries:
        kept = {name: value for name, value in kept.items() if entry.asked.get(name) == value}
    return kept


def _by_label(outcome: Outcome, left_out: Sequence[str]) -> dict[str, Entry]:
    """Return the entries of an outcome by what tells one from another."""
    constant = {*left_out, "seeds"}
    entries: dict[str, Entry] = {}
    for entry in outcome.entries:
        words = [
            value if name in _PLAIN else f"{name} {value}"
            for name, value in entry.asked.items()
            if name not in constant and value
        ]
        entries.setdefault(", ".join(words), entry)
    return entries


def _difference(
    label: str, name: str, first: Result | None, second: Result | None, same: bool, requested: bool
) -> tuple[Difference, int, Paired | None]:
    """Return a difference, which direction is better, and what was tested if anything was."""
    if first is None or second is None:
        where = "only in the first" if second is None else "only in the second"
        means = [None if result is None else result.sample.mean for result in (first, second)]
        return Difference(label, name, means[0], means[1], verdict=where), 0, None
    sample, other = first.sample, second.sample
    gap = other.mean - sample.mean
    bare = Difference(label, name, sample.mean, other.mean, gap)
    if same or _exact(sample, other):
        equal = math.isclose(sample.mean, other.mean, rel_tol=1e-12)
        if same:  # draw by draw; a table knows only the mean and the standard deviation of its draws
            spread = 0.0 if math.isnan(sample.std) and math.isnan(other.std) else other.std - sample.std
            equal = equal and sample.values == other.values and spread == 0
        word = "equal" if equal else _word(gap, first.better)
        return replace(bare, half_width=0.0, test="exact", verdict=word), first.better, None
    test, tested = _tested(sample, other)
    if tested is None:
        return replace(bare, verdict="one run" if gap else "equal"), first.better, None
    mean = tested.first
    known = replace(bare, first=mean, second=mean + tested.mean, difference=tested.mean, test=test)
    if tested.equal:
        return replace(known, half_width=0.0, verdict="equal"), first.better, None
    if math.isnan(tested.p_value):
        return replace(known, test="", verdict="one run"), first.better, None
    half = None if math.isnan(tested.half_width) else tested.half_width
    if not requested:
        return replace(known, half_width=half, verdict="not tested"), first.better, None
    return replace(known, half_width=half), first.better, tested


def _exact(first: Sample, other: Sample) -> bool:
    """Return whether chance has no part in either: it is known, or several draws came to the same."""
    return all(not sample.unit or (sample.count > 1 and sample.std == 0) for sample in (first, other))


def _tested(sample: Sample, other: Sample) -> tuple[str, Paired | None]:
    """Return the name of a test and its interval and p-value; None for single draws, which say nothing."""
    common = [draw for draw in sample.values if draw in other.values]
    if sample.unit == other.unit and len(common) > 1:
        values, others = ([one.values[draw] for draw in common] for one in (sample, other))
        joined = f" in {BATCHES} batches" if sample.unit == "jobs" and len(common) > BATCHES else ""
        test = f"Student's t of pairs of {sample.unit}{joined}"
        return test, paired(values, others, sample.unit)
    if {sample.unit, other.unit} & {"jobs", "batches"} or min(sample.count, other.count) < 2:
        return "", None
    return "Welch's t", unpaired(
        (sample.mean, sample.std, sample.count), (other.mean, other.std, other.count)
    )


def _word(gap: float, better: int) -> str:
    if not better:
        return "less" if gap < 0 else "more"
    return BETTER if gap * better > 0 else WORSE


def _judged(compared: Sequence[tuple[Difference, int, Paired | None]]) -> list[Difference]:
    """Return the differences with their verdicts, all tests taken together."""
    verdicts = iter(judged([tested for *_, tested in compared if tested is not None]))
    made = []
    for difference, better, tested in compared:
        if tested is None:
            made.append(difference)
            continue
        judgement = next(verdicts)
        word = _word(tested.mean, better) if judgement.clear else judgement.words
        made.append(replace(difference, p_value=judgement.p_value, verdict=word))
    return made


_MOST_MARKS, _MOST_IN_PRINT = 60, 40  # in a figure of a page, and of a picture


def in_order(comparison: Comparison) -> list[Difference]:
    """Return the results, those that differ clearly first, each kind by how much."""
    rank = [*MEANINGS]
    return sorted(
        comparison.differences,
        key=lambda difference: (
            rank.index(difference.verdict),
            -abs(difference.share(difference.difference) or 0.0),
        ),
    )


def write_comparison(path: Path, comparison: Comparison) -> None:
    """Write a comparison; the ending of `path` says how."""
    ending = path.suffix.lower()
    if ending in (".png", ".pdf", ".svg"):
        drawn = [difference for difference in in_order(comparison) if difference.drawn]
        if not drawn:
            raise ValueError(
                f"{path}: {comparison.first} and {comparison.second} have no differences that can be drawn"
            )
        write_figure(path, difference_figure(comparison, drawn, _MOST_IN_PRINT))
        return
    if ending == ".csv":
        import pandas as pd

        write_frame(pd.DataFrame([difference.to_dict() for difference in in_order(comparison)]), path)
        return
    if ending == ".html":
        text = render(comparison_page(comparison))
    else:
        text = json_text(comparison.to_dict()) + "\n"
    write_atomically(path, text)


def comparison_page(comparison: Comparison) -> Page:
    differences = in_order(comparison)
    parts: list[Part] = []
    if comparison.asked:
        requests = [list(row) for row in comparison.asked]
        parts.append(DataTable("Different requests", ["", comparison.first, comparison.second], requests))
    if drawn := [difference for difference in differences if difference.drawn]:
        parts.append(difference_figure(comparison, drawn, _MOST_MARKS))
    columns = {"of": "of"} if any(difference.of for difference in differences) else {}
    columns |= {"name": "result", "verdict": "verdict", "first": comparison.first}
    columns |= {"second": comparison.second, "difference": "difference", "half_width": "±"}
    columns |= {"relative": "change (%)", "p_value": "p", "test": "test"}
    every = [difference.to_dict() for difference in differences]
    for row in every:
        row["relative"] = None if row["relative"] is None else 100 * row["relative"]
    rows = [[row[key] for key in columns] for row in every]
    used = {difference.verdict for difference in differences}
    note = "; ".join(f"{word}: {meaning}" for word, meaning in MEANINGS.items() if word in used)
    parts.append(
        DataTable("Results", list(columns.values()), rows, note=f"± is half of a 95 % interval. {note}.")
    )
    command = f"netplace compare {comparison.first} {comparison.second}"
    question = f"What differs between {comparison.first} and {comparison.second}?"
    return Page(question, comparison.sentences(), [("command", command), ("kind", comparison.kind)], parts)


def difference_figure(comparison: Comparison, shown: Sequence[Difference], maximum: int) -> Figure:
    """Return the change of each result from the first outcome to the second, in per cent."""
    marks = shown[:maximum]
    cut = (
        f" The figure shows the first {maximum} of {len(shown)}; the table has all."
        if len(shown) > maximum
        else ""
    )
    return interval_figure(
        "Relative differences of results",
        [": ".join(filter(None, (difference.of, difference.name))) for difference in marks],
        [100 * (difference.share(difference.difference) or 0.0) for difference in marks],
        [100 * half if (half := difference.share(difference.half_width)) else None for difference in marks],
        [difference.verdict for difference in marks],
        unit=f"change from {comparison.first} to {comparison.second} (%)",
        colours=VERDICT_COLOURS,
        caption=f"Change from {comparison.first} to {comparison.second}.{cut}",
    )
