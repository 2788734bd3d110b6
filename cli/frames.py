"""Tables of runs on the screen and in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.report.terminal.screen import number, print_tables, table

if TYPE_CHECKING:
    import pandas as pd

# Columns of numbers on the screen, with their digits; others are text, but those that only files hold.
_NUMBERS = {
    "tasks": 0, "count": 0, "missing": 0, "failed": 0, "mean": 0, "std": 1, "min": 0, "max": 0,
    "cycles": 0, "packets": 0, "packet_hops": 0, "mean_packet_delay": 1, "most_link_load": 3,
    "mean_first": 0, "mean_second": 0, "ratio": 4, "count_first": 0, "count_second": 0,
}  # fmt: skip
_IN_FILES = ("key", "drained_cycles", "mean_message_delay", "injection_blocked")
_IF_ANY = ("missing", "failed")
_SHOWN = 60  # rows on the screen


def load_frame(path: Path) -> pd.DataFrame:
    """Return the table of a CSV or Parquet file, a store, or a sweep file's store in its order."""
    from netplace.runs.store import Store
    from netplace.runs.sweep import read_sweep
    from netplace.runs.tables import read_table, run_table

    if path.suffix in (".csv", ".parquet"):
        return read_table(path)
    runs = read_sweep(path).runs() if path.suffix == ".toml" else None
    with Store(path.with_suffix(".sqlite") if runs else path, read_only=True) as store:
        frame = run_table(store.rows(runs))
    if not runs:
        return frame
    order = {run.key: place for place, run in enumerate(runs)}
    return frame.sort_values("key", key=lambda keys: keys.map(order), kind="stable", ignore_index=True)


def write_frame(frame: pd.DataFrame, path: Path, source: Path) -> None:
    """Write a table, or the page of its run times, atomically; `path` says which by its ending."""
    from netplace.runs.tables import times_of, write_table

    if path.suffix == ".html":
        from netplace.cli.provenance import command_line
        from netplace.report.pages import write_page
        from netplace.report.pages.kinds.table import times_page

        write_page(path, times_page(source, times_of(frame, source), []), command_line())
        return

    write_table(frame, path)


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def show_frame(frame: pd.DataFrame, title: str) -> int:
    """Print a table without columns that are empty, or count none, and return how many rows were omitted."""
    import pandas as pd

    texts = [
        name
        for name in frame.columns
        if name not in (*_NUMBERS, *_IN_FILES) and (frame[name].fillna("") != "").any()
    ]
    numbers = [name for name in _NUMBERS if name in frame.columns]
    columns = [*texts, *(name for name in numbers if name not in _IF_ANY or frame[name].any())]
    rows = [
        [
            "-"
            if pd.isna(value)
            else number(float(value), _NUMBERS[name])
            if name in _NUMBERS
            else str(value)
            for name, value in zip(columns, row, strict=True)
        ]
        for row in frame[columns].head(_SHOWN).itertuples(index=False)
    ]
    made = table(title, columns, rows)
    for place in range(len(texts)):
        made.columns[place].justify = "left"
    print_tables(made)
    return max(0, len(frame) - _SHOWN)
