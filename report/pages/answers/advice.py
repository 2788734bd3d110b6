"""What ``netplace advise`` recommends: nodes for a job, or with ``--log`` an allocator for a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from netplace.live.rules import RuleAdvice, RuleTried
from netplace.report.pages.html import Page
from netplace.report.tables.data_table import DataTable, record_table
from netplace.report.terminal.units import measured


def placement_page(advice: Mapping[str, Any]) -> Page:
    """Return the page of a description by `netplace.live.advice_text.content_of`."""
    ranks = zip(advice["hosts"], advice["nodes"], advice["default_hosts"], strict=True)
    parts = [
        DataTable(
            "Ranks and nodes",
            ["rank", "host", "node", "host chosen by the scheduler"],
            [[rank, *row] for rank, row in enumerate(ranks)],
        ),
        DataTable(
            "Simulated placements",
            ["partition", "mapping", "time relative to the default", "draws"],
            [[tried[key] for key in ("partition", "mapping", "ratio", "draws")] for tried in advice["tried"]],
            note="No number: the placement took more than 1.5 times as long as the scheduler's, and the "
            "search abandoned it.",
        ),
    ]
    question = f"Where should {advice['job']} run on {advice['machine']}?"
    return Page(question, advice["sentences"], [*advice["asked"].items()], parts, notes=advice["grounds"])


def rules_page(advice: RuleAdvice) -> Page:
    short = short_names(advice.tried)
    named = [replace(rule, partition=short[rule.partition]) for rule in advice.tried]
    note = (
        "Saves: reduction of the turnaround, if jobs that are spread twice as far as necessary take "
        f"{100 * advice.cost:g} % longer. Costs: increase of the turnaround by waiting, if such jobs take no "
        "longer. Pays from: slowdown of such jobs at which the rule equals the default rule."
    )
    request = [
        ("the default rule", advice.default),
        ("cost of spread", f"{advice.cost:g}"),
        ("jobs", f"{advice.jobs:,}"),
        *((name, text) for text, name in short.items() if name != text),
    ]
    missing = [f"{rule}: not simulated for lack of time; see --seconds" for rule in advice.left]
    parts = [record_table("Rules", RuleTried, named, note)]
    return Page(
        "Which allocation rule should the machine have?",
        _verdict(advice),
        request,
        parts,
        missing,
        advice.notes,
    )


def short_names(tried: Sequence[RuleTried]) -> dict[str, str]:
    """Return the names of rules in tables: lists of shapes, which are long, by number."""
    rules = [rule.partition for rule in tried]
    lists = [text for text in rules if text.startswith("slurm:torus3d=")]
    return {text: f"torus3d, list {lists.index(text) + 1}" if text in lists else text for text in rules}


def _verdict(advice: RuleAdvice) -> list[str]:
    chosen = next((rule for rule in advice.tried if rule.partition == advice.chosen), None)
    basis = f"{advice.jobs:,} jobs; the default rule is {advice.default}."
    if chosen is None or advice.chosen == advice.default:
        return [f"No rule is clearly better than {advice.default}: keep it.", basis]
    gain = measured(100 * chosen.gain, chosen.half_width and 100 * chosen.half_width)
    text = (
        f"{advice.chosen} is clearly better than {advice.default}: it saves {gain} % of the mean turnaround."
    )
    if chosen.waiting > 0:
        text += f" If spread costs nothing, it costs {100 * chosen.waiting:.1f} % in waiting."
    return [text, basis]
