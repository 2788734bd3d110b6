"""Files of a site's rules in TOML; every key is optional, and times are in seconds.

::

    order = "fair-share"          # submission, largest, shortest, fair-share
    half_life = 86400
    backfill = "easy"             # none, easy, conservative
    dependencies = true
    prediction = true

    [[queue]]
    name = "short"
    numbers = [1]
    most_seconds = 3600
    most_running = 20
    priority = 10

    [[window]]
    name = "maintenance"
    begin = 864000
    end = 871200

    [failures]
    mean_between = 2.6e6
    mean_repair = 7200
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from netplace.checks import check_choice, check_float, check_int
from netplace.runs.toml_lines import line_of, read_toml
from netplace.scheduling.site_rules import Failures, JobQueue, Site, Window, read_outages

_TOP = ("order", "half_life", "backfill", "dependencies", "prediction", "queue", "window", "failures")
_QUEUE = ("name", "numbers", "most_nodes", "most_seconds", "most_running", "most_per_user", "priority")
_WINDOW = ("name", "begin", "end", "nodes")
_FAILURES = ("file", "mean_between", "mean_repair", "seed")


def read_site(path: str | Path) -> Site:
    path = Path(path)
    text, said = read_toml(path)
    _names(path, text, "", said, _TOP)
    given: dict[str, Any] = {name: str(said[name]) for name in ("order", "backfill") if name in said}
    given |= {name: _flag(path, name, said[name]) for name in ("dependencies", "prediction") if name in said}
    if "half_life" in said:
        given["half_life"] = check_float(said["half_life"], f"{path}: half_life", 1e-9, 1e15)
    try:
        return Site(
            **given,
            queues=tuple(
                _queue(path, text, *numbered) for numbered in enumerate(_tables(path, said, "queue"))
            ),
            windows=tuple(
                _window(path, text, *numbered) for numbered in enumerate(_tables(path, said, "window"))
            ),
            failures=_failures(path, text, said.get("failures", {})),
        )
    except ValueError as error:
        sentence = str(error)
        raise ValueError(sentence if sentence.startswith(str(path)) else f"{path}: {sentence}") from None


def _names(path: Path, text: str, table: str, said: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in said:
        check_choice(name, known, f"{path}, line {line_of(text, table, name)}, key")


def _tables(path: Path, said: dict[str, Any], name: str) -> list[dict[str, Any]]:
    tables = said.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{path}: {name} is not a list of tables, expected [[{name}]]")
    return tables


def _flag(path: Path, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{path}: {name} is {value!r}, expected true or false")
    return value


def _queue(path: Path, text: str, place: int, said: dict[str, Any]) -> JobQueue:
    where = f"{path}, line {line_of(text, f'queue.{place}', '')}, queue"
    _names(path, text, f"queue.{place}", said, _QUEUE)
    numbers = said.get("numbers", [])
    if not isinstance(numbers, list):
        raise ValueError(f"{where}: numbers is {numbers!r}, expected a list")
    limits = {
        name: check_int(said[name], f"{where}: {name}")
        for name in ("most_nodes", "most_running", "most_per_user")
        if name in said
    }
    return JobQueue(
        name=str(said.get("name", f"queue {place + 1}")),
        numbers=tuple(check_int(number, f"{where}: numbers", 0) for number in numbers),
        most_seconds=check_float(said["most_seconds"], f"{where}: most_seconds", 0)
        if "most_seconds" in said
        else None,
        priority=check_float(said.get("priority", 0), f"{where}: priority"),
        **limits,
    )


def _window(path: Path, text: str, place: int, said: dict[str, Any]) -> Window:
    where = f"{path}, line {line_of(text, f'window.{place}', '')}, window"
    _names(path, text, f"window.{place}", said, _WINDOW)
    for name in ("begin", "end"):
        if name not in said:
            raise ValueError(f"{where}: has no {name}")
    return Window(
        name=str(said.get("name", f"{place + 1}")),
        begin=check_float(said["begin"], f"{where}: begin"),
        end=check_float(said["end"], f"{where}: end"),
        nodes=check_int(said["nodes"], f"{where}: nodes") if "nodes" in said else None,
    )


def _failures(path: Path, text: str, said: object) -> Failures:
    if not isinstance(said, dict):
        raise ValueError(f"{path}: failures is {said!r}, expected a table [failures]")
    _names(path, text, "failures", said, _FAILURES)
    where = f"{path}: failures"
    outages = read_outages(path.parent / str(said["file"])) if "file" in said else ()
    between = math.inf
    if "mean_between" in said:
        between = check_float(said["mean_between"], f"{where}: mean_between", 1e-9)
    repair = check_float(said.get("mean_repair", 3600.0), f"{where}: mean_repair", 1e-9)
    return Failures(outages, between, repair, check_int(said.get("seed", 0), f"{where}: seed", 0))
