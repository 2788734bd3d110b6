"""The start of worker processes: by fork where that is safe, otherwise by spawn."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.stopping import held_back

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

_SAFE = "PYTHONSAFEPATH"  # a new interpreter looks for no module in the working folder


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
        with warnings.catch_warnings(), held_back():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork, by a count that differs
            yield
    finally:
        if before is None:
            del os.environ[_SAFE]
        else:
            os.environ[_SAFE] = before
