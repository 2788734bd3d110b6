"""The page of advice on a machine's rule, as ``netplace advise --log -o`` writes it in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from netplace.advice.rules import RuleAdvice
from netplace.checks.inputs import input_file
from netplace.checks.schema import kind_of
from netplace.report.pages.figures import Bars, DataTable, Figure, Intervals
from netplace.report.pages.html import Page
from netplace.report.pages.kinds.saved import saved_object

__all__ = ["FILE", "page", "recognises"]

FILE = "rules.json"
_INSTALLED = ("topology.yaml", "job_submit.lua")
_MOST_LINES = 200  # of a file that installs a rule


def recognises(path: Path) -> bool:
    """Tell whether a path is a folder of advice on rules."""
    return path.is_dir() and (path / FILE).is_file()


def page(path: Path) -> Page:
    """Return the page of what ``netplace advise --log -o`` wrote."""
    found = saved_object(path / FILE)
    kind_of(RuleAdvice)(found, str(path / FILE))
    tried = found["tried"]
    others = [one for one in tried if one["verdict"] != "usual"]
    short = short_names([one["partition"] for one in tried])
    groups = {"no clear difference": "within chance"}
    parts: list[DataTable | Figure] = [
        Intervals(
            title=f"What each rule saves, against {found['usual']}",
            caption=f"Of the mean turnaround, if a job that is twice as spread as it must be takes "
            f"{100 * found['cost']:g} % longer, which is an assumption. Lines: 95 % intervals.",
            height=120 + 26 * len(others),
            names=[short[one["partition"]] for one in others],
            values=[100 * one["gain"] for one in others],
            half_widths=[100 * one["half_width"] for one in others],
            groups=[groups.get(one["verdict"], one["verdict"]) for one in others],
            unit="% of the turnaround",
        ),
        Bars(
            title="How long jobs wait",
            caption="Mean over all jobs of the log.",
            groups=[short[one["partition"]] for one in tried],
            series={"wait": [one["wait"] / 60 for one in tried]},
            unit="min",
        ),
        DataTable("Rules", list(_COLUMNS), [[_cell(one, key) for key in _COLUMNS.values()] for one in tried]),
    ]
    for name in _INSTALLED:
        if (path / name).is_file():
            text = input_file(path / name).read_text(encoding="utf-8", errors="replace")
            lines = text.splitlines()[:_MOST_LINES]
            parts.append(DataTable(f"To install: {name}", ["line"], [[line] for line in lines]))
    asked = [
        ("the usual rule", found["usual"]),
        ("cost of spread", f"{found['cost']:g}"),
        ("jobs", f"{found['jobs']:,}"),
    ]
    lists = [(name, text) for text, name in short.items() if name != text]
    asked += lists
    missing = [f"{rule}: there was no time, see --seconds" for rule in found["left"]]
    return Page("Which nodes jobs should have", _verdict(found), asked, parts, missing, found["notes"])


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


def _cell(one: dict[str, Any], key: str) -> Any:
    return 100 * one[key] if key in _SHARES else one[key]


def _verdict(found: dict[str, Any]) -> list[str]:
    chosen = next((one for one in found["tried"] if one["partition"] == found["chosen"]), None)
    if chosen is None or found["chosen"] == found["usual"]:
        return [f"No rule is clearly better than {found['usual']}: leave it as it is."]
    text = (
        f"{found['chosen']} is clearly better than {found['usual']}: it saves {100 * chosen['gain']:.1f} ± "
        f"{100 * chosen['half_width']:.1f} % of the mean turnaround."
    )
    if chosen["waiting"] > 0:
        text += f" Where spread costs nothing it would cost {100 * chosen['waiting']:.1f} % in waiting."
    return [text]
