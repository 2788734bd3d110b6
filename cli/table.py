"""``netplace table``: every combination of a sweep, simulated once, kept, and shown as a table."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import flag
from netplace.cli.many import (
    Execution,
    complete_run_times,
    open_store,
    resource_flags,
    say,
    store_flag,
    tell_cost,
)
from netplace.cli.provenance import command_line, note_plans, outcome_folder, with_provenance
from netplace.cli.settings import json_flag, tell_ignored, tell_limits, threads_flag
from netplace.report.files.outputs import check_output, check_output_folder
from netplace.report.terminal.progress import sweep_progress
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    import pandas as pd

    from netplace.runs import Ended, Run
    from netplace.runs.executors import Executor
    from netplace.runs.store import Row, Store
    from netplace.runs.sweep import Sweep

FAILED = 1  # exit code: the table is made, but some runs failed
_MANY = 100_000  # runs of which one is asked whether they are meant
# Columns of numbers on the screen, with their digits; others are text, but those that only files hold.
_NUMBERS = {
    "tasks": 0, "count": 0, "missing": 0, "failed": 0, "mean": 0, "period": 1, "std": 1, "min": 0, "max": 0,
    "cycles": 0, "packets": 0, "packet_hops": 0, "mean_packet_delay": 1, "most_link_load": 3,
}  # fmt: skip
_IN_FILES = ("key", "drained_cycles", "mean_message_delay", "injection_blocked")
_IF_ANY = ("missing", "failed")
_SHOWN = 60  # rows on the screen


@command("table")
@click.argument("files", nargs=-1, required=True, metavar="SWEEP.toml | STORE.sqlite")
@resource_flags("all cores")
@threads_flag
@store_flag("SWEEP.sqlite")
@flag("--csv", "Write the table as CSV.", metavar="FILE")
@flag("--parquet", "Write the table as Parquet.", metavar="FILE")
@flag(
    "-o output",
    "Write a page (.html), the table (.csv, .parquet), or all into a folder.",
    metavar="FILE|FOLDER",
)
@flag("--runs each", "Show one row per run, instead of means over the seeds.", bool)
@flag("--jobs", "Show one row per job; also with --runs.", bool)
@flag("--verify", "Only check each row of a store against its checksum.", bool)
@flag("--retry", "Repeat the runs that failed.", bool)
@flag("--yes", f"Run a sweep of more than {_MANY:,} runs without asking for confirmation.", bool)
@json_flag
def table_command(files: tuple[str, ...], **given: Any) -> None:
    """Simulate every combination of a sweep file, and show the run times as a table.

    Stored results are reused: after an interruption, the same command resumes the sweep. A store instead
    of a sweep file is shown without simulations. With --jobs, the table contains the time of each job of
    a run. Exit code 1 means that runs failed.
    """
    outputs = _outputs(given)
    if given["verify"]:
        _verify(files, given["as_json"])
        return
    if len(files) != 1:
        raise ValueError(f"table: {len(files)} files given, expected one sweep file or store")
    rows = _rows(Path(files[0]), given)
    frame = _shown(rows, given, files[0])
    runs = rows[rows["job"] == 0] if given["jobs"] else rows
    failed = int(runs["failure"].notna().sum())
    for path in outputs:
        if path.suffix:
            _write_frame(frame, path, Path(files[0]))
        else:
            _write_folder(path, frame, rows, Path(files[0]), given["jobs"])
    if given["as_json"]:
        print_json(with_provenance({"rows": _plain_rows(frame), "runs": len(runs), "failed": failed}))
    else:
        shown = _for_people(frame, given)
        _show(shown, f"{len(shown)} {_rows_are(given)}, times in cycles")
    lost = int((runs["cycles"].isna() & runs["failure"].isna()).sum()) if files[0].endswith(".toml") else 0
    if lost:
        say(f"{lost} of {len(runs)} runs are missing; repeat the command to try them again")
    if failed:
        first = runs.loc[runs["failure"].notna(), "failure"].iloc[0]
        say(f"{failed} of {len(runs)} runs failed, the first because of: {first}")
    if failed or lost:
        sys.exit(FAILED)


def _for_people(frame: pd.DataFrame, given: dict[str, Any]) -> pd.DataFrame:
    """Return a table as the terminal shows it: repetitions of a program as the cycles of one more."""
    from netplace.runs.repetitions import is_repeated, with_periods

    if given["jobs"]:
        return _without_others(frame)
    return with_periods(frame) if not given["each"] and is_repeated(frame) else frame


def _write_folder(folder: Path, frame: pd.DataFrame, rows: pd.DataFrame, source: Path, of_jobs: bool) -> None:
    """Write a table, the runs or jobs that it is made of, and the page of run times into a folder."""
    with outcome_folder(folder, "" if of_jobs else "runs.csv"):
        _write_frame(frame, folder / "table.csv", source)
        _write_frame(rows, folder / ("jobs.csv" if of_jobs else "runs.csv"), source)
        if not of_jobs:
            _write_frame(rows, folder / "report.html", source)


def _verify(files: tuple[str, ...], as_json: bool) -> None:
    from netplace.runs.store import Store

    verified: dict[str, Any] = {}
    for name in files:
        path = Path(name)
        with Store(path.with_suffix(".sqlite") if path.suffix == ".toml" else path, read_only=True) as store:
            verdict = store.verify()
        verified[str(store.path)] = {"rows": verdict.rows, "faults": list(verdict.faults)}
        for fault in verdict.faults:
            say(fault)
        if not as_json:
            click.echo(f"{store.path}: {verdict.rows} rows, {len(verdict.faults) or 'no'} faults")
    if as_json:
        print_json({"stores": verified})
    if any(verdict["faults"] for verdict in verified.values()):
        sys.exit(FAILED)


def _rows(path: Path, given: dict[str, Any]) -> pd.DataFrame:
    """Return the table of runs, or of their jobs, of a sweep file, completed, or of a store as it is."""
    from netplace.runs.job_tables import job_table
    from netplace.runs.placement_file import is_placement_file
    from netplace.runs.store import Store
    from netplace.runs.sweep import read_sweep
    from netplace.runs.tables import run_table

    tabulated = job_table if given["jobs"] else run_table
    if path.suffix in (".csv", ".parquet"):
        raise ValueError(f"{path}: is a table, expected a sweep file (.toml) or a store")
    if path.suffix != ".toml":
        with Store(path, read_only=True) as store:
            return tabulated(store.rows())
    if is_placement_file(path):
        return tabulated(_runs_of_study(path, given))
    sweep = read_sweep(path)
    _confirm(sweep, given["yes"])
    runs = sweep.runs()
    note_plans(runs)
    kept = Path(given["store"] or path.with_suffix(".sqlite"))
    executor = _executor(sweep, runs, kept, given)
    with open_store(kept) as store:
        _complete(runs, store, executor, given["retry"])
        return tabulated(store.rows(runs))


def _executor(sweep: Sweep, runs: list[Run], kept: Path, given: dict[str, Any]) -> Executor[Run, Ended]:
    """Return who will simulate. Programs are checked and Dask is asked before anything is written."""
    from netplace.runs.campaign import missing
    from netplace.runs.job_programs import expected_cpu_seconds
    from netplace.runs.store import Store, has_rows

    left = runs
    if has_rows(kept) and not given["retry"]:
        with Store(kept, read_only=True) as store:
            left = missing(runs, store)
    if left:
        sweep.check_programs(left)
        tell_limits((run.network, run.config) for run in left)
        tell_ignored((run.network, run.config) for run in left)
        tell_cost(f"{len(left):,} runs", expected_cpu_seconds(left))
    execution = Execution(given["workers"], given["dask"], threads=given["threads"])
    resources = execution.resources(None, len(runs))
    return (resources if left else replace(resources, dask=None)).simulators()


def _complete(runs: list[Run], store: Store, executor: Executor[Run, Ended], retry: bool) -> None:
    from netplace.runs.campaign import complete
    from netplace.runs.chance import simulation_of

    if retry:
        store.forget(simulation_of(run).key for run in runs)
    with sweep_progress() as progress:
        ended = complete(runs, store, executor, progress)
    if ended.lost:
        say(f"{ended.lost} runs could not be simulated, the last because of: {ended.reason}")


def _runs_of_study(path: Path, given: dict[str, Any]) -> list[Row]:
    """Return the runs that the jobs of a placement study need, simulated if its store lacks them."""
    from netplace.runs.placement_file import read_placement_file
    from netplace.runs.schedules import workload_of
    from netplace.runs.store import Store
    from netplace.runs.tabled_jobs import needed_run_times

    if given["store"]:
        raise ValueError(f"--store: {given['store']} given, but {path} names its store in [table]")
    study = read_placement_file(path)
    for note in study.notes:
        say(note)
    complete_run_times(study.plans, Execution(given["workers"], given["dask"], None, given["threads"]))
    own = {run.key for run in needed_run_times(study.plans, workload_of, only_missing=False)}
    with Store(Path(study.plans[0].times.partition(":")[2]), read_only=True) as store:
        rows = list(store.rows())
    shown = [row for row in rows if replace(row[0], jobs=(replace(row[0].jobs[0], repeats=1),)).key in own]
    if len(rows) > len(shown):
        say(f"{store.path}: has {len(rows) - len(shown)} other runs, which netplace table {store.path} shows")
    return shown


def _confirm(sweep: Sweep, yes: bool) -> None:
    if len(sweep) <= _MANY or yes:
        return
    if not sys.stdin.isatty():
        raise ValueError(f"{sweep.path}: describes {len(sweep):,} runs, expected at most {_MANY:,} or --yes")
    click.confirm(f"{sweep.path}: {len(sweep):,} runs. Continue?", abort=True, err=True)


def _outputs(given: dict[str, Any]) -> list[Path]:
    paths = [check_output(Path(given[name]), (f".{name}",)) for name in ("csv", "parquet") if given[name]]
    if given["output"] and (folder := Path(given["output"])) and (not folder.suffix or folder.is_dir()):
        paths.append(check_output_folder(folder))
    elif given["output"]:
        endings = (".csv", ".parquet") if given["jobs"] else (".html", ".csv", ".parquet")
        paths.append(check_output(Path(given["output"]), endings))
    return paths


def _shown(rows: pd.DataFrame, given: dict[str, Any], where: object) -> pd.DataFrame:
    """Return what is requested of the table of runs or of their jobs: this, or times over the seeds."""
    from netplace.runs.job_tables import job_time_table
    from netplace.runs.tables import times_of

    if given["each"]:
        return rows
    return job_time_table(rows) if given["jobs"] else times_of(rows, where)


def _rows_are(given: dict[str, Any]) -> str:
    if given["jobs"]:
        return "jobs of runs" if given["each"] else "jobs"
    return "runs" if given["each"] else "entries"


def _without_others(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table by job without the column of other jobs, if its rows differ without it."""
    from netplace.runs.job_tables import JOB_ENTRY
    from netplace.runs.tables import BESIDE

    names = [name for name in (*JOB_ENTRY, "seed") if name in frame.columns and name != BESIDE]
    return frame if frame.duplicated(names).any() else frame.drop(columns=BESIDE)


def _show(frame: pd.DataFrame, title: str) -> None:
    """Print the first rows of a table without columns that are empty, or count none."""
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
    print_tables(table(title, columns, rows, texts=range(max(1, len(texts)))))
    if len(frame) > _SHOWN:
        say(f"{len(frame) - _SHOWN} more rows are not shown; --csv and --parquet write all")


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


def _write_frame(frame: pd.DataFrame, path: Path, source: Path) -> None:
    """Write a table, or the page of its run times, atomically; `path` says which by its ending."""
    from netplace.runs.tables import times_of, write_table

    if path.suffix == ".html":
        from netplace.report.pages import write_page
        from netplace.report.pages.kinds.table import times_page

        write_page(path, times_page(source, times_of(frame, source), []), command_line())
        return

    write_table(frame, path)


def _plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]
