"""How far a sweep is, on stderr: a bar on a terminal, else a new line from time to time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from netplace.runs.campaign import Progress

__all__ = ["SweepProgress", "told"]

_PAUSE = 10.0  # seconds between lines


class SweepProgress:
    """Tells what it is called with; a context manager."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> SweepProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Tell how far it is, how fast it goes and how long it will take."""
        now = time.monotonic()
        if sys.stderr.isatty():
            self._draw(progress)
        elif now - self._last >= _PAUSE or progress.done == progress.total:
            self._last = now
            click.echo(told(progress, now - self._began), err=True)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from netplace.report.terminal.screen import progress_bar

            self._bar = progress_bar()
            self._bar.start()
            self._bar.add_task("runs", total=progress.total)
        what = f"runs, {progress.failed} failed" if progress.failed else "runs"
        [task] = self._bar.task_ids
        self._bar.update(task, total=progress.total, completed=progress.done, description=what)


def told(progress: Progress, seconds: float) -> str:
    """Return ``"40 of 200 runs, 1 failed, 8/s, 0:00:20 left"``."""
    text = f"{progress.done} of {progress.total} runs"
    if progress.failed:
        text += f", {progress.failed} failed"
    if not progress.done or seconds <= 0:
        return text
    rate = progress.done / seconds
    left = round((progress.total - progress.done) / rate)
    return f"{text}, {rate:.3g}/s, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
