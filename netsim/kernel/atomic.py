"""Words that threads share: read, written and added to so that each sees what the others did before.

Also what a thread does that waits for another: a hint to the processor, and calls of the C library that let
others run.
"""

from __future__ import annotations

import platform
import threading
import time
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["add_atomically", "let_others_run", "read_shared", "relax", "write_shared"]

if config.DISABLE_JIT:
    _ALONE = threading.Lock()

    def read_shared(array: Any, index: int) -> int:
        """Return a word, and see all that its writer did before."""
        return int(array[index])

    def write_shared(array: Any, index: int, value: int) -> None:
        """Write a word; whoever reads it sees all that this thread did before."""
        array[index] = value

    def add_atomically(array: Any, index: int, value: int) -> int:
        """Add to a word that others add to, and return what it is then."""
        with _ALONE:
            array[index] += value
            return int(array[index])

    def relax() -> None:
        """Tell the processor that this thread waits for another."""

    def let_others_run(address: int, argument: int) -> None:
        """Call a C function of one integer, by which a thread sleeps or gives way."""
        time.sleep(0)

else:
    _I64, _I32 = ir.IntType(64), ir.IntType(32)
    _HINT: dict[str, tuple[str, tuple[int, ...]]] = {  # by processor: LLVM's name of it, and arguments
        "x86_64": ("llvm.x86.sse2.pause", ()),
        "amd64": ("llvm.x86.sse2.pause", ()),
        "aarch64": ("llvm.aarch64.hint", (1,)),
        "arm64": ("llvm.aarch64.hint", (1,)),
    }

    @intrinsic
    def read_shared(typing_context: Any, array: Any, index: Any) -> Any:
        """Return a word, and see all that its writer did before."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load_atomic(builder.gep(arguments[0], [arguments[1]]), "acquire", 8)

        return types.int64(array, types.int64), emit

    @intrinsic
    def write_shared(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        """Write a word; whoever reads it sees all that this thread did before."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store_atomic(arguments[2], builder.gep(arguments[0], [arguments[1]]), "release", 8)
            return context.get_dummy_value()

        return types.none(array, types.int64, types.int64), emit

    @intrinsic
    def add_atomically(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        """Add to a word that others add to, and return what it is then."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = builder.gep(arguments[0], [arguments[1]])
            before = builder.atomic_rmw("add", address, arguments[2], "acq_rel")
            return builder.add(before, arguments[2])

        return types.int64(array, types.int64, types.int64), emit

    @intrinsic
    def relax(typing_context: Any) -> Any:
        """Tell the processor that this thread waits for another."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            name, numbers = _HINT.get(platform.machine().lower(), ("", ()))
            if name:
                kind = ir.FunctionType(ir.VoidType(), [_I32] * len(numbers))
                hint = cgutils.get_or_insert_function(builder.module, kind, name)
                builder.call(hint, [ir.Constant(_I32, number) for number in numbers])
            return context.get_dummy_value()

        return types.none(), emit

    @intrinsic
    def let_others_run(typing_context: Any, address: Any, argument: Any) -> Any:
        """Call a C function of one integer, by which a thread sleeps or gives way."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.PointerType(ir.FunctionType(_I32, [_I32]))
            function = builder.inttoptr(arguments[0], kind)
            builder.call(function, [builder.trunc(arguments[1], _I32)])
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), emit
