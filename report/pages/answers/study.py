"""Schedules or co-simulations of a study file: what each setting changes against the first."""

from __future__ import annotations

from pathlib import Path

from netplace.report.pages.html import Page, Part
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.differences import Compared, contest_notes


def page(study: Path, compared: Compared) -> Page:
    contests = compared.contests
    keys = dict.fromkeys(contest.key for contest in contests)
    main = contests[0].measure if contests else compared.main
    parts: list[Part] = [*compared.contrast_figures(), compared.figure([main])]
    same: dict[str, str] = {"study": study.name}
    for title, frame in compared.frames().values():
        constant = [name for name in frame if len(frame) > 1 and frame[name].astype(str).nunique() == 1]
        same |= {str(name): str(frame[name].iloc[0]) for name in constant if frame[name].dtype == object}
        if len(frame):
            parts.append(DataTable.of(title, frame.drop(columns=constant)))
    request = [(name, value) for name, value in same.items() if value not in ("", "None", "nan")]
    changed, kind = " or ".join(keys) or "a setting", compared.kind.capitalize()
    question = f"What does {changed} change? {kind} of {study.name}"
    return Page(question, compared.sentences(), request, parts, notes=contest_notes(contests))
