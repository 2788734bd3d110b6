"""The kernel's compiled functions, kept on disk as machine code, so that a run need not load the compiler.

A function takes the address of the arrays' addresses, that of the settings, and a cycle. Numba compiles it;
its object code is kept in a file named by a digest of all that it depends on: sources, arrays, settings
known, versions, processor. LLVM alone loads it again. Where it cannot be kept, each process compiles it.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.checks.stopping import stopped_at_once
from netplace.netsim.kernel.digest import part_digest
from netplace.netsim.kernel.kept import alone, folder, keep, loaded

__all__ = ["Entry", "addressed", "entry", "interpreted"]

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_MAKERS = {  # module of the kernel and function that makes what is compiled
    "charging": ("loop", "charging"),
    "domains": ("domain_loop", "cycles"),
    "first-draws": ("loop", "first_draws"),
    "graph": ("graph_loop", "cycles"),
    "graph-charging": ("graph_loop", "charging"),
    "graph-domains": ("graph_domain_loop", "cycles"),
    "graph-first-draws": ("graph_loop", "first_draws"),
    "grids-and-trees": ("loop", "cycles"),
}


def interpreted() -> bool:
    """Tell whether the kernel runs as plain Python (``NUMBA_DISABLE_JIT=1``)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class Entry:
    """A function of the kernel, for settings of which some are known, and arrays of given kinds.

    Parameters
    ----------
    name : str
        Of the function.
    known : tuple of int
        Settings, in the order of their tuple; `OPEN` where they are not known.
    kinds : tuple of str
        Of the arrays' words.

    Attributes
    ----------
    compiled : bool
        Whether this process had to compile it.
    """

    def __init__(self, name: str, known: tuple[int, ...], kinds: tuple[str, ...]) -> None:
        self._of = name, known, kinds
        self._code: Callable[[Any, Any, int], int] | None = None
        self._alive: list[Any] = []  # what the code must not outlive
        self.compiled = False

    def __call__(self, state: Any, setting: Any, cycle: int) -> int:
        """Run the function; it is compiled, or read from disk, when it is first called."""
        return self.on(state, setting)(cycle)

    def on(self, state: Any, setting: Any) -> Callable[[int], int]:
        """Return the function for these arrays and settings: of the cycle alone."""
        code = self.load()
        if interpreted():

            def run_plain(cycle: int) -> int:
                with np.errstate(over="ignore"):  # the mixing of random draws wraps around, as it should
                    return int(code(state, setting, cycle))

            return run_plain
        arrays, settings = addressed(state), np.array(setting, np.int64)

        def run(cycle: int, alive: Any = (state, arrays, settings)) -> int:
            return int(code(arrays.ctypes.data, settings.ctypes.data, cycle))

        return run

    def load(self) -> Callable[[Any, Any, int], int]:
        """Compile the function, or read it from disk, unless that is done."""
        if self._code is None:
            self._code = _source(*self._of) if interpreted() else _SIGNATURE(self._address())
        return self._code

    def _address(self) -> int:
        """Return the address of the function's code."""
        path = _path(*self._of)
        if path is None:
            return self._compiled(None)
        with alone(path):  # others who need the same wait, and read it
            kept = loaded(path)
            if kept is None:
                return self._compiled(path)
        engine, address = kept
        self._alive.append(engine)
        return address

    def _compiled(self, path: Path | None) -> int:
        self.compiled = True
        with stopped_at_once():
            compiler = importlib.import_module("netplace.netsim.kernel.compiler")
            function, text, symbol = compiler.compile_entry(_source(*self._of))
            self._alive.append(function)
            if path is not None:
                keep(path, symbol, text)
        return int(function.address)


@cache
def entry(name: str, known: tuple[int, ...], kinds: tuple[str, ...]) -> Entry:
    """Return a function of the kernel; see `Entry`."""
    return Entry(name, known, kinds)


def addressed(state: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the addresses of arrays; they must stay alive while these are used."""
    return np.array([array.__array_interface__["data"][0] for array in state], np.int64)


def _source(name: str, known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return a function of the kernel, not compiled."""
    _, maker = _MAKERS[name]
    return getattr(importlib.import_module(_module(name)), maker)(known, kinds)


def _module(name: str) -> str:
    """Return the module that makes a function of the kernel."""
    return f"netplace.netsim.kernel.{_MAKERS[name][0]}"


def _path(name: str, known: tuple[int, ...], kinds: tuple[str, ...]) -> Path | None:
    """Return where machine code is kept; None where nothing can be."""
    place = folder()
    if place is None:
        return None
    return place / f"{name}-{part_digest(_module(name), repr((name, known, kinds)))}.kernel"
