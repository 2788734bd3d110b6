"""Errors that nobody meant, unlike those that netplace or a user's code raises on purpose."""

from __future__ import annotations

import dis
import sys
from types import FrameType, TracebackType

__all__ = ["is_accident", "is_ours"]

_RAISE = dis.opmap["RAISE_VARARGS"]
_LIBRARIES = {
    *sys.stdlib_module_names,
    *("click", "distributed", "duckdb", "llvmlite", "matplotlib", "networkx", "numba", "numpy", "otf2"),
    *("pandas", "pyarrow", "rich", "rich_click", "scipy", "simpy"),
}


def is_ours(frame: FrameType) -> bool:
    """Return whether a frame runs code of netplace."""
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("netplace.")


def is_accident(error: Exception, trace: TracebackType | None) -> bool:
    """Return whether an error is none that a person would be told: nobody raised it for their sake.

    Parameters
    ----------
    error : Exception
        What was raised.
    trace : traceback or None
        Where, from the call that is asked about; None if that did not begin.
    """
    if isinstance(error, OSError | ImportError) or type(error).__module__.startswith("netplace."):
        return False
    if trace is None:  # Python's own sentence on names and numbers of arguments
        return "argument" not in str(error)
    while True:
        frame = trace.tb_frame
        if not is_ours(frame) and _root(frame) not in _LIBRARIES:
            return False  # code of the user's own, such as a rule
        if trace.tb_next is None:
            break
        trace = trace.tb_next
    if not is_ours(frame) or frame.f_code.co_code[trace.tb_lasti] != _RAISE:
        return True
    if isinstance(error, AssertionError):  # what `netplace.testing` says; elsewhere, a statement that failed
        return not frame.f_globals["__name__"].startswith("netplace.testing.")
    return isinstance(error, KeyError | IndexError | AttributeError | ArithmeticError)


def _root(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
