"""How far many plans are, on stderr: a bar on a terminal, else a new line from time to time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from netplace.runs.campaign import Progress

__all__ = ["SweepProgress", "line_of"]

_PAUSE = 10.0  # seconds between lines


class SweepProgress:
    """Shows what it is called with; a context manager.

    Parameters
    ----------
    what : str
        What is carried out, for people.
    shown : bool
        Whether anything is shown.
    """

    def __init__(self, what: str = "runs", shown: bool = True) -> None:
        self._what = what
        self._shown = shown
        self._began = self._last = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> SweepProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far it is, how fast it goes and how long it will take."""
        if not self._shown:
            return
        now = time.monotonic()
        if sys.stderr.isatty():
            self._draw(progress)
        elif now - self._last >= _PAUSE or progress.done == progress.total:
            self._last = now
            click.echo(line_of(progress, now - self._began, self._what), err=True)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from netplace.report.terminal.screen import progress_bar

            self._bar = progress_bar()
            self._bar.start()
            self._bar.add_task(self._what, total=progress.total)
        what = f"{self._what}, {progress.failed} failed" if progress.failed else self._what
        [task] = self._bar.task_ids
        self._bar.update(task, total=progress.total, completed=progress.done, description=what)


def line_of(progress: Progress, seconds: float, what: str = "runs") -> str:
    """Return ``"40 of 200 runs, 1 failed, 8/s, 0:00:20 left"``."""
    text = f"{progress.done} of {progress.total} {what}"
    if progress.failed:
        text += f", {progress.failed} failed"
    if not progress.done or seconds <= 0:
        return text
    rate = progress.done / seconds
    left = round((progress.total - progress.done) / rate)
    return f"{text}, {rate:.3g}/s, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
