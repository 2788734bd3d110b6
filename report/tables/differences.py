"""What differs clearly between schedules or co-simulations of one study, on the screen and in files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from netplace.report.terminal.screen import number, table
from netplace.scheduling.metrics import Contest

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["contest_frame", "contest_notes", "contest_tables"]

_SHOWN = 24  # rows on the screen, and those of the last that begins before
_SPEAK = ("machine", "policy", "partition", "fidelity", "mapping")  # whose words say what they are
_WORTH = 1.5  # gain by common jobs that is worth a word


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
    made = table(
        "What differs? The same jobs, 95 % intervals, p after Holm",
        ["", "difference %", "p", "verdict"],
        rows,
    )
    made.columns[-1].justify = "left"
    return [made]


def contest_notes(contests: Sequence[Contest]) -> list[str]:
    """Return what the intervals rest on, and what the table does not show."""
    if not contests:
        return []
    said = []
    if len(contests) > _SHOWN:
        said.append(
            f"{len(contests):,} differences were judged together; not all are shown, -o has the others"
        )
    gains = sorted(contest.difference.gain for contest in contests if contest.difference.gain)
    if gains and gains[len(gains) // 2] >= _WORTH:
        said.append(
            f"all had the same jobs: as exact as {number(gains[len(gains) // 2], 1)} times as many runs of "
            "other jobs each (median of the differences)"
        )
    if all(contest.judgement.words == "one run" for contest in contests):
        said.append("no interval is known: say seeds = 5 in the study, or take at least 25 jobs")
    return said


def contest_frame(contests: Sequence[Contest]) -> pd.DataFrame:
    """Return one row a contest."""
    rows: list[dict[str, Any]] = []
    for contest in contests:
        plain = contest.to_dict()
        rows.append(plain | {"case": ", ".join(f"{name}={word}" for name, word in contest.case.items())})
    return pd.DataFrame(rows)


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
