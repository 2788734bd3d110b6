"""Files on a command line: none is written over what is read, or twice, and what is read ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.cli.help import HelpfulCommand
from netplace.cli.provenance import noted, provenance_beside
from netplace.files import check_readable

# The flags that name what is written; a store is read as well.
WRITTEN = (
    "-o", "--write", "--matrix", "--csv", "--latex",
    "--parquet", "--rows", "--timeline", "--record-messages", "--plot",
    "--output",
)  # fmt: skip
_STORE = "--store"


class FilesCommand(HelpfulCommand):
    """A command that knows its words, and writes neither over what it reads nor two things into one file."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context, which remembers how the outcome of the command is made."""
        with ExitStack() as stack:
            kept = stack.enter_context(noted(list(args)))
            context = super().make_context(info_name, args, parent, **extra)
            context.meta.update(kept)
            if not context.resilient_parsing:
                refuse_clashes(context)
            context.call_on_close(stack.pop_all().close)
        context.with_resource(
            provenance_beside([Path(text) for flag, text in _named(context) if flag in WRITTEN])
        )
        return context


def command(
    name: str, kind: type[HelpfulCommand] = FilesCommand, **more: Any
) -> Callable[[Any], click.Command]:
    """Return what makes a command of a function; its help ends with its examples."""
    return click.command(name, cls=kind, epilog=examples_of(name), **more)


def refuse_clashes(context: click.Context) -> None:
    """Check that a command names no output file twice, and that every input ends."""
    named = list(_named(context))
    for place, (flag, text) in enumerate(named):
        for end in _ends(text) if flag not in WRITTEN else ():
            check_readable(end)
        for other, its in [*named[:place], *named[place + 1 :]]:
            beside_store = flag == _STORE and other not in WRITTEN
            if flag in (*WRITTEN, _STORE) and not beside_store and _may_be(its, Path(text)):
                does = "writes" if other in (*WRITTEN, _STORE) else "reads"
                if does == "reads" and not Path(text).is_file():
                    continue  # `--app cg -o cg`: a word that names no file
                raise ValueError(f"{flag} {text}: {other} {does} this file too, expected another file")


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
    try:
        if path.exists() and not path.is_file():
            return False
        return path.resolve() in {Path(end).resolve() for end in _ends(text)}
    except (OSError, ValueError):
        return False


def _ends(text: str) -> set[str]:
    parts = text.split(":")
    return {":".join(parts[place:]) for place in range(len(parts))} - {""}
