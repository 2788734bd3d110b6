"""How further processes are started."""

from __future__ import annotations

import sys
import threading

__all__ = ["forks"]


def forks() -> bool:
    """Tell whether a process may be forked: all is loaded then, but of threads only their locks."""
    return sys.platform == "linux" and threading.active_count() == 1
