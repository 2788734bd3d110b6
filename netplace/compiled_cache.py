"""Compiled code is kept on disk where that can be written; where nothing can, it is compiled every time."""

from __future__ import annotations

import os
import warnings

__all__ = ["compile_without_cache_if_need_be"]

_SWITCH = "enable_caching"  # of Numba's functions; called when they are made
_SAID = "NETPLACE_COMPILES_WITHOUT_CACHE"  # set for worker processes, so that it is said once


def _nothing() -> None:
    """Do nothing; stands for any function whose compiled code is to be kept."""


def compile_without_cache_if_need_be() -> None:
    """Let Numba compile without keeping anything, if neither the package nor the home can be written."""
    if os.access(os.path.dirname(__file__), os.W_OK):
        return
    from numba import njit
    from numba.core.dispatcher import Dispatcher

    try:
        njit(cache=True)(_nothing)
    except RuntimeError:  # no place to keep it
        setattr(Dispatcher, _SWITCH, lambda self: None)
        if _SAID not in os.environ:
            os.environ[_SAID] = "1"
            warnings.warn(
                "compiled code cannot be kept, neither beside netplace nor in the home, so every start takes "
                "as long as the first; set NUMBA_CACHE_DIR to a directory that can be written",
                RuntimeWarning,
                stacklevel=3,
            )
