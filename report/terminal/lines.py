"""How far many things are, where stderr is no terminal: a new line from time to time."""

from __future__ import annotations

import sys
import time

from netplace.report.terminal.quiet import is_quiet

_PAUSE = 10.0  # seconds between lines


class Lines:
    """Writes a line on stderr every ten seconds, and one at the end, unless silence was requested."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = self._last = time.monotonic()

    def tell(self, done: int, total: int, failed: int = 0, *, last: bool = True) -> None:
        """Tell how many have ended; the end is told where `last` says so, or where it took long."""
        now = time.monotonic()
        due = now - self._last >= _PAUSE
        ended = done == total and (last or self._last > self._began)
        if (due or ended) and not is_quiet():
            self._last = now
            sys.stderr.write(line_of(done, total, failed, now - self._began, self._what) + "\n")
            sys.stderr.flush()


def line_of(done: int, total: int, failed: int, seconds: float, what: str = "runs") -> str:
    """Return ``"40 of 200 runs, 1 failed, 8/s, 0:00:20 left"``."""
    text = f"{done} of {total} {what}"
    if failed:
        text += f", {failed} failed"
    if not done or seconds <= 0:
        return text
    rate = done / seconds
    left = round((total - done) / rate)
    return f"{text}, {rate:.3g}/s, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
