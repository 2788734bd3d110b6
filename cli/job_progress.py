"""How many jobs of a schedule have ended: a bar on a terminal, else a line a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rich_click as click

__all__ = ["job_progress"]

_PAUSE = 60.0  # seconds between lines


@contextmanager
def job_progress(jobs: int | None, what: str = "") -> Iterator[Callable[[int, float], None]]:
    """Show how many of `jobs` have ended; yield what is to be told of them.

    Parameters
    ----------
    jobs : int or None
        How many there are; None: not known.
    what : str
        Of what they are, for people.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    name = f"{what}: jobs" if what else "jobs"
    began = last = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(name, total=jobs)

        def tell(done: int, _: float) -> None:
            nonlocal last
            progress.update(bar, completed=done)
            now = time.monotonic()
            if not console.is_terminal and now - last >= _PAUSE:
                last = now
                total = "" if jobs is None else f" of {jobs:,}"
                click.echo(f"{name}: {done:,}{total} after {(now - began) / 60:,.0f} min", err=True)

        yield tell
