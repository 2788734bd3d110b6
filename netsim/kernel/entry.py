"""The kernel's compiled functions, kept on disk as machine code, so that a run need not load the compiler.

A function takes the address of the arrays' addresses, that of the settings, and a cycle. Numba compiles it;
its object code is kept in a file named by a digest of all that it depends on: sources, arrays, settings
known, versions, processor. LLVM alone loads it again. Where it cannot be kept, each process compiles it.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from netplace.checks.stopping import stopped_at_once
from netplace.checks.trusted import NO_LINK, read_trusted

try:
    import fcntl
except ImportError:  # Windows: who needs the same at the same time compiles it too
    fcntl = None  # type: ignore[assignment]

__all__ = ["IDLE", "JOB_ENDED", "OPEN", "REACHED", "ROOM", "Entry", "addressed", "entry", "interpreted"]

OPEN = -(1 << 62)  # a setting that is not known when the kernel is compiled
REACHED, JOB_ENDED, IDLE = 0, 1, 2  # as netsim.engine.Exit
ROOM = 3  # more messages may begin in the next cycle than there are entries for
_PATIENCE = 300.0  # seconds for which another process is waited for that compiles the same
_DIGEST = 32  # bytes of a digest before the object code
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_HERE = Path(__file__).parent
_MAKERS = {  # module of the kernel and function that makes what is compiled
    "charging": ("loop", "charging"),
    "graph": ("graph_loop", "cycles"),
    "graph-domains": ("graph_domain_loop", "cycles"),
    "graph-charging": ("graph_loop", "charging"),
    "graph-sowing": ("graph_loop", "sowing"),
    "domains": ("domain_loop", "cycles"),
    "grids-and-trees": ("loop", "cycles"),
    "sowing": ("loop", "sowing"),
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
            return lambda cycle: int(code(state, setting, cycle))
        arrays, settings = addressed(state), np.array(setting, np.int64)

        def run(cycle: int, alive: Any = (state, arrays, settings)) -> int:
            return int(code(arrays.ctypes.data, settings.ctypes.data, cycle))

        return run

    def load(self) -> Callable[[Any, Any, int], int]:
        """Compile the function, or read it from disk, unless that is done."""
        if self._code is None:
            self._code = _source(*self._of) if interpreted() else _SIGNATURE(self._found())
        return self._code

    def _found(self) -> int:
        """Return the address of the function's code."""
        path = _path(self._of)
        if path is None:
            return self._compiled(None)
        with _alone(path):  # others who need the same wait, and read it
            kept = _loaded(path)
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
                _keep(path, symbol, text)
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
    module, maker = _MAKERS[name]
    return getattr(importlib.import_module(f"netplace.netsim.kernel.{module}"), maker)(known, kinds)


# --- machine code on disk -------------------------------------------------------------------------


@cache
def _surroundings() -> bytes:
    """Return all that machine code depends on beside what is compiled."""
    files = [*sorted(_HERE.glob("*.py")), _HERE.parent / "chance.py", _HERE.parent / "delays.py"]
    sources = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    target = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return repr((sources, version("numba"), llvm.llvm_version_info, sys.version_info[:2], target)).encode()


def _path(of: tuple[str, tuple[int, ...], tuple[str, ...]]) -> Path | None:
    """Return where machine code is kept; None where nothing can be."""
    folder = _folder()
    digest = hashlib.sha256(_surroundings() + repr(of).encode()).hexdigest()[:24]
    return None if folder is None else folder / f"{of[0]}-{digest}.kernel"


@cache
def _folder() -> Path | None:
    """Return a folder that can be written: Numba's if it is told, the package's, or the user's."""
    told = os.environ.get("NUMBA_CACHE_DIR")
    for folder in [Path(told)] if told else [_HERE / "__pycache__", *_of_user()]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def _of_user() -> list[Path]:
    """Return the user's folder of caches, if there is one: in a container a user may have no home."""
    try:
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "netplace"]
    except RuntimeError:
        return []


def _machine() -> Any:
    """Return LLVM's description of this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
        jit=True,
    )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time be here for a file, where that can be had.

    In a folder that others can write, the lock may be a link to any file: it is not followed, nor emptied.
    """
    try:
        lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | NO_LINK, 0o644)
    except OSError:
        yield
        return
    try:
        _wait_for(lock)
        yield
    finally:
        os.close(lock)


def _wait_for(lock: int) -> None:
    """Wait for a lock, but not for ever for somebody who holds it and compiles nothing."""
    end = time.monotonic() + _PATIENCE
    while fcntl is not None and time.monotonic() < end:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:
            return
        else:
            return


def _keep(path: Path, symbol: str, text: str) -> None:
    """Write the machine code of LLVM's text of a function, unless it needs more than LLVM can find."""
    module = llvm.parse_assembly(text)
    needed = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    if not all(llvm.address_of_symbol(name) for name in needed):
        return
    code = "\n".join([symbol, *needed, ""]).encode() + b"\0" + _machine().emit_object(module)
    try:
        handle, draft = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".draft", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.chmod(draft, 0o644)
            os.replace(draft, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft)
    except OSError:
        return


def _loaded(path: Path) -> tuple[Any, int] | None:
    """Return the machine code of a file and the function's address, or None if there is none of use."""
    try:
        content = read_trusted(path)
    except OSError:
        return None
    code = content[_DIGEST:]
    if hashlib.sha256(code).digest() != content[:_DIGEST]:
        return None
    head, code = code.split(b"\0", 1)
    symbol, *needed = head.decode().split()
    if not all(llvm.address_of_symbol(name) for name in needed):
        return None
    on_arm = platform.machine().lower() in ("arm64", "aarch64")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(), use_lmm=on_arm)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(symbol)
