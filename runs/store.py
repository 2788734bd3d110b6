"""Stores of results, each in one SQLite file.

The table ``runs`` contains the requests, and ``simulations`` the results, with one row per simulation: if
nothing is random, the runs of all seeds share a row. Every row is written when its simulation ends (to a
write-ahead log), so a killed process loses only running simulations, and several processes can use a file at
the same time.

Outcomes of other plans are in one table per kind: ``schedules``, ``loads`` (points of latency-throughput
curves), ``mappings``, and ``configurations`` (metrics). Each table is created with its first row.

Every row has a checksum, or a key that serves as one, and is checked when it is read; a damaged or altered
row raises an error.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from netplace.json_files import check_format, json_text
from netplace.runs.chance import simulation_of
from netplace.runs.execute import Ended, Executed
from netplace.runs.spec import Run
from netplace.runs.store_files import (
    APPLICATION,
    CREATED,
    PATIENCE,
    State,
    open_to_read,
    open_to_write,
    state_of,
)
from netplace.runs.store_rows import (
    AlteredError,
    Ending,
    Verified,
    checksum,
    fault_of_each,
    read_run,
    read_schedule,
    read_simulation,
)

__all__ = ["TABLES", "Row", "Store", "has_rows"]

Outcome = dict[str, Any] | None
Row = tuple[Run, dict[str, Any] | None, str | None]

TABLES = ("schedules", "loads", "mappings", "configurations")  # of outcomes, by what their plans are
_MADE = (
    "CREATE TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY, plan TEXT NOT NULL, outcome TEXT NOT NULL, "
    "ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT) WITHOUT ROWID"
)
_SIMULATIONS = "SELECT key, outcome, failure, checksum FROM simulations"
_PLANS = "SELECT key, plan, outcome, checksum FROM "  # one of `TABLES`


class Store:
    """Runs and their results in an SQLite file; the store is a context manager.

    Parameters
    ----------
    path : str or Path
        The file. If it does not exist, it is created, unless `read_only`.
    read_only : bool
        Whether to open the file for reading only.

    Attributes
    ----------
    was_empty : bool
        Whether the file was empty, as it is after an interruption during its creation.
    """

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        self._read_only = read_only
        self._made = not read_only and not self.path.exists()
        self._pages_checked = False
        self.was_empty = self.path.is_file() and not has_rows(self.path)
        self._state: State | None = None  # of the file, if it is read without its log
        with self._explained():
            if read_only:
                self._database, self._state = open_to_read(self.path)
            else:
                self._database = open_to_write(self.path)
            try:
                self._check()
            except BaseException:
                self._database.close()
                raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, KeyboardInterrupt | SystemExit) and not self._read_only:
            error.add_note(f"finished results are saved in {self.path}; repeat the command to resume")
        unused = error is not None and self._made and self._is_unused()
        self.close()
        if unused:
            self.path.unlink(missing_ok=True)

    def _is_unused(self) -> bool:
        """Return whether nothing was stored, and no other process has the store open."""
        with suppress(sqlite3.Error):
            tables = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master")}
            rows = self._database.execute("SELECT 1 FROM runs UNION ALL SELECT 1 FROM simulations")
            if tables.isdisjoint(TABLES) and rows.fetchone() is None:
                # A store that others have open keeps its mode. (DELETE would make a journal for a moment.)
                mode = self._database.execute("PRAGMA journal_mode = MEMORY").fetchone()
                return bool(mode == ("memory",))
        return False

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def ask(self, runs: Iterable[Run]) -> None:
        """Record `runs` as requested, so that tables also show those that are missing."""
        rows = [(run.key, simulation_of(run).key, json.dumps(run.to_dict())) for run in runs]
        with self._explained(), self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO runs (key, simulation, run) VALUES (?, ?, ?)", rows
            )

    def keep_executed(self, executed: Iterable[Executed]) -> None:
        """Store the results of simulated runs."""
        taken = list(executed)
        self.ask(execution.run for execution in taken)
        self.keep_all((simulation_of(execution.run).key, execution.ended()) for execution in taken)

    def keep_all(self, results: Iterable[tuple[str, Ended]]) -> None:
        """Store the results of simulations by their keys, all or none, unless a result is already stored."""
        rows, versions = [], set()
        for key, ended in results:
            if ended.by_machine:
                raise ValueError(f"store: a failure of the machine is not a result: {ended.failure}")
            outcome = None if ended.outcome is None else json_text(ended.outcome)
            text = json.dumps(ended.versions, sort_keys=True)
            versions.add(text)
            check = checksum(key, outcome, ended.failure)
            rows.append((key, outcome, ended.failure, ended.cpu_seconds, ended.host, check, text))
        with self._explained(), self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO versions (text) VALUES (?)", [(text,) for text in sorted(versions)]
            )
            self._database.executemany(
                "INSERT OR IGNORE INTO simulations "
                "(key, outcome, failure, cpu_seconds, host, checksum, versions) "
                "SELECT ?, ?, ?, ?, ?, ?, number FROM versions WHERE text = ?",
                rows,
            )

    def has(self, key: str) -> bool:
        """Return whether the simulation `key` has ended, successfully or not."""
        return bool(self._fetch("SELECT 1 FROM simulations WHERE key = ?", key))

    def simulated(self) -> dict[str, bool]:
        """Return the keys of all simulations, each with whether it has an outcome."""
        rows = self._fetch("SELECT key, outcome IS NOT NULL FROM simulations")
        return {key: bool(well) for key, well in rows}

    def counts(self) -> tuple[int, int, int]:
        """Return how many runs, results, and outcomes of well ended ones there are."""
        [(runs,)] = self._fetch("SELECT count(*) FROM runs")
        [(ended, well)] = self._fetch("SELECT count(*), count(outcome) FROM simulations")
        return runs, ended, well

    def rows(self, runs: Sequence[Run] | None = None) -> Iterator[Row]:
        """Yield each requested run, with its outcome if there is one, and the reason if it failed.

        With `runs`, only these runs are yielded, in the given order; by default, all runs, in the order of
        their keys.
        """
        if runs is None:
            for row in self._fetch("SELECT key, simulation, run FROM runs ORDER BY key"):
                with self._explained():
                    run = read_run(*row)
                yield run, *self._ended(row[1])
            return
        for run in runs:
            yield run, *self._ended(simulation_of(run).key)

    def _ended(self, key: str) -> Ending:
        """Return the checked result of a simulation, or a pair of None."""
        with self._explained():
            for row in self._fetch(f"{_SIMULATIONS} WHERE key = ?", key):
                return read_simulation(*row)
        self._check_pages()
        return None, None

    def _check_pages(self) -> None:
        """Check once that a missing row is really missing, and not misplaced in a damaged file."""
        if self._pages_checked:
            return
        self._pages_checked = True
        for fault in self._faults_of_pages():
            raise ValueError(f"{self.path}: {fault}")

    def _faults_of_pages(self) -> list[str]:
        messages = [text for (text,) in self._fetch("PRAGMA integrity_check(20)")]
        return (
            [] if messages == ["ok"] else [f"is damaged: {' '.join(str(text).split())}" for text in messages]
        )

    def verify(self) -> Verified:
        """Check the file, and check every row against its checksum."""
        faults = self._faults_of_pages()
        queries: list[tuple[Callable[..., object], str]] = [
            (read_run, "SELECT key, simulation, run FROM runs"),
            (read_simulation, _SIMULATIONS),
        ]
        for table in filter(self._has, TABLES):
            queries.append((partial(read_schedule, label=table.removesuffix("s")), _PLANS + table))
        rows = 0
        for read, query in queries:
            records = self._fetch(query)
            rows += len(records)
            faults += fault_of_each(read, records)
        return Verified(rows, tuple(f"{self.path}: {fault}" for fault in faults))

    def forget(self, keys: Iterable[str]) -> None:
        """Remove those of the simulations `keys` that failed, so that they are executed again."""
        with self._explained(), self._database:
            self._database.executemany(
                "DELETE FROM simulations WHERE key = ? AND failure IS NOT NULL", [(key,) for key in keys]
            )

    def outcomes(self, table: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield every plan in one of `TABLES` with its outcome, in the order of their keys."""
        if not self._has(table):
            return
        for row in self._fetch(f"{_PLANS}{table} ORDER BY key"):
            with self._explained():
                plan = read_schedule(*row, label=table.removesuffix("s"))
            yield plan

    def keep_outcome(self, table: str, key: str, plan: dict[str, Any], outcome: dict[str, Any]) -> None:
        """Store the outcome of the plan `key` in one of `TABLES`, unless an outcome is already stored."""
        texts = json_text(plan), json_text(outcome)
        with self._explained(), self._database:
            self._database.execute(_MADE.format(table=table))
            self._database.execute(
                f"INSERT OR IGNORE INTO {table} (key, plan, outcome, checksum) VALUES (?, ?, ?, ?)",  # noqa: S608
                (key, *texts, checksum(key, *texts)),
            )

    def outcome(self, table: str, key: str) -> Outcome:
        """Return the outcome of the plan `key` in one of `TABLES`; None if there is none."""
        if not self._has(table):
            return None
        with self._explained():
            for row in self._fetch(f"{_PLANS}{table} WHERE key = ?", key):
                return read_schedule(*row, label=table.removesuffix("s"))[1]
        self._check_pages()
        return None

    def _has(self, table: str) -> bool:
        return bool(self._fetch("SELECT 1 FROM sqlite_master WHERE name = ?", table))

    def _check(self) -> None:
        """Check that the file is a store, and create the tables of a new one."""
        if not self._read_only:
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute("BEGIN IMMEDIATE")  # of two processes that make the file, one waits
        empty = not self._fetch("SELECT 1 FROM sqlite_master LIMIT 1")
        if empty and not self._read_only and self._pragma("application_id") == 0:
            for statement in CREATED.strip().split(";\n"):
                self._database.execute(statement)
        if not self._read_only:
            self._database.commit()
        if self._pragma("application_id") != APPLICATION:
            raise ValueError(f"{self.path}: is a database of another program, expected a store of netplace")
        check_format(str(self.path), self._pragma("user_version"))
        if not self._read_only and self._database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            self._database.execute("PRAGMA journal_mode = WAL")

    def _pragma(self, name: str) -> int:
        return int(self._fetch(f"PRAGMA {name}")[0][0])

    def _fetch(self, query: str, *values: str) -> list[Any]:
        """Return the rows of a query, read again if another process changed the file meanwhile."""
        while True:
            try:
                with self._explained():
                    rows = self._database.execute(query, values).fetchall()
            except ValueError:
                if not self._has_changed():
                    raise
            else:
                if not self._has_changed():
                    return rows
            self._database.close()
            self._database, self._state = open_to_read(self.path)

    def _has_changed(self) -> bool:
        return self._state is not None and state_of(self.path) != self._state

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.Error as error:
            reason = _REASONS.get(str(error), str(error))
            if re.search("no such (table|column)|has no column", reason):
                reason = f"is not as this netplace makes stores ({reason}); keep it for the one that made it"
            raise ValueError(f"{self.path}: {reason}") from error
        except AlteredError as error:
            raise ValueError(f"{self.path}: {error}; netplace table --verify shows what is wrong") from None


def has_rows(path: Path) -> bool:
    """Return whether a store may have contents; an interruption during its creation leaves an empty file."""
    return path.exists() and path.stat().st_size > 0


_REASONS = {
    "database or disk is full": "cannot be written, the disk is full; stored results are intact",
    "attempt to write a readonly database": "the store is read-only",
    "file is not a database": "is not a store of netplace",
    "unable to open database file": "cannot be opened",
    "database is locked": f"another process kept the store locked for {PATIENCE:.0f} s",
}
