"""How the file of a store is opened: reading changes nothing on disk, and no journal is rolled back.

SQLite rolls a rollback journal back into the database beside it, also on behalf of a reader, and then
deletes the file that the journal names, wherever that is. Stores are in WAL mode and have none, so one that
lies beside a store is damage or forgery.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from netplace import files
from netplace.files import check_readable, draft_folder, input_file
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
PATIENCE = 60.0  # seconds to wait for another process that is writing

State = tuple[int, int]  # of a file: time of its last change, in nanoseconds, and bytes


def state_of(path: Path) -> State:
    """Return the time of the last change and the size of a file."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def open_to_read(path: Path) -> tuple[sqlite3.Connection, State | None]:
    """Return a store opened for reading alone, and the state that it must keep while it is read.

    Rows that were committed recently are in the write-ahead log, which several processes share by a third
    file. Without a log no process writes: the database is complete, is read without these files (which would
    be the reader's, and could lock the owner out), and must not change meanwhile.
    """
    input_file(path)
    if not path.is_file():
        raise ValueError(f"{path}: the store does not exist")
    if path.stat().st_size == 0:
        raise ValueError(
            f"{path}: is empty, probably because its command was killed at the start; repeat the command or "
            "delete the file"
        )
    _refuse_journal(path)
    state = state_of(path)
    log = Path(f"{path.resolve()}-wal")
    if not log.exists():
        return _connected(path, "mode=ro&immutable=1"), state
    shared = Path(f"{path.resolve()}-shm")
    if not shared.exists() and not os.access(shared.parent, os.W_OK):
        raise ValueError(
            f"{path}: the newest results are in {log}, which can only be read where files can be made; copy "
            "both files to a folder of yours"
        )
    return _connected(path, "mode=ro"), None


def open_to_write(path: Path) -> sqlite3.Connection:
    """Return a store opened for reading and writing; a new one is created."""
    check_readable(path)
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist")
    _refuse_journal(path)
    if not os.path.lexists(path):
        try:
            _create(path)
        except OSError as error:
            raise ValueError(f"{path}: cannot be created, {error.strerror}") from None
    if path.is_file() and not os.access(path, os.W_OK):
        raise ValueError(f"{path}: the store is read-only")
    return _connected(path, "mode=rw")


def _refuse_journal(path: Path) -> None:
    journal = f"{path.resolve()}-journal"  # SQLite looks beside the file that a link leads to
    if os.path.lexists(journal):
        raise ValueError(
            f"{path}: the rollback journal {journal} lies beside it, which no store has: SQLite would change "
            "or delete files that it names; delete it if you do not know where it comes from"
        )


def _connected(path: Path, how: str) -> sqlite3.Connection:
    """Return an open database in which no text may be longer than may be read."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", PATIENCE, uri=True)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, files.MOST_UNPACKED)
    database.execute("PRAGMA trusted_schema = OFF")
    if how != "mode=rw":
        database.execute("PRAGMA query_only = ON")
    return database


def _create(path: Path) -> None:
    """Create a store without rows, under a temporary name, so that it appears completely or not at all."""
    with draft_folder(path.parent) as folder:
        draft = folder / path.name
        database = sqlite3.connect(draft)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(f"BEGIN;{CREATED}COMMIT;")
        finally:
            database.close()
        try:
            os.link(draft, path)
        except FileExistsError:  # another process was faster
            return
        except OSError:  # a file system without links
            draft.replace(path)
