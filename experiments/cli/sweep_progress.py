"""How far a sweep is, on stderr: a line that changes on a terminal, else a new one from time to time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from rich.status import Status

    from netplace.runs.campaign import Progress

__all__ = ["SweepProgress", "told"]

_PAUSE = 10.0  # seconds between lines


class SweepProgress:
    """Tells what it is called with; a context manager."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> SweepProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, progress: Progress) -> None:
        """Tell how far it is, how fast it goes and how long it will take."""
        now = time.monotonic()
        text = told(progress, now - self._began)
        if sys.stderr.isatty():
            if self._status is None:
                from rich.console import Console

                self._status = Console(stderr=True, highlight=False).status(text)
                self._status.start()
            self._status.update(text)
        elif now - self._last >= _PAUSE or progress.done == progress.total:
            self._last = now
            click.echo(text, err=True)


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
