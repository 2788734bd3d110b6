"""The door to the compiled part, ``netplace._native``: one submodule for each layer that has some.

The compiled part is built when netplace is installed. In a checkout that is installed to be edited
it is built again when a source of it has changed since.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

from netplace.version import __version__

__all__ = ["apps", "experiments", "netsim", "placement", "scheduling", "topologies"]

_CHECKOUT = Path(__file__).resolve().parents[1]
_BUILD = _CHECKOUT / "build" / (sys.implementation.cache_tag or "")
_AGAIN = "install netplace again (pip install ., or scripts/environment in a checkout)"


def _unusable(why: str) -> ImportError:
    """Return the error that says why the extension cannot be used."""
    return ImportError(f"the compiled part of netplace {why}", name="netplace._native")


def _found() -> ModuleSpec:
    """Return where the extension is."""
    spec = importlib.util.find_spec("netplace._native")
    if spec is None or spec.origin is None or not os.path.exists(spec.origin):
        raise _unusable(f"is missing: {_AGAIN}")
    return spec


def _changed(built: str) -> str | None:
    """Return a source in this checkout that is younger than the extension, if there is one."""
    try:
        sources = (_BUILD / "sources.txt").read_text(encoding="utf-8").split("\n")[:-1]
    except OSError:  # not a checkout that is installed to be edited
        return None
    stamp = os.stat(built).st_mtime
    for source in sources:
        try:
            if os.stat(source).st_mtime > stamp:
                return source
        except FileNotFoundError:
            return source
    return None


def _renew(spec: ModuleSpec, source: str) -> None:
    """Build the extension again, as CMake finds what to do."""
    rebuild = getattr(spec.loader, "rebuild", None)
    name = os.path.relpath(source, _CHECKOUT)
    if rebuild is None:
        return
    print(f"rebuilding the compiled part of netplace because {name} has changed ..", file=sys.stderr)  # noqa: T201
    path = os.environ["PATH"]
    os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), path))  # cmake and ninja of .venv
    try:
        rebuild()
        os.utime(_found().origin or "")
    except (OSError, RuntimeError, ValueError) as fault:
        raise _unusable(f"is older than {name}, and building it failed: {fault}") from None
    finally:
        os.environ["PATH"] = path


def _check() -> None:
    """Renew the extension if need be; refuse one of another version."""
    spec = _found()
    source = _changed(spec.origin or "")
    if source is not None:
        _renew(spec, source)
    from netplace import _native

    built = _native.version()
    if built != __version__:
        raise _unusable(f"has version {built}, but the Python code has version {__version__}: {_AGAIN}")


_check()

from netplace._native import apps, experiments, netsim, placement, scheduling, topologies  # noqa: E402
