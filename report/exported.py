"""What an outcome holds, in the forms of other tools: tables, SWF, job lists of Batsim and evalys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from netplace.csv_files import numbers_in, text_table, write_frame
from netplace.files import write_atomically
from netplace.inputs import MOST, abbreviate
from netplace.report.files.run_details import LINK_COLUMNS as LINKS
from netplace.report.files.run_details import MESSAGE_COLUMNS as OF_MESSAGE
from netplace.report.pages import kind_of
from netplace.report.pages.kinds.run import FILE as RUN
from netplace.report.pages.kinds.saved import saved_results
from netplace.runs.schedule_folder import read_figures, read_schedule
from netplace.runs.store import Store
from netplace.runs.tables import run_table, write_table

_MESSAGES = ("seed", "job", *OF_MESSAGE)
_KEPT = ("schedules", "loads", "mappings", "configurations")
_STATES = {"done": 1, "failed": 0}  # of SWF: completed, failed


def export(path: Path, target: Path) -> list[str]:
    """Write an outcome in the format of the ending of `target`, and return a line for each written file."""
    return EXPORTS[target.suffix.lower()](path, target)


def _rows(path: Path, target: Path) -> pd.DataFrame:
    if not path.is_dir():
        raise ValueError(
            f"{path}: is not a folder, expected a folder of netplace schedule -o for {target.suffix}"
        )
    return read_schedule(path)[2]


def _swf(path: Path, target: Path) -> list[str]:
    rows = _rows(path, target)
    plan, _ = read_figures(path)
    lines = [f"; Computer: {plan.machine}", f"; MaxJobs: {len(rows)}", "; UnixStartTime: 0"]
    lines.append("; Note: waits and run times come from a schedule by netplace")
    for row in rows.to_dict("records"):
        times = map(round, (row["submit"], row["start"] - row["submit"], row["end"] - row["start"]))
        estimate = -1 if pd.isna(row["estimate"]) else round(row["estimate"])
        state = _STATES.get(str(row["state"]), -1)
        head = [row["number"], *times, row["held"], -1, -1, row["nodes"]]
        lines.append(" ".join(str(value) for value in [*head, estimate, -1, state, *[-1] * 7]))
    write_atomically(target, "\n".join(lines) + "\n")
    return [f"{target}: {len(rows):,} jobs"]


def _jobs(path: Path, target: Path) -> list[str]:
    """Write the table of jobs that Batsim writes, and evalys and its kin draw."""
    if kind_of(path) in ("store", "run"):
        return _tables(path, target)
    rows = _rows(path, target)
    run = rows["end"] - rows["start"]
    wait, turnaround = rows["start"] - rows["submit"], rows["end"] - rows["submit"]
    frame = pd.DataFrame(
        {
            "job_id": rows["number"],
            "workload_name": "netplace",
            "profile": "schedule",
            "submission_time": rows["submit"],
            "requested_number_of_resources": rows["nodes"],
            "requested_time": rows["estimate"].fillna(run),
            "success": (rows["state"] == "done").astype(int),
            "final_state": rows["state"].map({"done": "COMPLETED_SUCCESSFULLY"}).fillna("COMPLETED_KILLED"),
            "starting_time": rows["start"],
            "execution_time": run,
            "finish_time": rows["end"],
            "waiting_time": wait,
            "turnaround_time": turnaround,
            "stretch": (turnaround / run.where(run > 0)).fillna(1.0),
            "allocated_resources": rows.get("places", ""),
        }
    )
    write_frame(frame, target)
    return [f"{target}: {len(frame):,} jobs"]


def _frames(path: Path, target: Path) -> dict[str, pd.DataFrame]:
    """Return the tables of an outcome, by name."""
    kind = kind_of(path)
    if kind == "store":
        return _store_frames(path)
    return _run_frames(path) if kind == "run" else {"jobs": _rows(path, target)}


def _run_frames(path: Path) -> dict[str, pd.DataFrame]:
    """Return loads of links, messages and the critical path of a folder of ``netplace run -o``."""
    if not path.is_dir():
        raise ValueError(f"{path}: contains no messages or link loads, expected a folder of netplace run -o")
    jobs = saved_results(path / RUN, "run").get("timeline", [])
    stretches = [[number, *stretch] for number, job in enumerate(jobs) for stretch in job["path"] or ()]
    ends = [
        [number, task, job["start"], end]
        for number, job in enumerate(jobs)
        for task, end in enumerate(job["ends"])
    ]
    return {
        "links": _measured(path / "links.csv", LINKS),
        "messages": _measured(path / "messages.csv", _MESSAGES),
        "tasks": pd.DataFrame(ends, columns=["job", "task", "start", "end"]),
        "path": pd.DataFrame(stretches, columns=["job", "component", "task", "start", "end"]),
    }


def _measured(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """Return a table of numbers that ``netplace run -o`` has written, and names of links; each is checked."""
    frame = text_table(path)
    if tuple(frame.columns) != tuple(columns):
        named = abbreviate(",".join(map(str, frame.columns)))
        raise ValueError(f"{path}: columns {named} found, expected {','.join(columns)}")
    for name in columns:
        if name != "link":
            whole = name != "load"
            frame[name] = numbers_in(frame[name], path, minimum=-float(MOST) if whole else 0, whole=whole)
    return frame


def _store_frames(path: Path) -> dict[str, pd.DataFrame]:
    """Return the tables of a store, by name; what is kept as objects is made flat."""
    with Store(path, read_only=True) as store:
        frames = {"runs": run_table(store.rows())}
        for table in _KEPT:
            kept = [{"plan": plan, "outcome": outcome} for plan, outcome in store.outcomes(table)]
            if kept:
                frames[table] = pd.json_normalize(kept).apply(_of_one_kind)
    return {name: frame for name, frame in frames.items() if len(frame)}


def _of_one_kind(column: pd.Series) -> pd.Series:
    """Return a column as it is, or as text where Parquet has no column for its lists or several kinds."""
    values = column.dropna()
    kinds = set(values.map(type))
    if column.dtype != object or kinds <= {str} or kinds == {bool}:
        return column
    if kinds <= {int, float} and all(abs(value) < MOST for value in values):
        return pd.to_numeric(column)
    return column.map(lambda value: None if value is None or value is pd.NA else str(value))


def _tables(path: Path, target: Path) -> list[str]:
    """Write the tables of an outcome: the first there, others beside it under their names."""
    frames = _frames(path, target)
    if not frames:
        raise ValueError(f"{path}: contains no finished results to write")
    tables = []
    for place, (name, frame) in enumerate(frames.items()):
        own = target if not place else target.with_name(f"{target.stem}-{name}{target.suffix}")
        write_table(frame, own)
        tables.append(f"{own}: {name}, {len(frame):,} rows")
    return tables


EXPORTS: dict[str, Callable[[Path, Path], list[str]]] = {
    ".swf": _swf,
    ".csv": _jobs,
    ".parquet": _tables,
}
