"""Tables of stored results: one row per run, and statistics of run times over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.apps import APPLICATIONS
from netplace.csv_files import numbers_in, read_cells, with_format, without_format, write_frame
from netplace.files import atomic_file, check_unpacked, input_file
from netplace.netsim.config import SETTINGS, Config
from netplace.quantities import quantities
from netplace.runs.partitions import machine_of_hosts
from netplace.runs.revisions import revisions_of
from netplace.runs.spec import Job, Run
from netplace.runs.store import Row

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BESIDE", "ENTRY", "entry_of", "over_seeds", "read_table", "run_table", "settings_of", "several_versions",
    "tasks_of_traces", "time_table", "times_of", "write_table",
]  # fmt: skip

# What a run time belongs to.
ENTRY = ["application", "problem", "tasks", "network", "partition", "shape", "mapping", "settings"]
BESIDE = "beside"  # column of tables by job: the other jobs of the run
_MEASURED = [
    "cycles", "drained_cycles", "packets", "packet_hops", "mean_packet_delay", "mean_message_delay",
    "most_link_load", "injection_blocked",
]  # fmt: skip
_WHOLE = ["cycles", "drained_cycles", "packets", "packet_hops", "injection_blocked"]
_STATISTICS = ["count", "missing", "failed", "mean", "std", "min", "max"]
_OF_RUNS, _OF_TIMES = {*ENTRY, "seed", "cycles", "failure"}, {*ENTRY, *_STATISTICS}
_NUMBERS = ("job", "tasks", "seed", *_MEASURED, *_STATISTICS)
_WHOLE_NUMBERS = ("job", "tasks", "seed", "count", "missing", "failed", "min", "max", *_WHOLE)
_TEXTS = (*(name for name in ENTRY if name != "tasks"), BESIDE, "failure", "key")
_WHAT = "table"


def run_table(rows: Iterable[Row]) -> pd.DataFrame:
    """Return a row per run in `Store.rows`: its entry, seed and measurements, and the reason for any failure.

    The table does not depend on where or when a run was simulated. Runs are sorted by entry and then by seed;
    missing values are empty.
    """
    import pandas as pd

    taken = list(rows)
    sizes, several = tasks_of_traces(taken), several_versions(taken)
    made = [
        {
            **entry_of(run, sizes, several),
            "seed": run.seed,
            **_measured(outcome),
            "failure": failure,
            "key": run.key,
        }
        for run, outcome, failure in taken
    ]
    frame = pd.DataFrame(made, columns=[*ENTRY, "seed", *_MEASURED, "failure", "key"])
    kinds = {"tasks": "Int64", "seed": "int64"} | {
        name: "Int64" if name in _WHOLE else "float64" for name in _MEASURED
    }
    frame = frame.astype(kinds).astype({"failure": "string"})
    return frame.sort_values([*ENTRY, "seed", "key"], kind="stable", ignore_index=True)


def tasks_of_traces(rows: Iterable[Row]) -> dict[str, int]:
    """Return the number of tasks of each trace that has been simulated, by the digest of the trace."""
    return {
        job.digest: entry["tasks"]
        for run, outcome, _ in rows
        if outcome
        for job, entry in zip(run.jobs, outcome["jobs"], strict=True)
    }


def several_versions(rows: Iterable[Row]) -> set[str]:
    """Return the files, traces and applications of which the runs have several versions."""
    known = {digest for run, _, _ in rows for digest in _digests(run)}
    return {name for name, count in Counter(name for name, _ in known).items() if count > 1}


def _digests(run: Run) -> set[tuple[str, str]]:
    return {*run.contents, *((job.program, job.digest) for job in run.jobs if job.digest)}


def entry_of(
    run: Run, sizes: Mapping[str, int] | None = None, several: Collection[str] = ()
) -> dict[str, Any]:
    """Return the columns `ENTRY` of a run.

    `sizes` gives the number of tasks of each trace by its digest, and `mean_over_draws` the files, traces and
    applications whose versions the settings distinguish.
    """
    kind, _, shape = run.partition.partition(":")
    tasks = [job.tasks or (sizes or {}).get(job.digest) for job in run.jobs]
    return {
        "application": _several([job.program + (f"@{job.start}" if job.start else "") for job in run.jobs]),
        "problem": _several([_problem(job, run.config) for job in run.jobs]),
        "tasks": None if None in tasks else sum(filter(None, tasks)),
        "network": run.network,
        "partition": kind,
        "shape": shape,
        "mapping": _several([job.mapping for job in run.jobs]),
        "settings": _settings(run, several),
    }


def time_table(runs: pd.DataFrame, sort: bool = True) -> pd.DataFrame:
    """Return the run-time table of a `run_table`: for each entry, statistics of its cycles over the seeds.

    The columns are `ENTRY`, ``count`` (of runs that ended), ``missing`` (not simulated yet), ``failed``,
    ``mean``, ``std`` (of the sample, empty for a single run), ``min`` and ``max``; the last four are in
    cycles. Entries are sorted if `sort`; otherwise, they are in the order of `runs`.
    """
    return over_seeds(runs, ENTRY, sort)


def over_seeds(runs: pd.DataFrame, entry: list[str], sort: bool) -> pd.DataFrame:
    """Return a row for each combination of the columns `entry`, with the statistics of `time_table`."""
    import pandas as pd

    failed = runs["failure"].notna()
    marked = runs.assign(failed=failed, missing=runs["cycles"].isna() & ~failed)
    groups = marked.groupby(entry, dropna=False, sort=sort)
    cycles = groups["cycles"]
    frame = pd.DataFrame(
        {
            "count": cycles.count(),
            "missing": groups["missing"].sum(),
            "failed": groups["failed"].sum(),
            "mean": cycles.mean().astype("float64"),
            "std": cycles.std().astype("float64"),
            "min": cycles.min(),
            "max": cycles.max(),
        }
    )
    return frame.reset_index()


def times_of(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Return a run-time table, given a table of either kind."""
    if BESIDE in frame.columns:
        raise ValueError(f"{where}: holds times by job (table --jobs), expected a table of runs or run times")
    if _OF_RUNS.issubset(frame.columns):
        return time_table(frame, sort=False)
    if _OF_TIMES.issubset(frame.columns):
        return frame
    lacking = ", ".join(name for name in [*ENTRY, *_STATISTICS] if name not in frame.columns)
    raise ValueError(f"{where}: is not a table of runs or run times: it lacks the columns {lacking}")


