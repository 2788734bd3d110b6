"""Tell the user when the kernel is being compiled, which happens once for an installation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from netplace.netsim import Config

__all__ = ["compilation_announced", "load_engine"]


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
    """Print one line on stderr as soon as something is compiled while the block runs."""
    shown = False

    def show() -> None:
        nonlocal shown
        if not shown:
            shown = True
            print("compiling the kernel (once for this installation) ...", file=sys.stderr, flush=True)  # noqa: T201

    with ExitStack() as stack:

        def listen() -> None:
            from numba.core import event

            class Notice(event.Listener):  # type: ignore[misc]
                def on_start(self, _: Any) -> None:
                    show()

                def on_end(self, _: Any) -> None:
                    pass

            stack.enter_context(event.install_listener("numba:compile", Notice()))

        if "numba" in sys.modules:
            listen()
        else:
            finder = _OnceLoaded(listen)
            sys.meta_path.insert(0, finder)
            stack.callback(sys.meta_path.remove, finder)
        yield


def load_engine(engine: str, network: str = "", config: Config | None = None) -> None:
    """Make an engine ready for a network: have its kernel compiled, or loaded from the cache.

    Without this the workers of a pool would wait for the first of them to compile it, and nobody would know.
    """
    from netplace.runs.execute import warm_up

    if engine == "kernel":
        warm_up(network, config)
