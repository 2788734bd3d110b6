"""Traces written as text, and what is read of them as text."""

from pathlib import Path
from typing import Any

from netplace.apps import Program
from netplace.apps.formats import read


def read_text(path: Path, text: str, **options: Any) -> Program:
    """Return the program of a trace with some text, which is written first."""
    path.write_text(text)
    return read(path, **options)


def listing(program: Program, task: int) -> list[str]:
    """Return the operations of a task as short texts."""
    return [str(operation) for operation in program.operations(task)]
