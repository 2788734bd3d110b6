"""Functions compiled by Numba, whose code is kept on disk for as long as nothing in it has changed.

Numba renews kept code when the file of the function changes. But code holds that of the functions it calls
too, and the constants it names, which stand in other files: after an upgrade a mapping would be searched
with the prices of the version before. Here a function's code is kept with a digest of all that is in it.
Where nothing can be written, it is compiled every time.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile

from netplace.checks.trusted import check_owner

__all__ = ["njit"]

_SAID = "NETPLACE_COMPILES_WITHOUT_CACHE"  # set for worker processes, so that it is said once
_PLAIN = (bool, int, float, complex, str, bytes, np.generic)  # constants that compiled code may hold


def njit(*signature: str, cache: bool = False, **options: Any) -> Callable[[Any], Any]:
    """Return what compiles a function, as ``numba.njit``, but renews kept code when anything in it changed.

    Parameters
    ----------
    *signature : str
        Types for which the function is compiled at once; else it is when it is first called.
    cache : bool
        Whether its code is kept on disk.
    **options
        Of ``numba.njit``.
    """

    def made(function: Any) -> Any:
        compiled = numba.njit(**options)(function)
        if compiled is function:  # NUMBA_DISABLE_JIT
            return function
        if cache:
            _keep(compiled)
        if signature:
            compiled.compile(signature[0])
            compiled.disable_compile()
        return compiled

    return made


class _OwnFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Files of kept code, of which those of other users count as not there: reading them would run them."""

    def _load_index(self) -> Any:
        try:
            check_owner(self._index_path)
        except OSError:
            return {}
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        check_owner(self._data_path(name))
        return super()._load_data(name)


class _Kept(FunctionCache):  # type: ignore[misc]
    """Code of a function on disk, which is another's if anything that went into it is another."""

    _cache_file: Any

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self._function = function
        files = self._cache_file
        name = files._index_name.removesuffix(".nbi")
        self._cache_file = _OwnFiles(files._cache_path, name, files._source_stamp)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), digest(self._function))


def _keep(compiled: Any) -> None:
    """Keep a function's code on disk, if there is a place."""
    try:
        compiled._cache = _Kept(compiled.py_func)
    except RuntimeError:  # no place to keep it
        if _SAID not in os.environ:
            os.environ[_SAID] = "1"
            warnings.warn(
                "compiled code cannot be kept, neither beside netplace nor in the home, so every start takes "
                "as long as the first; set NUMBA_CACHE_DIR to a directory that can be written",
                RuntimeWarning,
                stacklevel=4,
            )


def digest(function: FunctionType) -> str:
    """Return a digest of the files of a function and of all it calls, and of the constants these name."""
    state = hashlib.sha256()
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        called = waiting.pop()
        if called in seen:
            continue
        seen.add(called)
        state.update(_text(called.__code__.co_filename))
        for name, value in _named(called):
            if hasattr(value, "py_func"):
                waiting.append(value.py_func)
            elif isinstance(value, type):
                state.update(repr((name, getattr(value, "_fields", None))).encode())  # a named tuple's
            elif isinstance(value, np.ndarray):
                state.update(repr((name, value.dtype, value.shape)).encode() + value.tobytes())
            elif _plain(value):
                state.update(repr((name, value)).encode())
    return state.hexdigest()


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Return what the code of a function names: globals, what it takes of modules, and what encloses it."""
    names = sorted(set(_names(function.__code__)))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, ModuleType) and value.__name__.partition(".")[0] != "numpy":
                yield from ((inner, vars(value)[inner]) for inner in names if inner in vars(value))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _plain(value: object) -> bool:
    """Tell whether a value is a constant that reads the same in every process."""
    return isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(map(_plain, value)))


def _names(code: CodeType) -> Iterator[str]:
    """Return the names in a function's code and in that of functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _text(file: str) -> bytes:
    """Return a digest of a file's text."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).digest()
    except OSError:  # a function that was typed in
        return b""
