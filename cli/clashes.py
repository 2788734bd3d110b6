"""Files that a command line names twice: what is read, or written by another flag, is not overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rich_click as click

__all__ = ["WRITTEN", "FilesCommand"]

# The flags that name what is written; a store is read as well.
WRITTEN = (
    "-o", "--write", "--matrix", "--csv", "--parquet", "--rows", "--timeline", "--record-messages", "--plot",
    "--output",
)  # fmt: skip
_STORE = "--store"


class FilesCommand(click.RichCommand):
    """A command that refuses to write over what it reads, or two things into one file."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        refuse_clashes(ctx)
        return super().invoke(ctx)


def refuse_clashes(context: click.Context) -> None:
    """Check that no file that a command writes is named a second time.

    Raises
    ------
    ValueError
        If one is, naming both flags.
    """
    named = list(_named(context))
    for place, (flag, text) in enumerate(named):
        for other, its in [*named[:place], *named[place + 1 :]]:
            beside_store = flag == _STORE and other not in WRITTEN
            if flag in (*WRITTEN, _STORE) and not beside_store and _may_be(its, Path(text)):
                does = "writes" if other in (*WRITTEN, _STORE) else "reads"
                raise ValueError(f"{flag} {text}: is what {other} {does}, expected another file")


def _named(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield flag, or name of the argument, and text of all that was given."""
    for parameter in context.command.get_params(context):
        flag = max(parameter.opts, key=len) if isinstance(parameter, click.Option) else parameter.name or ""
        flag = next((word for word in parameter.opts if word in WRITTEN), flag)
        given = context.params.get(parameter.name or "")
        for value in given if isinstance(given, tuple | list) else [given]:
            if isinstance(value, str | Path) and str(value):
                yield flag, str(value)


def _may_be(text: str, path: Path) -> bool:
    """Tell whether a value, or its end as in ``file:a.csv``, names a file; folders and devices are shared."""
    parts = text.split(":")
    try:
        if path.exists() and not path.is_file():
            return False
        ends = {":".join(parts[place:]) for place in range(len(parts))} - {""}
        return path.resolve() in {Path(end).resolve() for end in ends}
    except (OSError, ValueError):
        return False