def write_table(frame: pd.DataFrame, path: Path, kind: type | None = None, label: str = "") -> None:
    """Write a table atomically, as CSV or, if the name ends in ``.parquet``, as Parquet.

    Tables of runs and of run times, which can be read again, get a column with their kind and format.
    The schema of a Parquet file contains the version, the units and descriptions of the fields of the
    dataclass `kind` (`netplace.quantities.quantities`), and `label`, which describes a row.
    """
    if _OF_RUNS.issubset(frame.columns) or _OF_TIMES.issubset(frame.columns):
        frame = with_format(frame, _WHAT)
    if path.suffix != ".parquet":
        write_frame(frame, path)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = pa.Table.from_pandas(frame, preserve_index=False)
    if kind is not None:
        fields = quantities(kind)
        described = [
            column.with_metadata({"unit": fields[column.name].unit, "description": fields[column.name].help})
            if column.name in fields
            else column
            for column in columns.schema
        ]
        schema = pa.schema(described, {**columns.schema.metadata, "netplace": label})
        columns = pa.Table.from_arrays(columns.columns, schema=schema)
    with atomic_file(path) as draft:
        pq.write_table(columns, draft)


def read_table(path: Path) -> pd.DataFrame:
    """Read a table that `write_table` wrote, or another table with some of its columns."""
    try:
        if path.suffix == ".parquet":
            frame = _parquet(input_file(path))
        else:
            frame = read_cells(path)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror or error}") from None
    except MemoryError:
        raise
    except Exception as error:  # pandas and pyarrow raise errors of many kinds
        raise ValueError(f"{path}: is not a table, {' '.join(str(error).split())}") from None
    frame = without_format(frame, path, _WHAT)
    frame = frame.assign(
        **{
            name: numbers_in(frame[name], path, whole=name in _WHOLE_NUMBERS)
            for name in _NUMBERS
            if name in frame.columns
        },
        **{name: _texts(frame[name]) for name in _TEXTS if name in frame.columns},
    )
    _check_rows(frame, path)
    return frame


