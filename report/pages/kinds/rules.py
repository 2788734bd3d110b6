"""The page of advice on a machine's rule, as ``netplace advise --log -o`` writes it in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from netplace.advice.rules import RuleAdvice
from netplace.checks.inputs import input_file
from netplace.checks.schema import kind_of
from netplace.report.pages.html import DataTable, Listing, Page, Part
from netplace.report.pages.kinds.saved import saved_object
from netplace.report.plots.charts import VERDICT_COLOURS, bar_figure, interval_figure

FILE = "rules.json"
_INSTALLED = ("topology.yaml", "job_submit.lua")
_MOST_LINES = 200  # of a file that installs a rule


def page(path: Path) -> Page:
    advice = saved_object(path / FILE)
    kind_of(RuleAdvice)(advice, str(path / FILE))
    tried = advice["tried"]
    others = [rule for rule in tried if rule["verdict"] != "default"]
    short = short_names([rule["partition"] for rule in tried])
    groups = {"no clear difference": "within chance"}
    parts: list[Part] = [
        interval_figure(
            f"Savings of each rule, compared with {advice['default']}",
            [short[rule["partition"]] for rule in others],
            [100 * rule["gain"] for rule in others],
            [None if rule["half_width"] is None else 100 * rule["half_width"] for rule in others],
            [groups.get(rule["verdict"], rule["verdict"]) for rule in others],
            unit="% of the turnaround",
            colours=VERDICT_COLOURS,
            caption="Savings in mean turnaround, under the assumption that a job twice as spread as "
            f"necessary takes {100 * advice['cost']:g} % longer.",
        ),
        bar_figure(
            "Waits of jobs",
            [short[rule["partition"]] for rule in tried],
            {"wait": [rule["wait"] / 60 for rule in tried]},
            unit="min",
            caption="Mean over all jobs of the log.",
        ),
        DataTable(
            "Rules", list(_COLUMNS), [[_cell(rule, key) for key in _COLUMNS.values()] for rule in tried]
        ),
    ]
    for name in _INSTALLED:
        if (path / name).is_file():
            text = input_file(path / name).read_text(encoding="utf-8", errors="replace")
            parts.append(Listing(f"To install: {name}", "\n".join(text.splitlines()[:_MOST_LINES])))
    asked = [
        ("the default rule", advice["default"]),
        ("cost of spread", f"{advice['cost']:g}"),
        ("jobs", f"{advice['jobs']:,}"),
    ]
    lists = [(name, text) for text, name in short.items() if name != text]
    asked += lists
    missing = [f"{rule}: not simulated for lack of time; see --seconds" for rule in advice["left"]]
    return Page("Allocation rule for the machine", _verdict(advice), asked, parts, missing, advice["notes"])


_COLUMNS = {
    "rule": "partition",
    "wait (s)": "wait",
    "runs longer (%)": "longer",
    "saves (%)": "gain",
    "±": "half_width",
    "costs (%)": "waiting",
    "pays from": "pays_from",
    "verdict": "verdict",
}
_SHARES = ("longer", "gain", "half_width", "waiting")


def short_names(rules: Sequence[str]) -> dict[str, str]:
    """Return what rules are called in tables and figures: lists of shapes, which are long, by number."""
    lists = [text for text in rules if text.startswith("slurm:torus3d=")]
    return {text: f"torus3d, list {lists.index(text) + 1}" if text in lists else text for text in rules}


def _cell(rule: dict[str, Any], key: str) -> Any:
    value = rule[key]
    return 100 * value if key in _SHARES and value is not None else value


def _verdict(advice: dict[str, Any]) -> list[str]:
    chosen = next((rule for rule in advice["tried"] if rule["partition"] == advice["chosen"]), None)
    if chosen is None or advice["chosen"] == advice["default"]:
        return [f"No rule is clearly better than {advice['default']}: keep it."]
    text = (
        f"{advice['chosen']} is clearly better than {advice['default']}: it saves {100 * chosen['gain']:.1f} "
        f"± {100 * chosen['half_width']:.1f} % of the mean turnaround."
    )
    if chosen["waiting"] > 0:
        text += f" If spread costs nothing, it costs {100 * chosen['waiting']:.1f} % in waiting."
    return [text]
