"""What the kernel needs below NumPy: the lowest set bit as one instruction, and arrays as bare pointers.

Compiled access to a NumPy array checks for negative indices, which costs a quarter of the kernel's time, and
an array counts its references and travels as seven words. Inside the loop arrays are therefore pointers.
Nothing checks an index: run with ``NUMBA_DISABLE_JIT=1``, where they stay arrays, to find a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, overload, register_model

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

    class _Member(NamedTuple):
        """A word of a record: of which type, where, and which if that is known."""

        kind: Any
        place: int
        known: int = OPEN

    @cache
    def _knowing(known: tuple[int, ...], of: Any) -> Any:
        """Return a kind of settings of its own for what is known of them."""
        return type(of.__name__, (of,), {"KNOWN": dict(zip(of._fields, known, strict=True))})

    def _word(builder: Any, address: Any, n: int) -> Any:
        """Read the n-th word at an address."""
        return builder.load(builder.gep(address, [ir.Constant(_I64, n)]))

    class _Record(types.Type):  # type: ignore[misc]
        """Named words at an address, integers of which some are known, or pointers.

        A function is given the address alone. A tuple would travel as some seventy values from each function
        to the next, and take half as much time again to compile.
        """

        def __init__(self, of: type[Any], words: Mapping[str, _Member]) -> None:
            self.instance_class = of
            self.words = words
            super().__init__(of.__name__)

        @property
        def key(self) -> Any:
            return self.instance_class, tuple(self.words.values())

    @register_model(_Record)
    class _RecordModel(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.PointerType(_I64))

    @infer_getattr
    class _RecordFields(AttributeTemplate):  # type: ignore[misc]
        key = _Record

        def generic_resolve(self, kind: Any, name: str) -> Any:
            return kind.words[name].kind if name in kind.words else None

    @lower_getattr_generic(_Record)
    def _read(context: Any, builder: Any, kind: Any, address: Any, name: str) -> Any:
        """Return a word by its name, a constant if it is known."""
        member = kind.words[name]
        if member.known != OPEN:
            return ir.Constant(_I64, member.known)
        word = _word(builder, address, member.place)
        if member.kind is types.int64:
            return word
        return builder.inttoptr(word, context.get_value_type(member.kind))

    def _record_at(kind: Any) -> Any:
        """Return what takes the words at an address as such a record.

        It is a copy that nothing else can reach. So LLVM knows that no store changes it, and what has been
        read of it need not be read again.
        """

        @intrinsic
        def record(typing_context: Any, address: Any) -> Any:
            def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                copy = cgutils.alloca_once(builder, _I64, size=len(kind.words))
                for member in kind.words.values():
                    if member.known == OPEN:
                        word = _word(builder, arguments[0], member.place)
                        builder.store(word, builder.gep(copy, [ir.Constant(_I64, member.place)]))
                return copy

            return kind(address), emit

        return record

    def settled(known: tuple[int, ...], of: Any) -> Any:
        """Return what turns an address of integers into a record of them, `known` ones as constants."""
        words = {name: _Member(types.int64, n, known[n]) for n, name in enumerate(of._fields)}
        return _record_at(_Record(_knowing(known, of), words))

    @intrinsic
    def lowest(typing_context: Any, mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), emit

    def bare(kinds: tuple[str, ...], of: type[Any], views: Mapping[str, str] | None = None) -> Any:
        """Return what turns an address of addresses into a record of pointers to such words.

        `views` says which arrays are the memory of another, so that one pointer serves them all.
        """
        names: list[str] = list(of._fields)
        at = [names.index((views or {}).get(name, name)) for name in names]
        words = {
            name: _Member(types.CPointer(getattr(types, kind)), place)
            for name, kind, place in zip(names, kinds, at, strict=True)
        }
        return _record_at(_Record(of, words))

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
