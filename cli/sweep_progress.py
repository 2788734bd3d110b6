"""How far many plans are, on stderr: a bar on a terminal, else a new line from time to time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from netplace.report.terminal.lines import Lines

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
