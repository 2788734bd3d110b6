"""The schema of a store: plain tables of netplace, and nothing that runs a query."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from netplace.inputs import abbreviate
from netplace.version import FORMAT

APPLICATION = 0x6E706C63  # "nplc" in the header of the file says whose it is
CREATED = f"""
CREATE TABLE versions (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE simulations (
    key TEXT PRIMARY KEY, outcome TEXT, failure TEXT, cpu_seconds REAL NOT NULL,
    host TEXT NOT NULL, ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    versions INTEGER NOT NULL REFERENCES versions, checksum TEXT,
    CHECK ((outcome IS NULL) <> (failure IS NULL))
) WITHOUT ROWID;
CREATE TABLE runs (key TEXT PRIMARY KEY, simulation TEXT NOT NULL, run TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX runs_of_simulation ON runs (simulation);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
"""

_OWN = ("versions", "simulations", "runs")
_INDEX = "runs_of_simulation"


def fault_of_schema(database: sqlite3.Connection, tables: Iterable[str]) -> str | None:
    """Return what a database holds that no store has, such as views, which could run endless queries."""
    known = {*_OWN, *tables}
    for kind, name, sql in database.execute("SELECT type, name, sql FROM sqlite_master LIMIT 1000"):
        own = str(name).startswith("sqlite_") or name in (known if kind == "table" else (_INDEX,))
        plain = kind in ("table", "index") and not str(sql).upper().startswith("CREATE VIRTUAL")
        if not (own and plain):
            return f"holds the {kind} {abbreviate(name)}, expected only the tables of a store"
        computed = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 0"
        if kind == "table" and (column := database.execute(computed, (name,)).fetchone()):
            return f"computes the column {abbreviate(column[0])} of {name}, expected columns that hold values"
    return None
