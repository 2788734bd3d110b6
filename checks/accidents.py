"""Unintended errors, unlike those that netplace or a user's code raises on purpose."""

from __future__ import annotations

import dis
import sys
from types import FrameType, TracebackType

_RAISE = dis.opmap["RAISE_VARARGS"]
_LIBRARIES = {
    *sys.stdlib_module_names,
    *("click", "distributed", "duckdb", "matplotlib", "networkx", "numpy", "otf2"),
    *("pandas", "pyarrow", "rich", "rich_click", "scipy", "simpy"),
}


def is_ours(frame: FrameType) -> bool:
    """Return whether a frame runs code of netplace."""
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("netplace.")


def is_accident(error: Exception, trace: TracebackType | None) -> bool:
    """Return whether an error is not an intended message to the user; `trace` begins at the call."""
    if isinstance(error, OSError | ImportError) or _root(type(error).__module__) not in _LIBRARIES:
        return False  # among them those of classes of netplace's, or the user's own
    if trace is None:  # Python's own sentence on names and numbers of arguments
        return "argument" not in str(error)
    while True:
        frame = trace.tb_frame
        if not is_ours(frame) and _root_of(frame) not in _LIBRARIES:
            return False  # code of the user's own, such as a rule
        if trace.tb_next is None:
            break
        trace = trace.tb_next
    if _root_of(frame) == "simpy" and isinstance(error.__cause__, Exception):  # which raises it once more
        return is_accident(error.__cause__, error.__cause__.__traceback__)
    if not is_ours(frame) or frame.f_code.co_code[trace.tb_lasti] != _RAISE:
        return True
    if isinstance(error, AssertionError):  # what `netplace.testing` says; elsewhere, a statement that failed
        return not frame.f_globals["__name__"].startswith("netplace.testing.")
    return isinstance(error, KeyError | IndexError | AttributeError | ArithmeticError)


def _root_of(frame: FrameType) -> str:
    return _root(frame.f_globals.get("__name__", ""))


def _root(module: str) -> str:
    return module.partition(".")[0]
