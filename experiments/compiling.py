"""Tell the user when the kernel is being compiled, which happens once for an installation."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["load_engine"]


def load_engine(engine: str) -> None:
    """Make an engine ready: import it and have its kernel compiled, or loaded from the cache.

    Prints one line on stderr as soon as something must be compiled. Without this the first simulation of a
    process would be charged with the time.
    """
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
        from netsim import Network
        from topologies import parse

        if engine == "kernel":
            Network(parse("mesh:2")).advance(1)
