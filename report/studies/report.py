"""The output of a study: tables, a summary and figures, on the screen and as a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from netplace.csv_files import write_frame
from netplace.files import write_atomically
from netplace.report.terminal.screen import number, print_tables, table


@dataclass(frozen=True)
class ReportTable:
    """A table of a report."""

    name: str  # of its CSV file, without the suffix
    title: str  # line above the table
    frame: pd.DataFrame
    digits: Mapping[str, int]  # decimal places of each column of numbers; others are text

    def texts(self) -> list[list[str]]:
        """Return the cells as displayed."""
        return [
            [
                number(None if pd.isna(value) else float(value), self.digits[name])
                if name in self.digits
                else ("" if pd.isna(value) else str(value))
                for name, value in zip(self.frame.columns, row, strict=True)
            ]
            for row in self.frame.itertuples(index=False)
        ]


@dataclass(frozen=True)
class Report:
    """The findings of a study."""

    tables: tuple[ReportTable, ...]  # the results beside the published ones
    # The answer first, with its size; then where results agree with the published ones, and why they differ.
    summary: tuple[str, ...]
    # By name without suffix: draws to a file.
    figures: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    # By name without suffix: what the pictures are drawn from.
    points: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # texts of further files by name
    notes: tuple[str, ...] = ()  # what signs and words mean, told after the summary


def show(report: Report) -> None:
    for made in report.tables:
        columns = list(made.frame.columns)
        texts = [place for place, name in enumerate(columns) if name not in made.digits]
        print_tables(table(made.title, columns, made.texts(), texts=texts))
    for sentence in (*report.summary, *report.notes):
        print(f"* {sentence}")  # noqa: T201


def write(report: Report, folder: Path, heading: str, command: str, source: str) -> None:
    """Write ``report.md``, a CSV file for each table and for its points, and the pictures."""
    for name, frame in [*((made.name, made.frame) for made in report.tables), *report.points.items()]:
        write_frame(frame, folder / f"{name}.csv")
    for name, draw in report.figures.items():
        draw(folder / f"{name}.png")
    for name, text in report.files.items():
        write_atomically(folder / name, text)
    write_atomically(folder / "report.md", _markdown(report, heading, command, source))


def _markdown(report: Report, heading: str, command: str, source: str) -> str:
    lines = [f"# {heading}", "", f"Made by `{command}`. Published numbers: {source}.", ""]
    lines += [f"* {sentence}" for sentence in (*report.summary, *report.notes)]
    for name in report.figures:
        lines += ["", f"![{name}]({name}.png)"]
    for made in report.tables:
        columns = list(made.frame.columns)
        rule = ["---:" if name in made.digits else "---" for name in columns]
        lines += ["", f"## {made.title}", "", _line(columns), _line(rule)]
        lines += [_line(cells) for cells in made.texts()]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
