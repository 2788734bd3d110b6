"""Plug-ins: Python files of users, loaded once each, that add names to registries.

A `netplace.registry.Registry` is a table of one kind of rule, such as `netplace.placement.MAPPINGS`. Its
names come from netplace, from plug-ins, and from installed packages that offer entry points. A plug-in is one
Python file that adds names when it is loaded, with ``--plugin FILE.py`` or `load_plugin`::

    from netplace.placement import MAPPINGS, Rule

    def backwards(problem):
        return problem.nodes[::-1][: problem.tasks]

    MAPPINGS.add("backwards", Rule(backwards, "backwards", "the partition from its end"))

A name is looked up. Nothing else that a user, a file or a request says is ever imported or executed.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from netplace import entry_points
from netplace.files import input_file
from netplace.registry import LOADING, UNFILED, Loading, Registry

Value = TypeVar("Value")


@dataclass(frozen=True)
class Plugin:
    """A plug-in that was loaded: the absolute path of its file, and the SHA-256 of the content."""

    path: str
    digest: str

    @property
    def name(self) -> str:
        """The name under which keys and outcomes hold the digest."""
        return f"plugin:{Path(self.path).name}"


_LOADED: dict[str, Plugin] = {}  # by digest, in order; as `sys.modules`, of the process
_ADDED: list[tuple[Registry[Any], str]] = []


def loaded_plugins() -> tuple[Plugin, ...]:
    """Return the plug-ins of this process, in the order in which they were loaded."""
    return tuple(_LOADED.values())


def load_plugin(path: str | Path, digest: str = "") -> Plugin:
    """Load a plug-in: execute a Python file, which adds names to registries. Once loaded, it stays as it is.

    Parameters
    ----------
    digest : str
        SHA-256 that the content must have; empty accepts any content.

    Raises
    ------
    ValueError
        If the file cannot be read, raises an exception, adds a name that is taken, or has changed since it
        was loaded.
    """
    path = Path(path)
    if digest in _LOADED:
        return _LOADED[digest]
    try:
        content = input_file(path).read_bytes()
    except OSError as error:
        raise ValueError(f"--plugin {path}: cannot be read, {error.strerror}") from None
    plugin = Plugin(str(path.absolute()), hashlib.sha256(content).hexdigest())
    if digest and plugin.digest != digest:
        raise ValueError(
            f"--plugin {path}: has the SHA-256 {plugin.digest[:12]}.. on {platform.node()}, expected "
            f"{digest[:12]}.., that of the process that hands out the work"
        )
    if plugin.digest in _LOADED:
        return _LOADED[plugin.digest]
    if any(other.path == plugin.path for other in _LOADED.values()):
        raise ValueError(f"--plugin {path}: has changed since this process loaded it; start Python again")
    _execute(plugin, content)
    _LOADED[plugin.digest] = plugin
    return plugin


def _execute(plugin: Plugin, content: bytes) -> None:
    """Execute the content of a plug-in; if that fails, nothing that it added remains."""
    # Pickles name the module of a class: the same one in every process that has this content.
    module = ModuleType(f"netplace_plugin_{Path(plugin.path).stem}_{plugin.digest[:16]}")
    module.__file__ = plugin.path
    loading = Loading((plugin.name, plugin.digest))
    token = LOADING.set(loading)
    sys.modules[module.__name__] = module
    try:
        # The one place where code of a user is executed: the user named the file.
        exec(compile(content, plugin.path, "exec"), module.__dict__)  # noqa: S102
        _ADDED.extend(loading.added)
    except BaseException as error:
        for registry, name in loading.added:
            registry._remove(name)
        del sys.modules[module.__name__]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise ValueError(f"--plugin {_sentence(plugin.path, error)}") from error
    finally:
        LOADING.reset(token)


def unload_plugins() -> None:
    """Forget all plug-ins and what they added, for tests that load their own; cached results may remain."""
    for registry, name in _ADDED:
        registry._remove(name)
    _ADDED.clear()
    _LOADED.clear()


def _sentence(path: str, error: BaseException) -> str:
    """Return a sentence on an exception with the line of the file `path` that ran last."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{Path(path).name}, line {error.lineno}: {error.msg}"
    return _of_frames(error, {path}) or f"{path}: cannot be loaded, {type(error).__name__}: {error}"


def describe_rule_error(error: BaseException) -> str | None:
    """Return a sentence on an exception that the code of a user raised, or None for any other exception.

    The sentence names the file, and the last line of the file that ran.
    """
    return _of_frames(error, {plugin.path for plugin in _LOADED.values()} | entry_points.files())


def _of_frames(error: BaseException, files: set[str]) -> str | None:
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not lines:
        return None
    last = lines[-1]
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{Path(last.filename).name}, line {last.lineno}: raised {reason}"


class Portable(Generic[Value]):
    """A value for a worker, which loads the plug-ins of the sender before it unpickles the value."""

    def __init__(self, value: Value) -> None:
        self._value: Callable[[], Value] = lambda: value

    def __getstate__(self) -> tuple[tuple[Plugin, ...], bytes]:
        return loaded_plugins(), pickle.dumps(self._value())

    def __setstate__(self, state: tuple[tuple[Plugin, ...], bytes]) -> None:
        plugins, payload = state

        def unpacked() -> Value:
            for plugin in plugins:
                load_plugin(plugin.path, plugin.digest)
            value: Value = pickle.loads(payload)  # noqa: S301 (from the sender of the work)
            self._value = lambda: value
            return value

        self._value = unpacked

    def value(self) -> Value:
        """Return the value.

        Raises
        ------
        ValueError
            If a plug-in of the sender cannot be loaded here, or has another content.
        """
        return self._value()


def rules_without_file() -> list[str]:
    """Return the rules that were added by no plug-in, such as in a notebook: only this process knows them."""
    return [name.removeprefix("process:netplace.") for name in UNFILED]


def current_digest(name: str, expected: str = "") -> str:
    """Return the digest that a name in a key has in this process.

    `name` is a file, or whose code a rule is, as `Registry.source` returns it. Plug-ins in several folders
    can have one name: then, the one with the `expected` digest counts.
    """
    kind, _, rest = name.partition(":")
    if kind == "plugin":
        digests = [plugin.digest for plugin in loaded_plugins() if plugin.name == name]
        if not digests:
            raise ValueError(f"{rest}: is not loaded; give --plugin {rest}")
        return expected if expected in digests else digests[-1]
    if kind == "process":
        if name not in UNFILED:
            raise ValueError(f"{rest}: was added by no file, in another process; put it into a plug-in")
        return UNFILED[name]
    if kind == "package":
        group, _, rule = rest.partition(":")
        if rule not in entry_points.entries(group):
            raise ValueError(f"{rest}: no installed package offers it")
        entry_points.load(entry_points.entries(group)[rule], group)
        return entry_points.digest(entry_points.entries(group)[rule])
    return file_digest(Path(name))


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, which is read again only if it has changed."""
    try:
        state = input_file(path).stat()
        return _digest(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None


@lru_cache(maxsize=1024)
def _digest(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
