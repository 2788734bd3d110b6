"""How a process is stopped: Ctrl-C and SIGTERM become one exception, which nothing swallows for long.

Python runs the handler of a signal wherever the main thread happens to be. In a callback from C, or while an
object is taken apart, what it raises is ignored and the process would go on. So it is raised again, soon
where that is seen, and every few seconds until the process ends.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["Stopped", "held_back", "left_to_parent", "signals_raised"]

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name))
_SOON, _AGAIN = 0.02, 5.0  # seconds until it is raised once more: where it was ignored, and in any case


class Stopped(BaseException):
    """The user, or the system, wants the process to end.

    Attributes
    ----------
    number : int
        The signal.
    kept : list of str
        Files in which what had ended is kept.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.kept: list[str] = []

    @property
    def status(self) -> int:
        """Exit code, as shells count."""
        return 128 + self.number

    def sentence(self) -> str:
        """Return what happened, and what is kept."""
        how = "interrupted" if self.number == signal.SIGINT else "ended by SIGTERM"
        if not self.kept:
            return f"{how}; nothing is left half-written, and nothing more was kept"
        kept = " and ".join(self.kept)
        return f"{how}; what has ended is kept in {kept}, the same command goes on from there"


@contextmanager
def signals_raised(*, last: bool = False) -> Iterator[None]:
    """Raise `Stopped` in the main thread when a signal comes, while the block runs.

    A signal that is ignored, as in the background of a shell, stays so. Where the block is the last thing
    that the process does, as `last` says, signals are ignored after it: what it made is there, and Python
    has only to end.
    """
    stopped: list[Stopped] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if not stopped:
            stopped.append(Stopped(number))
        _raise_again(_AGAIN)
        raise stopped[0]

    def ignored(what: Any) -> None:
        if isinstance(what.exc_value, Stopped):
            _raise_again(_SOON)
        else:
            hook(what)

    hook, sys.unraisablehook = sys.unraisablehook, ignored
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    if hasattr(signal, "SIGALRM"):
        before[signal.SIGALRM] = signal.signal(signal.SIGALRM, stop)
    try:
        yield
    except Exception as error:
        if stopped:  # which was ignored in a callback of a library's, so that the library failed
            raise stopped[0] from error
        raise
    finally:
        _raise_again(0)
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if last else handler)
        sys.unraisablehook = hook


def left_to_parent() -> None:
    """Let a worker process go on at Ctrl-C, which its parent hears too, and end at once at SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold signals back while a process is forked, which would else hear them before it knows what to do."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raise_again(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
