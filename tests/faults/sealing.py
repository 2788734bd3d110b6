"""What is done to results so that their checksums still hold: as somebody would who can compute them too."""

import json
import sqlite3
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from netplace.checks.csv_cells import SEAL
from netplace.checks.results_file import results_text
from netplace.extensions import file_digest
from netplace.runs.schedule_folder import FIGURES
from netplace.runs.store_rows import checksum

__all__ = ["seal_anew", "seal_rows", "unseal"]

Rng = np.random.Generator
_HEAD = ("netplace", "version", "checksum")
_OUTCOMES = ("schedules", "loads", "mappings", "configurations")
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2.5, -0.0, 1e308, 2**31, 2**62, 2**63, 10**40, "", "x", "4", "a" * 5000, "[/x]",
    "\x1b[2J",
    "torus:4x4", "mine.py:f", "/etc/passwd", "file:nodes.csv", [], [0], [[1, 2]], ["a"], {}, {"a": 1},
    [None] * 3,
)  # fmt: skip


def seal_anew(path: Path, rng: Rng) -> str:
    """Change values deep in a file of results,
    and let its checksums be right again; return what was changed."""
    if path.suffix == ".sqlite":
        return _change_row(path, rng)
    content = json.loads(path.read_text())
    head = {name: content.pop(name) for name in _HEAD if name in content}
    content, where = _change(content, rng)
    sealed = results_text(head["netplace"], head["version"], content) if head else json.dumps(content)
    path.write_text(sealed)
    return where


def seal_rows(path: Path) -> None:
    """Let the digest of rows of a schedule that were changed be right again, in the figures beside them."""
    figures = path.with_name(FIGURES)
    content = json.loads(figures.read_text()) | {"rows_digest": file_digest(path)}
    head = [content.pop(name) for name in _HEAD]
    figures.write_text(results_text(head[0], head[1], content))


def unseal(path: Path) -> None:
    """Take out of a table the last column, where that is its seal."""
    lines = path.read_text().splitlines()
    if lines[0].endswith(f",{SEAL}"):
        path.write_text("".join(f"{line.rpartition(',')[0]}\n" for line in lines))


def _change(value: Any, rng: Rng) -> tuple[Any, str]:
    """Put something else in one to three places of a value."""
    where = [_change_one(value, rng) for _ in range(int(rng.integers(1, 4)))]
    return value, " ".join(where)


def _change_one(value: Any, rng: Rng) -> str:
    """Go down to a random member, and change it, take it out, or put something beside it."""
    path = ""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return path
        key = keys[int(rng.integers(len(keys)))]
        path += f".{key}"
        if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.85:
            value = value[key]
            continue
        how = rng.random()
        if how < 0.15:
            del value[key]
        elif how < 0.25 and isinstance(value, dict):
            value[str(VALUES[int(rng.integers(len(VALUES)))])[:50]] = value[key]
        else:
            value[key] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])
        return path


def _change_row(path: Path, rng: Rng) -> str:
    """Change a row of a random table of a store, and its checksum with it."""
    database = sqlite3.connect(path)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    filled = [name for name in ("simulations", *_OUTCOMES) if name in tables]
    filled = [name for name in filled if database.execute(f"SELECT 1 FROM {name}").fetchone()]
    if not filled:
        return "nothing"
    table = filled[int(rng.integers(len(filled)))]
    first = "outcome" if table == "simulations" else "plan"
    second = "failure" if table == "simulations" else "outcome"
    rows = database.execute(f"SELECT key, {first}, {second} FROM {table} ORDER BY key").fetchall()
    key, *texts = rows[int(rng.integers(len(rows)))]
    place = int(rng.integers(2)) if table != "simulations" else 0
    if texts[place] is None:
        return "nothing"
    content, where = _change(json.loads(texts[place]), rng)
    texts[place] = json.dumps(content)
    database.execute(
        f"UPDATE {table} SET {first} = ?, {second} = ?, checksum = ? WHERE key = ?",
        (*texts, checksum(key, *texts), key),
    )
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return f"{table}{where}"
