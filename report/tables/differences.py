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
_SPEAK = ("machine", "policy", "partition", "network_time", "mapping")  # whose words say what they are
_WORTH = 1.5  # gain by common jobs that is worth a word


def contest_tables(found: Sequence[Contest]) -> list[Table]:
    """Return the table of the contests, the clearest first; none where nothing was compared."""
    if not found:
        return []
    told = [key for key in found[0].case | {found[0].key: ""} if _differs(found, key)]
    groups: dict[str, list[Contest]] = {}
    for one in found:
        at = ", ".join(_named(key, one.case[key]) for key in told if key in one.case)
        groups.setdefault(f"{at + ': ' if at else ''}{one.second} / {one.first}", []).append(one)
    rows: list[list[str]] = []
    for name, members in sorted(groups.items(), key=lambda item: min(map(_order, item[1]))):
        if len(rows) < _SHOWN:
            rows.append([name, "", "", ""])
            rows += [
                [f"  {one.measure}", _share(one), _p_value(one.judgement.p_value), one.judgement.words]
                for one in members
            ]
    made = table(
        "What differs? The same jobs, 95 % intervals, p after Holm",
        ["", "difference %", "p", "verdict"],
        rows,
    )
    made.columns[-1].justify = "left"
    return [made]


def contest_notes(found: Sequence[Contest]) -> list[str]:
    """Return what the intervals rest on, and what the table does not show."""
    if not found:
        return []
    said = []
    if len(found) > _SHOWN:
        said.append(f"{len(found):,} differences were judged together; not all are shown, -o has the others")
    gains = sorted(one.difference.gain for one in found if one.difference.gain)
    if gains and gains[len(gains) // 2] >= _WORTH:
        said.append(
            f"all had the same jobs: as exact as {number(gains[len(gains) // 2], 1)} times as many runs of "
            "other jobs each (median of the differences)"
        )
    if all(one.judgement.words == "one run" for one in found):
        said.append("no interval is known: say seeds = 5 in the study, or take at least 25 jobs")
    return said


def contest_frame(found: Sequence[Contest]) -> pd.DataFrame:
    """Return one row a contest."""
    rows: list[dict[str, Any]] = []
    for one in found:
        plain = one.to_dict()
        rows.append(plain | {"case": ", ".join(f"{name}={word}" for name, word in one.case.items())})
    return pd.DataFrame(rows)


def _named(key: str, word: str) -> str:
    return word if key in _SPEAK else f"{key} {word}"


def _differs(found: Sequence[Contest], key: str) -> bool:
    words = {one.case[key] for one in found if key in one.case}
    words |= {word for one in found if one.key == key for word in (one.first, one.second)}
    return len(words) > 1


def _share(one: Contest) -> str:
    difference = one.difference
    if difference.share is None or difference.share_half_width is None:
        return "-"
    half = difference.share_half_width
    width = "" if math.isnan(half) else f" ± {number(100 * half, 1)}"
    return f"{100 * difference.share:+,.1f}{width}"


def _p_value(value: float) -> str:
    return (
        "-" if math.isnan(value) else "<.001" if value < 0.001 else f"{value:.3f}"[1:] if value < 1 else "1"
    )


def _order(one: Contest) -> float:
    return math.inf if math.isnan(one.judgement.p_value) else one.judgement.p_value
