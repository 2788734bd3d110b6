"""The end of a process: Ctrl-C and SIGTERM become one exception that cannot be swallowed for long.

Python runs a signal handler wherever the main thread is. In a callback from C, or in a finalizer, its
exception is ignored and the process would continue. The exception is therefore raised again, soon if this is
detected, and every few seconds until the process ends.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name))
_PR_SET_PDEATHSIG = 1  # of prctl(2)
_SOON, _AGAIN = 0.02, 5.0  # seconds until it is raised once more: where it was ignored, and in any case


class Stopped(BaseException):
    """The user or the system requests the end of the process."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.kept: list[str] = []

    @property
    def status(self) -> int:
        """Exit code, as shells count."""
        return 128 + self.number

    def sentence(self) -> str:
        """Return the event and the saved results in a sentence."""
        how = "interrupted" if self.number == signal.SIGINT else "stopped by SIGTERM"
        if not self.kept:
            return f"{how}; nothing is half-written, and nothing was saved"
        kept = " and ".join(self.kept)
        return f"{how}; finished results are saved in {kept}; repeat the command to resume"


@contextmanager
def signals_raised(*, last: bool = False) -> Iterator[None]:
    """Raise `Stopped` in the main thread at a signal; after a `last` block, signals are ignored."""
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
    """Let a worker process ignore Ctrl-C, which its parent handles, and end at SIGTERM or with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if sys.platform == "linux":
        _end_with_parent()


def _end_with_parent() -> None:
    """Have Linux kill this process when its parent dies: it would see that only after what it computes."""
    import ctypes
    from multiprocessing import parent_process

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = parent_process()
    if parent is not None and parent.pid != os.getppid():  # it died before
        os._exit(1)


@contextmanager
def held_back() -> Iterator[None]:
    """Defer signals while a process is forked, because it could receive them before it can handle them."""
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
