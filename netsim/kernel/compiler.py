"""Compiles a function of the kernel by Numba: needed once for an installation, see `entry`."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc, config, types

__all__ = ["compile_entry"]

_SYMBOL = "netplace_entry"
# What LLVM runs in place of Numba's wrapper, which needs Python: the function as Numba calls it.
_WRAPPER = """
define i64 @{symbol}(ptr %arrays, ptr %settings, i64 %cycle) {{
  %result = alloca i64
  %error = alloca ptr
  %code = call i32 @"{native}"(ptr %result, ptr %error, ptr %arrays, ptr %settings, i64 %cycle)
  %value = load i64, ptr %result
  ret i64 %value
}}
"""


def compile_entry(function: Any) -> tuple[Any, str, str]:
    """Return a function compiled, LLVM's text of what it is made of, and its name there."""
    words = types.CPointer(types.int64)
    with _scalar_code(), _no_collection():
        compiled = cfunc(types.int64(words, words, types.int64), error_model="numpy")(function)
    native = compiled.native_name.removeprefix("cfunc.")
    return compiled, _stripped(compiled.inspect_llvm(), native), _SYMBOL


def _stripped(text: str, native: str) -> str:
    """Return the text of a module with nothing but `_WRAPPER` and what that calls."""
    module = llvm.parse_assembly(text + _WRAPPER.format(symbol=_SYMBOL, native=native))
    for item in [*module.functions, *module.global_variables]:
        if not item.is_declaration and item.name != _SYMBOL:
            item.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    passes.run(module, llvm.create_pass_builder(_target(), tuning))
    return str(module)


def _target() -> Any:
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(opt=3)


@contextmanager
def _scalar_code() -> Iterator[None]:
    """Keep LLVM from vectorising while the kernel compiles.

    Its loops run two to six times, over dimensions or ports: vectorised they take three times as long to
    compile and are no faster.
    """
    before = config.LOOP_VECTORIZE, config.SLP_VECTORIZE
    config.LOOP_VECTORIZE = config.SLP_VECTORIZE = 0
    try:
        yield
    finally:
        config.LOOP_VECTORIZE, config.SLP_VECTORIZE = before


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python from looking for garbage, an eighth of the time: what Numba builds stays to the end."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
