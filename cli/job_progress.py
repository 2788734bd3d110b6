"""A bar of how many jobs of a schedule have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["job_progress"]


@contextmanager
def job_progress(jobs: int | None) -> Iterator[Callable[[int, float], None]]:
    """Show on a terminal how many of `jobs` have ended; yield what is to be told of them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("jobs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("jobs", total=jobs)
        yield lambda done, _: progress.update(bar, completed=done)
