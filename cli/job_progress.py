"""How many jobs of a schedule have ended: a bar on a terminal, else a line from time to time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rich_click as click

from netplace.report.terminal.pulse import repeated
from netplace.report.terminal.quiet import is_quiet

_SOON, _PAUSE = 10.0, 60.0  # seconds until the first line, and between others


@contextmanager
def job_progress(jobs: int | None, what: str = "") -> Iterator[Callable[[int, float], None]]:
    """Show how many of `jobs` (None: unknown) have ended, also while one takes long."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    name, ended = f"{what}: jobs" if what else "jobs", 0
    shown = console.is_terminal and not is_quiet()
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        bar = progress.add_task(name, total=jobs)

        def tell(done: int, _: float) -> None:
            nonlocal ended
            ended = done
            progress.update(bar, completed=done)

        if console.is_terminal:
            yield tell
        else:
            total = "" if jobs is None else f" of {jobs:,}"

            def say(seconds: float) -> None:
                click.echo(f"{name}: {ended:,}{total} after {seconds:,.0f} s", err=True)

            with repeated(say, _SOON, _PAUSE):
                yield tell
