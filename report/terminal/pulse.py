"""Progress on stderr: lines from time to time while something long runs; nothing if silence is requested."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET = "NETPLACE_QUIET"


def is_quiet() -> bool:
    return bool(os.environ.get(QUIET))


_SOON = 5.0  # seconds within which it may end without a word
_PAUSE = {True: 0.5, False: 10.0}  # seconds between words: on a terminal, in one line, and elsewhere


@contextmanager
def pulse(what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that receives the progress: a number of `what`, such as ``"cycles"``."""
    terminal = sys.stderr.isatty()
    began, shown = time.monotonic(), 0
    due = began + _SOON

    def tell(count: int) -> None:
        nonlocal due, shown
        now = time.monotonic()
        if now < due or is_quiet():
            return
        due, line = now + _PAUSE[terminal], f"{count:,} {what} after {now - began:,.0f} s"
        sys.stderr.write(f"\r{line.ljust(shown)}" if terminal else f"{line}\n")
        sys.stderr.flush()
        shown = len(line)

    try:
        yield tell
    finally:
        if terminal and shown:
            sys.stderr.write(f"\r{' ' * shown}\r")
            sys.stderr.flush()


@contextmanager
def under_way(what: str) -> Iterator[None]:
    """Report from time to time that something without a measure of progress is under way."""

    def say(seconds: float) -> None:
        sys.stderr.write(f"{what}: running for {seconds:,.0f} s\n")
        sys.stderr.flush()

    with repeated(say, _SOON, 60.0):
        yield


@contextmanager
def repeated(say: Callable[[float], None], soon: float, pause: float) -> Iterator[None]:
    """Call a function from its own thread with the elapsed seconds, after `soon`, then every `pause`."""
    began, over = time.monotonic(), threading.Event()

    def repeat() -> None:
        due = soon
        while not over.wait(due):
            say(time.monotonic() - began)
            due = pause

    thread = threading.Thread(target=repeat, daemon=True)
    if not is_quiet():
        thread.start()
    try:
        yield
    finally:
        over.set()
        if thread.is_alive():
            thread.join()


_BETWEEN_LINES = 10.0  # seconds between lines


class Lines:
    """Writes a line on stderr every ten seconds, and one at the end, unless silence was requested."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = self._last = time.monotonic()

    def tell(self, done: int, total: int, failed: int = 0, *, last: bool = True) -> None:
        """Report how many have ended; the end is reported if `last` is set, or after a long time."""
        now = time.monotonic()
        due = now - self._last >= _BETWEEN_LINES
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
