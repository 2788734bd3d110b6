"""The page of advice on a machine's rule, as ``netplace advise --log -o`` writes it in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from netplace.advice.rules import RuleAdvice, RuleTried
from netplace.checks.inputs import input_file
from netplace.checks.plain import from_plain
from netplace.checks.schema import kind_of
from netplace.report.pages.html import Listing, Page, Part
from netplace.report.pages.kinds.saved import saved_object
from netplace.report.plots.charts import VERDICT_COLOURS, bar_figure, interval_figure
from netplace.report.tables.data_table import record_table

FILE = "rules.json"
_INSTALLED = ("topology.yaml", "job_submit.lua")
_MOST_LINES = 200  # of a file that installs a rule


def page(path: Path) -> Page:
    saved = saved_object(path / FILE)
    kind_of(RuleAdvice)(saved, str(path / FILE))
    advice = from_plain(RuleAdvice, saved)
    said, short = summary(advice), short_names(advice.tried)
    others = [rule for rule in advice.tried if rule.verdict != "default"]
    groups = {"no clear difference": "within chance"}
    parts: list[Part] = [
        interval_figure(
            f"Savings of each rule, compared with {advice.default}",
            [short[rule.partition] for rule in others],
            [100 * rule.gain for rule in others],
            [None if rule.half_width is None else 100 * rule.half_width for rule in others],
            [groups.get(rule.verdict, rule.verdict) for rule in others],
            unit="% of the turnaround",
            colours=VERDICT_COLOURS,
            caption="Savings in mean turnaround, under the assumption that a job twice as spread as "
            f"necessary takes {100 * advice.cost:g} % longer.",
        ),
        bar_figure(
            "Waits of jobs",
            [short[rule.partition] for rule in advice.tried],
            {"wait": [rule.wait / 60 for rule in advice.tried]},
            unit="min",
            caption="Mean over all jobs of the log.",
        ),
        *said.parts,
    ]
    for name in _INSTALLED:
        if (path / name).is_file():
            text = input_file(path / name).read_text(encoding="utf-8", errors="replace")
            parts.append(Listing(f"To install: {name}", "\n".join(text.splitlines()[:_MOST_LINES])))
    return replace(said, parts=parts)


def summary(advice: RuleAdvice) -> Page:
    """Return the page without its figures and the files to install."""
    short = short_names(advice.tried)
    named = [replace(rule, partition=short[rule.partition]) for rule in advice.tried]
    note = (
        "Saves: reduction of the turnaround, if jobs that are spread twice as far as necessary take "
        f"{100 * advice.cost:g} % longer. Costs: increase of the turnaround by waiting, if such jobs take no "
        "longer. Pays from: slowdown of such jobs at which the rule equals the default rule."
    )
    asked = [
        ("the default rule", advice.default),
        ("cost of spread", f"{advice.cost:g}"),
        ("jobs", f"{advice.jobs:,}"),
        *((name, text) for text, name in short.items() if name != text),
    ]
    missing = [f"{rule}: not simulated for lack of time; see --seconds" for rule in advice.left]
    parts = [record_table("Rules", RuleTried, named, note)]
    return Page("Allocation rule for the machine", _verdict(advice), asked, parts, missing, advice.notes)


def short_names(tried: Sequence[RuleTried]) -> dict[str, str]:
    """Return what rules are called in tables and figures: lists of shapes, which are long, by number."""
    rules = [rule.partition for rule in tried]
    lists = [text for text in rules if text.startswith("slurm:torus3d=")]
    return {text: f"torus3d, list {lists.index(text) + 1}" if text in lists else text for text in rules}


def _verdict(advice: RuleAdvice) -> list[str]:
    chosen = next((rule for rule in advice.tried if rule.partition == advice.chosen), None)
    said = [f"{advice.jobs:,} jobs; the default rule is {advice.default}."]
    if chosen is None or advice.chosen == advice.default:
        return [*said, f"No rule is clearly better than {advice.default}: keep it."]
    half = "" if chosen.half_width is None else f" ± {100 * chosen.half_width:.1f}"
    text = (
        f"{advice.chosen} is clearly better than {advice.default}: it saves {100 * chosen.gain:.1f}{half} % "
        "of the mean turnaround."
    )
    if chosen.waiting > 0:
        text += f" If spread costs nothing, it costs {100 * chosen.waiting:.1f} % in waiting."
    return [*said, text]
