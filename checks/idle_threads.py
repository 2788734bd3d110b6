"""Threads of OpenBLAS, which comes with NumPy, sleep as soon as they have nothing to do.

By default each spins for 2**26 cycles of the processor first, so that every command would burn some 30 ms
when NumPy is imported. The variable counts when the library is loaded. Programs that netplace starts for the
user get the environment that it was given itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["as_given", "sleep_at_once"]

_SPINNING = "OPENBLAS_THREAD_TIMEOUT"  # binary logarithm of the cycles
_LEAST = "4"


def sleep_at_once() -> None:
    """Let threads of libraries that are loaded from now on, here and in workers, sleep at once."""
    os.environ.setdefault(_SPINNING, _LEAST)


def as_given(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what `sleep_at_once` adds."""
    return {name: value for name, value in environment.items() if (name, value) != (_SPINNING, _LEAST)}
