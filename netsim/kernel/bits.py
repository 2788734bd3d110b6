"""What the kernel needs below NumPy: the lowest set bit as one instruction, and arrays as bare pointers.

Compiled access to a NumPy array checks for negative indices, which costs a quarter of the kernel's time, and
an array counts its references and travels as seven words. Inside the loop arrays are therefore pointers.
Nothing checks an index: run with ``NUMBA_DISABLE_JIT=1``, where they stay arrays, to find a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache
from typing import Any

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic, overload

from netplace.netsim.kernel.constants import OPEN

__all__ = [
    "bare",
    "by_state",
    "fetch",
    "inlined",
    "lowest",
    "outlined",
    "settled",
    "spliced",
    "where",
    "wide",
]

_I64 = ir.IntType(64)

inlined = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
# For what is large and stands in one place: put there before types are inferred, it is compiled once only.
spliced = njit(inline="always", error_model="numpy")
# For what is rare or called from several places: inlined there, it would only grow the loop.
outlined = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)

# What comes out of an array of short words, before it goes to a function: that is compiled for one kind only.
wide: Any = int if config.DISABLE_JIT else types.int64

if config.DISABLE_JIT:

    def lowest(mask: int) -> int:
        """Return the number of the lowest set bit of `mask`, which is not 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def bare(kinds: tuple[str, ...], of: type[Any], views: Mapping[str, str] | None = None) -> Any:
        """Return what takes a named tuple of arrays as it is."""
        return lambda arrays: arrays

    def fetch(array: Any, index: int) -> None:
        """Ask for a word that will be needed soon; nothing to do here."""

    def settled(known: tuple[int, ...], of: Any) -> Any:
        """Return what takes a named tuple of integers as it is."""
        return lambda given: given

    def by_state(functions: Mapping[type[Any], Any]) -> Any:
        """Return what calls the function of the kind of state that it is given."""

        def chosen(s: Any, *others: Any) -> Any:
            return functions[type(s)](s, *others)

        return chosen

    def where(**values: Container[int]) -> Callable[[Any], Any]:
        """Return a decorator of a function that is called only if settings have one of such values."""
        return lambda function: function

else:

    def by_state(functions: Mapping[type[Any], Any]) -> Any:
        """Return what calls the compiled function of the kind of state that it is given."""

        def chosen(s: Any, *others: Any) -> Any:
            raise NotImplementedError

        @overload(chosen, jit_options={"forceinline": True, "error_model": "numpy"}, strict=False)
        def choose(s: Any, *others: Any) -> Any:
            return functions[s.instance_class].py_func

        return chosen

    def where(**values: Container[int]) -> Callable[[Any], Any]:
        """Return a decorator of a function that is called only if settings have one of such values.

        Where settings are known that have others, nothing of it is compiled.
        """

        def decorate(function: Any) -> Any:
            def chosen(s: Any, u: Any, *others: Any) -> Any:
                raise NotImplementedError

            empty = _EMPTY[function.py_func.__annotations__["return"]]
            options = {
                name: function.targetoptions[name] for name in _OPTIONS if name in function.targetoptions
            }

            @overload(chosen, jit_options=options, strict=False)
            def choose(s: Any, u: Any, *others: Any) -> Any:
                known = u.instance_class.KNOWN
                possible = all(
                    known.get(name, OPEN) == OPEN or known[name] in values[name] for name in values
                )
                return function.py_func if possible else empty

            return chosen

        return decorate

    _OPTIONS = ("error_model", "forceinline", "no_cfunc_wrapper", "no_cpython_wrapper")
    _EMPTY: dict[str, Any] = {  # what stands for a function that is not called, by what it returns
        "None": lambda s, u, *others: None,
        "bool": lambda s, u, *others: False,
        "int": lambda s, u, *others: 0,
        "tuple[int, int]": lambda s, u, *others: (0, 0),
    }

    @cache
    def _knowing(known: tuple[int, ...], of: Any) -> Any:
        """Return a kind of settings of its own for what is known of them."""
        return type(of.__name__, (of,), {"KNOWN": dict(zip(of._fields, known, strict=True))})

    def _word(builder: Any, address: Any, n: int) -> Any:
        """Read the n-th word at an address."""
        return builder.load(builder.gep(address, [ir.Constant(_I64, n)]))

    def _named(members: Sequence[Any], of: type[Any]) -> Any:
        """Return Numba's type of a named tuple, with a short name: it is part of many others."""
        kind = types.NamedTuple(members, of)
        kind.name = of.__name__
        return kind

    def settled(known: tuple[int, ...], of: Any) -> Any:
        """Return what turns an address of integers into a named tuple, `known` ones as constants."""
        kind = _named([types.int64] * len(known), _knowing(known, of))

        @intrinsic
        def settings(typing_context: Any, address: Any) -> Any:
            def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return context.make_tuple(
                    builder,
                    kind,
                    [
                        _word(builder, arguments[0], n) if value == OPEN else ir.Constant(_I64, value)
                        for n, value in enumerate(known)
                    ],
                )

            return kind(address), emit

        return settings

    @intrinsic
    def lowest(typing_context: Any, mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), emit

    def bare(kinds: tuple[str, ...], of: type[Any], views: Mapping[str, str] | None = None) -> Any:
        """Return what turns an address of addresses into a named tuple of pointers to such words.

        `views` says which arrays are the memory of another, so that one pointer serves them all.
        """
        names: list[str] = list(of._fields)
        at = [names.index((views or {}).get(name, name)) for name in names]
        pointers = [types.CPointer(getattr(types, kind)) for kind in kinds]
        tuple_type = _named(pointers, of)

        @intrinsic
        def arrays(typing_context: Any, address: Any) -> Any:
            def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                words = [_word(builder, arguments[0], n) for n in range(len(pointers))]
                members = [
                    builder.inttoptr(words[n], context.get_value_type(kind))
                    for n, kind in zip(at, pointers, strict=True)
                ]
                return context.make_tuple(builder, tuple_type, members)

            return tuple_type(address), emit

        return arrays

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
