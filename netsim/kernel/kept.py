"""Machine code of the kernel on disk: where it is kept, how it is written, and read by LLVM alone."""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from netplace.checks.trusted import NO_LINK, read_trusted

try:
    import fcntl
except ImportError:  # Windows: who needs the same at the same time compiles it too
    fcntl = None  # type: ignore[assignment]

__all__ = ["alone", "folder", "keep", "loaded"]

_HERE = Path(__file__).parent
_PATIENCE = 300.0  # seconds for which another process is waited for that compiles the same
_DIGEST = 32  # bytes of a digest before the object code


@cache
def folder() -> Path | None:
    """Return a folder that can be written: Numba's if it is told, the package's, or the user's."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    for folder in [Path(named)] if named else [_HERE / "__pycache__", *_of_user()]:
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
def alone(path: Path) -> Iterator[None]:
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


def keep(path: Path, symbol: str, text: str) -> None:
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


def loaded(path: Path) -> tuple[Any, int] | None:
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
