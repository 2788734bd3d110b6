"""Public modules are guarded when they are imported: see `netplace.checks.border`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # nothing is imported here that the working folder could have another of
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

__all__ = ["GUARDED", "guard_imports", "is_guarded"]

# Packages for use from Python. The others are the command line and its parts, and studies that use these.
GUARDED = (
    *("topologies", "apps", "netsim", "placement", "scheduling", "runs", "cosim", "advice", "testing"),
    *("live", "report", "studies", "extensions"),
)
# What an engine is made of, and nobody else calls: it is handed what the modules around it have checked.
_ENGINE = tuple(f"netplace.netsim.{name}" for name in ("description", "kernel_engine", "memory", "reference"))

# What the border is made of, and what tells that it cannot be.
_BORDER = ("netplace.checks", "netplace.native", "netplace._native", "netplace.__main__", "netplace.version")


def is_guarded(name: str) -> bool:
    """Return whether a module of netplace is one for use from Python."""
    return name.split(".")[1] in GUARDED and not name.startswith(_ENGINE)


class _Loader:
    """Loads a module as another loader does, and has it guarded."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__name__.startswith(_BORDER):
            return
        from netplace.checks.border import behind_border, guard_module

        behind_border(module)
        if is_guarded(module.__name__):
            guard_module(module)


class _Finder:
    """Finds what the finders after it find, to be loaded by a loader of ours."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("netplace."):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


def guard_imports() -> None:
    """Guard all public modules that are imported from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
