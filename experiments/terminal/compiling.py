"""Tell the user when the kernel is being compiled, which happens once for an installation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["compilation_announced", "load_engine"]


@contextmanager
def compilation_announced() -> Iterator[None]:
    """Print one line on stderr as soon as something is compiled while the block runs."""
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]
        """Prints its line at the first compilation."""

        shown = False

        def on_start(self, _: Any) -> None:
            if not self.shown:
                self.shown = True
                print("compiling the kernel (once for this installation) ...", file=sys.stderr, flush=True)  # noqa: T201

        def on_end(self, _: Any) -> None:
            pass

    with event.install_listener("numba:compile", Notice()):
        yield


def load_engine(engine: str) -> None:
    """Make an engine ready: have its kernel compiled, or loaded from the cache.

    Without this the first simulation of a process would be charged with the time, and the workers of a pool
    would all compile at once.
    """
    from netplace.runs.execute import warm_up

    if engine == "kernel":
        warm_up()