def _check_rows(frame: pd.DataFrame, path: Path) -> None:
    """Check that no run or entry is there twice, and that entries have the statistics of their runs."""
    columns = {*frame.columns}
    if columns >= _OF_TIMES:
        wrong = frame[["count", "missing", "failed"]].isna().any(axis=1)
        wrong |= (frame["count"] > 0).fillna(False) & frame[["mean", "min", "max"]].isna().any(axis=1)
        _refuse(wrong, path, "lacks a number of runs, or the mean, min and max of its runs")
        _refuse(frame.duplicated([*ENTRY, *columns & {BESIDE}]), path, "has the entry of a row above")
    elif columns >= {*_OF_RUNS, "key"}:
        _refuse(frame.duplicated("key") & (frame["key"] != ""), path, "has the key of a row above")


def _refuse(wrong: pd.Series, path: Path, label: str) -> None:
    if wrong.any():
        raise ValueError(f"{path}, row {int(wrong.to_numpy().argmax()) + 1}: {label}")


def _parquet(path: Path) -> pd.DataFrame:
    """Return what is in a Parquet file, all of it sound, unless a few bytes stand for very many rows."""
    import pyarrow.parquet as pq

    shape = pq.read_metadata(path)
    check_unpacked(path, 8 * shape.num_rows * shape.num_columns)
    table = pq.read_table(path)
    table.validate(full=True)  # texts that are no UTF-8 would else break whatever looks at them later
    return table.to_pandas()


def _texts(column: pd.Series) -> pd.Series:
    """Return a column as text; of failures an empty one is none."""
    if column.name == "failure":
        return column.replace("", None).astype("string")
    return column.fillna("").astype("str")


def _several(texts: list[str]) -> str:
    """Return the texts of several jobs in one: equal ones once, in front how many if they differ."""
    counts = {text: texts.count(text) for text in texts}
    if len(texts) == 1 or (len(counts) == 1 and not texts[0]):
        return texts[0]
    return " + ".join(f"{count}x {text}".rstrip() for text, count in counts.items())


def _problem(job: Job, config: Config) -> str:
    """Return class or intensity, and what else is not as by default."""
    words = [word for word in (job.section.replace("whole", ""), job.iterations) if word]
    if job.cpu_scale:
        words.append(f"cpu={job.cpu_scale:g}")
    if job.repeats > 1:
        words.append(f"repeats={job.repeats}")
    options = dict(job.options)
    if "problem_class" in options:
        words.insert(0, str(options.pop("problem_class")))
    size = options.get("bytes")
    if isinstance(size, int) and size % config.packet_bytes == 0 and size:
        words.append(f"packets={options.pop('bytes') // config.packet_bytes}")  # type: ignore[operator]
    known = APPLICATIONS[job.program].parameters if job.program in APPLICATIONS else {}
    shown = {name: value for name, value in options.items() if name == "bytes" or value != known.get(name)}
    return ",".join(words + [f"{name}={value}" for name, value in shown.items()])


def settings_of(config: Config) -> str:
    """Return the network settings that differ from the defaults, as the column ``settings`` has them."""
    values = {name: getattr(config, name) for name in SETTINGS}
    return ",".join(f"{name}={value}" for name, value in values.items() if value != SETTINGS[name].default)


def _settings(run: Run, several: Collection[str]) -> str:
    words = [word for word in (settings_of(run.config),) if word]
    if run.max_cycles is not None:
        words.append(f"max_cycles={run.max_cycles}")
    if run.network_seed is not None:
        words.append(f"network_seed={run.network_seed}")
    machine = machine_of_hosts(run.partition, run.network)
    now = revisions_of([job.mapping for job in run.jobs], run.partition, run.config, machine=machine)
    words += [f"older {name}" for name, number in now if dict(run.revisions).get(name) != number]
    words += [f"{name}={digest[:8]}" for name, digest in sorted(_digests(run)) if name in several]
    return ",".join(words)


def _measured(outcome: dict[str, Any] | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    return {
        **{name: outcome[name] for name in _WHOLE},
        "mean_packet_delay": outcome["packet_delay"]["mean"],
        "mean_message_delay": outcome["message_delay"]["mean"],
        "most_link_load": outcome["most_link_load"],
    }
