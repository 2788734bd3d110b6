"""Progress of commands that execute many plans, or schedule many jobs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import rich_click as click

from netplace.report.terminal.pulse import Lines, is_quiet, repeated

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from netplace.runs.campaign import Progress


class SweepProgress:
    """Shows the progress that it is called with; a context manager."""

    def __init__(self, what: str = "runs", shown: bool = True) -> None:
        self._what = what
        self._shown = shown
        self._lines = Lines(what)
        self._bar: Bar | None = None

    def __enter__(self) -> SweepProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        if not self._shown:
            return
        if sys.stderr.isatty():
            self._draw(progress)
        else:
            self._lines.tell(progress.done, progress.total, progress.failed)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from netplace.report.terminal.screen import progress_bar

            self._bar = progress_bar()
            self._bar.start()
            self._bar.add_task(self._what, total=progress.total)
        what = f"{self._what}, {progress.failed} failed" if progress.failed else self._what
        [task] = self._bar.task_ids
        self._bar.update(task, total=progress.total, completed=progress.done, description=what)


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
