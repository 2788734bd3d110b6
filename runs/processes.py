"""The start of worker processes, by fork where that is safe, otherwise by spawn, and their end."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

_SAFE = "PYTHONSAFEPATH"  # a new interpreter looks for no module in the working folder
_PR_SET_PDEATHSIG = 1  # of prctl(2)


def start_method() -> BaseContext:
    """Return the start method: ``fork`` from a single thread, which is fast, otherwise ``spawn``.

    The operating system counts the threads, because Python does not know those of libraries (BLAS, Arrow). A
    fork copies their locks without the threads, and a process that waits for such a lock waits forever or
    crashes.
    """
    import multiprocessing  # only several processes need it

    try:
        alone = sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        alone = False
    return multiprocessing.get_context("fork" if alone else "spawn")


@contextmanager
def starting() -> Iterator[None]:
    """Start processes in this block, with deferred signals and no modules from the working folder."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        with warnings.catch_warnings(), _signals_deferred():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork, by a count that differs
            yield
    finally:
        if before is None:
            del os.environ[_SAFE]
        else:
            os.environ[_SAFE] = before


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer signals, which a process that is forked could receive before it can handle them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_signals_to_parent() -> None:
    """Let a worker process ignore Ctrl-C, which its parent handles, and end at SIGTERM or with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
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
