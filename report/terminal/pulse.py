"""How far one long thing is, told on stderr: nothing if it ends soon, else a line from time to time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from netplace.report.terminal.quiet import is_quiet

_SOON = 5.0  # seconds within which it may end without a word
_PAUSE = {True: 0.5, False: 10.0}  # seconds between words: on a terminal, in one line, and elsewhere


@contextmanager
def pulse(what: str) -> Iterator[Callable[[int], None]]:
    """Yield what is told how far it is, as often as may be: a number of `what`, such as ``"cycles"``."""
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
    """Tell from time to time that something is under way which does not tell how far it is."""

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
