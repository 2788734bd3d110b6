"""The number of ranks of a line-based trace: from its first line, from the user, or from the lines."""

from __future__ import annotations

import re

from netplace.apps.operation import MOST_TASKS

BY_LENGTH = "receives by length"  # what a comment in the first line says of a trace that has them so


def declaration(tasks: int) -> str:
    """Return the number of tasks as words for the comment in the first line."""
    return f"tasks {tasks}"


def declared(head: bytes) -> int | None:
    """Return the number of tasks in the first line of a file; None if it contains none."""
    said = re.match(rb"#[^\n]*\btasks (\d{1,9})\b", head)
    return int(said[1]) if said else None


def is_by_length_said(head: bytes) -> bool:
    """Return whether receives find their sends by length, according to the comment in the first line."""
    return re.match(rb"#(?:[^\n]*;)? " + BY_LENGTH.encode() + rb"; columns: ", head) is not None


def count_tasks(largest: int, said: int | None) -> int:
    """Return the number of tasks of a trace that names tasks up to `largest`."""
    tasks = largest + 1 if said is None else said
    if largest >= tasks:
        raise ValueError(f"task {largest} is too large, expected less than {tasks}, the number of tasks")
    if tasks > MOST_TASKS:
        raise ValueError(f"{tasks} tasks are too many, expected at most {MOST_TASKS}")
    return tasks
