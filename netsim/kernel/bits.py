"""Bit masks: the lowest set bit, as one machine instruction."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

__all__ = ["inlined", "lowest", "outlined"]

# Helpers allocate nothing and their caller keeps all arrays alive, so reference counting is left out: it
# costs more than the work itself. The price is that a helper must never create an array.
inlined = njit(_nrt=False, forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
# For what is rare or called from several places: inlined there, it would only grow the loop.
outlined = njit(_nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)

if config.DISABLE_JIT:

    def lowest(mask: int) -> int:
        """Return the number of the lowest set bit of `mask`, which is not 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest(typing_context: Any, mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), emit
