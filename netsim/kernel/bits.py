"""What the kernel needs below NumPy: the lowest set bit as one instruction, and arrays as bare pointers.

Compiled access to a NumPy array checks for negative indices, which costs a quarter of the kernel's time, and
an array counts its references and travels as seven words. Inside the loop arrays are therefore pointers.
Nothing checks an index: run with ``NUMBA_DISABLE_JIT=1``, where they stay arrays, to find a wrong one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

__all__ = ["OPEN", "bare", "fetch", "inlined", "lowest", "outlined", "settled", "spliced"]

_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])

OPEN = -(1 << 62)  # a setting that is not known when the kernel is compiled

inlined = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
# For what is large and stands in one place: put there before types are inferred, it is compiled once only.
spliced = njit(inline="always", error_model="numpy")
# For what is rare or called from several places: inlined there, it would only grow the loop.
outlined = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)

if config.DISABLE_JIT:

    def lowest(mask: int) -> int:
        """Return the number of the lowest set bit of `mask`, which is not 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def bare(arrays: _Arrays) -> _Arrays:
        """Return a named tuple of arrays as it is."""
        return arrays

    def fetch(array: Any, index: int) -> None:
        """Ask for a word that will be needed soon; nothing to do here."""

    def settled(given: _Arrays, known: tuple[int, ...]) -> _Arrays:
        """Return a named tuple of integers as it is."""
        return given

else:

    @intrinsic
    def settled(typing_context: Any, given: Any, known: Any) -> Any:
        """Return a named tuple of integers with those that are `known` as constants; others are `OPEN`."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given, known = arguments
            for n in range(len(signature.args[1])):
                constant = builder.extract_value(known, n)
                is_open = builder.icmp_signed("==", constant, ir.Constant(constant.type, OPEN))
                value = builder.select(is_open, builder.extract_value(given, n), constant)
                given = builder.insert_value(given, value, n)
            return given

        return given(given, known), emit

    @intrinsic
    def lowest(typing_context: Any, mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), emit

    @intrinsic
    def bare(typing_context: Any, arrays: Any) -> Any:
        """Return a named tuple of arrays as one of pointers; the caller keeps the arrays alive."""
        pointers = types.NamedTuple(
            [types.CPointer(kind.dtype) for kind in arrays.types], arrays.instance_class
        )

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            members = (builder.extract_value(arguments[0], n) for n in range(len(arrays.types)))
            data = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(arrays.types, members, strict=True)
            ]
            return context.make_tuple(builder, pointers, data)

        return pointers(arrays), emit

    @intrinsic
    def fetch(typing_context: Any, array: Any, index: Any) -> Any:
        """Bring the cache line of ``array[index]`` nearer, without waiting for it."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = builder.bitcast(
                builder.gep(arguments[0], [arguments[1]]), ir.PointerType(ir.IntType(8))
            )
            kind = ir.FunctionType(ir.VoidType(), [address.type, *[ir.IntType(32)] * 3])
            prefetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
            # for reading, into all levels of cache, as data
            builder.call(prefetch, [address, *(ir.Constant(ir.IntType(32), n) for n in (0, 3, 1))])
            return context.get_dummy_value()

        return types.none(array, types.int64), emit
