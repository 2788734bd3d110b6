"""No threads of OpenBLAS, which comes with NumPy: what netplace multiplies is small.

By default there is one for each core, which spins for 2**26 cycles of the processor before it sleeps: every
command would burn some 30 ms when NumPy is imported, and could not be forked. Sums would come out otherwise
on a machine with another number of cores. The variables count when the library is loaded. Programs that
netplace starts for the user get the environment that it was given itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["as_given", "one_thread"]

_SETTINGS = {"OPENBLAS_NUM_THREADS": "1"}


def one_thread() -> None:
    """Let libraries that are loaded from now on, here and in workers, start no threads of their own."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)


def as_given(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what `one_thread` adds."""
    return {name: value for name, value in environment.items() if _SETTINGS.get(name) != value}
