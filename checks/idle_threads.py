"""One thread for OpenBLAS, which NumPy includes: the matrices of netplace are small.

By default, it has one thread per core, which spins for 2**26 processor cycles before it sleeps: every command
would waste some 30 ms on the import of NumPy, and could not be forked. Sums would depend on the number of
cores. The variables take effect when the library is loaded. Programs that netplace starts for the user get
the original environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_SETTINGS = {"OPENBLAS_NUM_THREADS": "1"}


def one_thread() -> None:
    """Let libraries that are loaded from now on, here and in workers, start no threads."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)


def as_given(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the additions of `one_thread`."""
    return {name: value for name, value in environment.items() if _SETTINGS.get(name) != value}
