"""Tell the user what is being compiled, which happens once for an installation."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

from netplace.report.terminal.quiet import is_quiet

if TYPE_CHECKING:
    from netplace.netsim import Config

__all__ = ["compilation_announced", "load_engine"]


_WORTH_A_WORD = 2.0  # seconds
# What people call the parts of netplace that have compiled functions.
_PARTS = {
    "scheduling.partitioner": "the allocators",
    "placement.mapping": "the search of mappings",
    "placement": "the metrics of placement",
    "apps": "the reading of programs",
    "experiments": "a study's own simulator",
}


class _OnceLoaded:
    """Calls a function when Numba has been imported, which a plain run does not do."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Find Numba, to be told when it is loaded."""
        if name != "numba":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                load(module)
                self._then()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


@contextmanager
def compilation_announced() -> Iterator[None]:
    """Say on stderr what is compiled while the block runs, and at the end how long it took."""
    with ExitStack() as stack:

        def listen() -> None:
            from numba.core import event

            class Notice(_CompilationNotices, event.Listener):  # type: ignore[misc]
                pass

            notice = Notice()
            stack.callback(notice.sum_up)
            stack.enter_context(event.install_listener("numba:compile", notice))

        if "numba" in sys.modules:
            listen()
        else:
            finder = _OnceLoaded(listen)
            sys.meta_path.insert(0, finder)
            stack.callback(sys.meta_path.remove, finder)
        yield


class _CompilationNotices:
    """What is compiled: a line for each part of netplace when its first function is, and one at the end."""

    def __init__(self) -> None:
        self._parts: set[str] = set()
        self._depth = 0
        self._began = self._seconds = 0.0

    def on_start(self, event: Any) -> None:
        """Take note of a function that is compiled; others that it calls are compiled within."""
        self._depth += 1
        if self._depth > 1:
            return
        self._began = time.monotonic()
        part = _part_of(event)
        if part not in self._parts:
            self._parts.add(part)
            _say(f"compiling {part} (once for this installation) ...")

    def on_end(self, _: Any) -> None:
        """Take note of how long it took."""
        self._depth -= 1
        if not self._depth:
            self._seconds += time.monotonic() - self._began

    def sum_up(self) -> None:
        """Say how long all of it took."""
        if self._seconds >= _WORTH_A_WORD:
            _say(f"compiled in {self._seconds:.0f} s; netplace doctor --compile does it for all at once")


def _part_of(event: Any) -> str:
    """Return the part of netplace that a function belongs to, for people."""
    function = getattr((getattr(event, "data", None) or {}).get("dispatcher"), "py_func", None)
    module = getattr(function, "__module__", "") or ""
    return next(
        (said for start, said in _PARTS.items() if module.startswith(f"netplace.{start}")), "the kernel"
    )


def _say(text: str) -> None:
    if not is_quiet():
        print(text, file=sys.stderr, flush=True)  # noqa: T201


def load_engine(engine: str, network: str = "", config: Config | None = None) -> None:
    """Make an engine ready for a network: have its kernel compiled, or loaded from the cache.

    Without this the workers of a pool would wait for the first of them to compile it, and nobody would know.
    """
    from netplace.runs.execute import warm_up

    if engine == "kernel":
        warm_up(network, config)
