"""Files of a site's rules in TOML, as docs/background/site.md shows one; times are in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from netplace.inputs import check_float, check_int
from netplace.runs.toml_lines import Check, check_flag, check_text, checked_table, in_file, line_of, read_toml
from netplace.scheduling.site_rules import Failures, JobQueue, Site, Window, read_outages


def read_site(path: str | Path) -> Site:
    path = Path(path)
    text, content = read_toml(path)
    given = checked_table(path, text, "", content, _TOP)
    failures = checked_table(path, text, "failures", given.pop("failures", {}), _FAILURES)
    if "file" in failures:
        failures["outages"] = read_outages(path.parent / failures.pop("file"))
    queues = [
        {"name": f"queue {place}"} | checked_table(path, text, f"queue.{place - 1}", queue, _QUEUE)
        for place, queue in enumerate(given.pop("queue", []), 1)
    ]
    windows = [
        {"name": f"{place}"} | checked_table(path, text, f"window.{place - 1}", window, _WINDOW)
        for place, window in enumerate(given.pop("window", []), 1)
    ]
    for place, window in enumerate(windows):
        if missing := [name for name in ("begin", "end") if name not in window]:
            line = line_of(text, f"window.{place}", "")
            raise ValueError(f"{path}, line {line}, window: has no {missing[0]}")
    with in_file(path):
        return Site(
            **given,
            queues=tuple(JobQueue(**queue) for queue in queues),
            windows=tuple(Window(**window) for window in windows),
            failures=Failures(**failures),
        )


def _tables(value: object, label: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise ValueError(f"{label} is not a list of tables, expected [[{label.rpartition(' ')[2]}]]")
    return value


def _table(value: object, label: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{label} is {value!r}, expected a table [{label.rpartition(' ')[2]}]")
    return value


def _numbers(value: object, label: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{label} is {value!r}, expected a list")
    return tuple(check_int(number, label, 0) for number in value)


_TOP: Mapping[str, Check] = {
    **dict.fromkeys(("order", "backfill"), check_text),
    **dict.fromkeys(("dependencies", "prediction"), check_flag),
    **dict.fromkeys(("queue", "window"), _tables),
    "half_life": partial(check_float, minimum=1e-9, maximum=1e15),
    "failures": _table,
}
_QUEUE: Mapping[str, Check] = {
    **dict.fromkeys(("most_nodes", "most_running", "most_per_user"), check_int),
    **dict.fromkeys(("most_seconds", "priority"), check_float),
    "name": check_text,
    "numbers": _numbers,
}
_WINDOW: Mapping[str, Check] = {
    "name": check_text, "begin": check_float, "end": check_float, "nodes": check_int
}  # fmt: skip
_FAILURES: Mapping[str, Check] = {
    **dict.fromkeys(("mean_between", "mean_repair"), partial(check_float, minimum=1e-9)),
    "file": check_text,
    "seed": partial(check_int, minimum=0),
}
